//! The compiler's target for modules, added where it is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The target that modules are compiled for: no system interface at all.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure that the compiler in use can build modules.
///
/// # Errors
/// The compiler lacks the target, and `rustup` cannot add it.
pub fn ensure() -> Result<()> {
    if is_installed()? {
        return Ok(());
    }
    eprintln!("adding the Rust target {TARGET}");
    let added = Command::new("rustup").args(["target", "add", TARGET]).stdout(Stdio::null()).status();
    if added.is_ok_and(|status| status.success()) && is_installed()? {
        return Ok(());
    }
    bail!("the Rust target {TARGET} is missing and could not be added: run `rustup target add {TARGET}` with a network")
}

fn is_installed() -> Result<bool> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).stderr(Stdio::inherit()).output();
    let output = output.context("cannot start rustc: Rust comes from https://rustup.rs")?;
    let sysroot = String::from_utf8(output.stdout).context("rustc printed no folder")?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib").is_dir())
}
