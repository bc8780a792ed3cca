//! Compilation, away from the requests: a process of its own, at the lowest priority and with limits on time and memory, so that
//! an artifact made to explode when compiled hurts neither the host nor who is being served. The schemas of a new component's
//! descriptor are compiled by such a process first, for the same reason.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::describe;
use super::refusal::Refusal;
use crate::contract::Judged;
use crate::operations::HostNames;
use crate::sandbox::engine::{self, Sandbox};

/// Processor time and address space of a compilation.
const SECONDS: libc::rlim_t = 120;
const BYTES: libc::rlim_t = 4 << 30;
/// A busy machine gives a child its processor time within this. The largest component has less machine code.
const BOUNDS: Bounds = Bounds { time: Duration::from_secs(300), output: 512 << 20 };
/// The same of a descriptor, whose faults are cut to fewer bytes.
const BOUNDS_OF_JUDGING: Bounds = Bounds { output: 1 << 20, ..BOUNDS };
const LONGEST_FAULTS: usize = 10_000;
/// Bytes that a child may say about its failure, and the pause between two looks at whether it ended.
const LONGEST_COMPLAINT: u64 = 1 << 20;
const PAUSE: Duration = Duration::from_millis(5);
/// Requests come first; a tenth of a busy processor is left.
const NICE: libc::c_int = 10;

/// Where components are compiled.
#[derive(Debug, Clone)]
pub enum Compiler {
    /// In this process: for verbs that serve no requests.
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
                let code = run_child(command(binary, *sandbox, *memory), bytes, BOUNDS)?;
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

    /// Judges a descriptor by the binary's verb `judge-descriptor`. A gate that compiles here has no other process to protect.
    pub fn judge(&self, descriptor: &str) -> Result<(), Refusal> {
        let Compiler::Apart { binary, .. } = self else { return Ok(()) };
        let mut command = Command::new(binary);
        command.arg("judge-descriptor");
        let faults = run_child(command, descriptor.as_bytes(), BOUNDS_OF_JUDGING).map_err(|why| {
            Refusal::new("DESCRIPTOR_INVALID", format!("its descriptor cannot be judged within the limits: {why:#}"))
        })?;
        match faults.is_empty() {
            true => Ok(()),
            false => Err(Refusal::new("DESCRIPTOR_INVALID", String::from_utf8_lossy(&faults))),
        }
    }
}

/// Machine code for every processor of this architecture, by a process of the running binary.
pub fn compile_portable(sandbox: Sandbox, memory: usize, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut command = command(&std::env::current_exe()?, sandbox, memory);
    command.arg("--portable");
    run_child(command, bytes, BOUNDS)
}

fn command(binary: &Path, sandbox: Sandbox, memory: usize) -> Command {
    let mut command = Command::new(binary);
    command.args(["compile-module", "--sandbox", sandbox.name(), "--memory", &memory.to_string()]);
    command
}

/// Limits of a child process in addition to those that it sets itself.
#[derive(Clone, Copy)]
struct Bounds {
    /// From its start to its end.
    time: Duration,
    /// Bytes of its output.
    output: u64,
}

/// Output of the child for these bytes, or its error.
fn run_child(mut command: Command, bytes: &[u8], bounds: Bounds) -> anyhow::Result<Vec<u8>> {
    let mut child = command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("the compiler cannot be started")?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (status, output, said) = std::thread::scope(|scope| {
        // A child that gave up early closes its end: its output says why, the broken pipe does not.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes)));
        let output = scope.spawn(move || read_at_most(stdout, bounds.output));
        let said = scope.spawn(move || read_at_most(stderr, LONGEST_COMPLAINT));
        // A child that ends closes its pipes, and so ends the readers.
        (wait(&mut child, bounds.time), output.join(), said.join())
    });
    let status = status?;
    let (Ok(output), Ok(said)) = (output, said) else { anyhow::bail!("the compiler's output cannot be read") };
    let Some(status) = status else {
        anyhow::bail!("the compiler was ended after {} s", bounds.time.as_secs_f32());
    };
    let Some(output) = output? else { anyhow::bail!("the compiler wrote more than {} bytes", bounds.output) };
    if status.success() {
        return Ok(output);
    }
    let said = said?.unwrap_or_default();
    let said: String = String::from_utf8_lossy(&said).trim().chars().take(1_000).collect();
    anyhow::bail!("{}", if said.is_empty() { format!("the compiler ended: {status}") } else { said })
}

