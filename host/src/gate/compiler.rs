//! Compilation, away from the requests: a process of its own, at the lowest priority and with limits on time and memory, so that
//! an artifact made to explode when compiled hurts neither the host nor who is being served.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::sandbox::engine::{self, Sandbox};

/// Processor time and address space of a compilation.
const SECONDS: libc::rlim_t = 120;
const BYTES: libc::rlim_t = 4 << 30;
/// Requests come first; a tenth of a busy processor is left.
const NICE: libc::c_int = 10;

/// Where components are compiled.
#[derive(Debug, Clone)]
pub enum Compiler {
    /// In this process: for verbs that serve nobody.
    Here,
    /// By this binary's verb `compile-module`.
    Apart { binary: PathBuf, sandbox: Sandbox, memory: usize },
}

impl Compiler {
    /// A process of the running binary, for the engine of these settings.
    pub fn apart(sandbox: Sandbox, memory: usize) -> anyhow::Result<Compiler> {
        Ok(Compiler::Apart { binary: std::env::current_exe()?, sandbox, memory })
    }

    pub fn compile(&self, engine: &Engine, bytes: &[u8]) -> anyhow::Result<Component> {
        let component = match self {
            Compiler::Here => Component::from_binary(engine, bytes),
            Compiler::Apart { binary, sandbox, memory } => {
                let code = compile_in_child(command(binary, *sandbox, *memory), bytes)?;
                #[allow(unsafe_code, reason = "how wasmtime loads what another process compiled")]
                // SAFETY: the bytes come through a pipe from a process of this very binary that was given nothing but the
                // component, and that writes nothing but what `Engine::precompile_component` made of it.
                unsafe {
                    Component::deserialize(engine, code)
                }
            }
        };
        component.map_err(|error| anyhow::anyhow!("{error:#}"))
    }
}

/// Machine code for every processor of this architecture, by a process of the running binary.
pub fn compile_portable(sandbox: Sandbox, memory: usize, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut command = command(&std::env::current_exe()?, sandbox, memory);
    command.arg("--portable");
    compile_in_child(command, bytes)
}

fn command(binary: &Path, sandbox: Sandbox, memory: usize) -> Command {
    let mut command = Command::new(binary);
    command.args(["compile-module", "--sandbox", sandbox.name(), "--memory", &memory.to_string()]);
    command
}

/// Machine code that the child made of these bytes, or its error.
fn compile_in_child(mut command: Command, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut child = command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the compiler cannot be started")?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // A child that gave up early closes its end: what it says tells why, not the broken pipe.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes)));
        child.wait_with_output()
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: String = said.trim().chars().take(1_000).collect();
    anyhow::bail!("{}", if said.is_empty() { format!("the compiler ended: {}", output.status) } else { said })
}

/// The verb: a component on stdin, its compiled form on stdout.
pub fn run(sandbox: Sandbox, memory: usize, portable: bool) -> anyhow::Result<()> {
    confine()?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let build = if portable { engine::build_portable } else { engine::build_compiling };
    let compiled = build(sandbox, memory).and_then(|engine| engine.precompile_component(&bytes));
    let compiled = compiled.map_err(|error| anyhow::anyhow!("{error:#}"))?;
    std::io::stdout().lock().write_all(&compiled)?;
    Ok(())
}

/// Limits that the kernel holds this process to.
fn confine() -> anyhow::Result<()> {
    for (resource, most) in [(libc::RLIMIT_CPU, SECONDS), (libc::RLIMIT_AS, BYTES), (libc::RLIMIT_CORE, 0)] {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        #[allow(unsafe_code, reason = "no library of the workspace sets limits")]
        // SAFETY: setrlimit reads the struct that it is given and keeps nothing of it.
        let set = unsafe { libc::setrlimit(resource, &raw const limit) };
        anyhow::ensure!(set == 0, "a limit cannot be set: {}", std::io::Error::last_os_error());
    }
    #[allow(unsafe_code, reason = "no library of the workspace sets priorities")]
    // SAFETY: setpriority takes three numbers.
    let set = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) };
    anyhow::ensure!(set == 0, "the priority cannot be lowered: {}", std::io::Error::last_os_error());
    Ok(())
}
