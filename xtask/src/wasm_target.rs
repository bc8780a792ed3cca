//! The compiler's target for modules, added where it is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::program;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure that the compiler in use can build modules.
pub fn ensure() -> Result<()> {
    if installed()? {
        return Ok(());
    }
    eprintln!("adding the Rust target {TARGET}");
    let added = Command::new("rustup").args(["target", "add", TARGET]).stdout(Stdio::null()).status();
    if added.is_ok_and(|status| status.success()) && installed()? {
        return Ok(());
    }
    bail!("the Rust target {TARGET} is missing and could not be added: run `rustup target add {TARGET}` with a network")
}

fn installed() -> Result<bool> {
    let sysroot = program::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib").is_dir())
}
