//! From sources to components: cargo makes core WebAssembly, `wit-component` makes components of it. No other tool is needed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use wit_component::ComponentEncoder;

use crate::target::{self, TARGET};

/// A core module that cargo built.
#[derive(Debug)]
pub struct Core {
    /// The package's `Cargo.toml`.
    pub manifest: PathBuf,
    pub file: PathBuf,
}

/// A line of cargo's JSON messages; only `reason` is read of most kinds.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Builds the packages of `cargo`'s folder, or that `packages` names, with the profile `module`.
pub fn compile(mut cargo: Command, packages: &[&str], root: &Path) -> Result<Vec<Core>> {
    target::ensure()?;
    cargo.args(["build", "--profile", "module", "--target", TARGET, "--lib"]);
    cargo.arg("--message-format=json-render-diagnostics");
    for package in packages {
        cargo.args(["--package", package]);
    }
    set_flags(root, &mut cargo);
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the modules do not build");
    }
    let mut cores = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Message = serde_json::from_str(line).context("a message of cargo is not as expected")?;
        let file = message.filenames.into_iter().find(|file| file.extension().is_some_and(|kind| kind == "wasm"));
        if let ("compiler-artifact", Some(file)) = (message.reason.as_str(), file) {
            cores.push(Core { manifest: message.manifest_path, file });
        }
    }
    Ok(cores)
}

/// Panic messages hold file names: without the folders of this machine, the same sources give the same bytes everywhere.
pub fn set_flags(root: &Path, command: &mut Command) {
    let mut flags = OsString::from("--remap-path-prefix=");
    flags.push(root);
    flags.push("=stoa");
    if let Some(home) = cargo_home() {
        flags.push("\u{1f}--remap-path-prefix=");
        flags.push(home);
        flags.push("=cargo");
    }
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
}

fn cargo_home() -> Option<PathBuf> {
    let stated = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    stated.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// The component of a core module.
///
/// # Errors
/// The module does not fit this contract: it lacks an export, or says nothing of its interfaces.
pub fn encode(core: &Path) -> Result<Vec<u8>> {
    let core = std::fs::read(core).with_context(|| format!("cannot read {}", core.display()))?;
    ComponentEncoder::default().validate(true).module(&core)?.encode()
}

/// Writes only changed bytes, so that a program that watches the folder sees a component only when it is another.
pub fn write(component: &[u8], file: &Path) -> Result<()> {
    if std::fs::read(file).ok().as_deref() == Some(component) {
        return Ok(());
    }
    // By a rename: a host that starts meanwhile reads the old component or the new one, never a part.
    let mut fresh = file.as_os_str().to_owned();
    fresh.push(".new");
    std::fs::write(&fresh, component).with_context(|| format!("cannot write {}", file.display()))?;
    std::fs::rename(&fresh, file).with_context(|| format!("cannot write {}", file.display()))
}