/// Everything that a pipe yields; `None`: it is more than `most` bytes. The pipe is closed then, which ends who writes to it.
fn read_at_most(pipe: Option<impl Read>, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Some(pipe) = pipe else { return Ok(Some(Vec::new())) };
    let mut bytes = Vec::new();
    let read = pipe.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((read as u64 <= most).then_some(bytes))
}

/// Waits for a child that has so much time; `None`: it had to be killed.
fn wait(child: &mut Child, time: Duration) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + time;
    let ended = loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < end => std::thread::sleep(PAUSE),
            ended => break ended,
        }
    };
    if !matches!(ended, Ok(Some(_))) {
        child.kill()?;
        child.wait()?;
    }
    ended
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

/// The verb: a descriptor on stdin, its faults on stdout.
pub fn run_judge(host: &HostNames) -> anyhow::Result<()> {
    confine()?;
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let faults = match describe::read(&text) {
        Err(refusal) => refusal.detail,
        Ok(descriptor) => describe::compile(Judged::Now, &descriptor, host).err().unwrap_or_default().join("; "),
    };
    let faults: String = faults.chars().take(LONGEST_FAULTS).collect();
    std::io::stdout().lock().write_all(faults.as_bytes())?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments);
        command
    }

    /// Ample, so that a busy machine does not come to it.
    const AMPLE: Bounds = Bounds { time: Duration::from_secs(120), output: 1 << 20 };

    #[test]
    fn a_child_answers_and_complains() {
        let bytes = vec![7; 300_000];
        assert_eq!(run_child(command("/bin/cat", &[]), &bytes, AMPLE).expect("what it was given"), bytes);
        let complaint = run_child(command("/bin/cat", &["/no such file"]), &bytes, AMPLE).expect_err("no file");
        assert!(complaint.to_string().contains("no such file"), "{complaint}");
    }

    /// Other programs in the place of ours: one prints its verb, one fails at it, one finds no fault.
    #[test]
    fn a_descriptor_is_judged_by_the_binary() {
        let judge = |binary: &str| {
            let compiler = Compiler::Apart { binary: binary.into(), sandbox: Sandbox::Fast, memory: 0 };
            compiler.judge("{}").map_err(|refusal| refusal.to_string())
        };
        assert_eq!(judge("/bin/echo"), Err("DESCRIPTOR_INVALID: judge-descriptor\n".to_owned()));
        let failed = judge("/bin/cat").expect_err("there is no file of this name");
        assert!(failed.contains("within the limits") && failed.contains("judge-descriptor"), "{failed}");
        assert_eq!(judge("/usr/bin/true"), Ok(()));
        assert_eq!(Compiler::Here.judge("{}"), Ok(()));
    }

    #[test]
    fn a_child_that_does_not_end_is_killed() {
        let bounds = Bounds { time: Duration::from_millis(100), ..AMPLE };
        let killed = run_child(command("/bin/sleep", &["60"]), b"", bounds).expect_err("it would sleep for a minute");
        assert!(killed.to_string().contains("ended after 0.1 s"), "{killed}");
    }

    #[test]
    fn a_child_writes_no_more_than_is_read() {
        let write = |count: &str| {
            let bounds = Bounds { output: 1_000, ..AMPLE };
            run_child(command("/usr/bin/head", &["-c", count, "/dev/zero"]), b"", bounds)
        };
        assert_eq!(write("1000").expect("as much as is allowed").len(), 1_000);
        let cut = write("1001").expect_err("too much");
        assert!(cut.to_string().contains("more than 1000 bytes"), "{cut}");
        let cut = write("10000000").expect_err("far too much");
        assert!(cut.to_string().contains("more than 1000 bytes"), "{cut}");
    }
}
