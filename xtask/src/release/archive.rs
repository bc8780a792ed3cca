//! The archive of a release. Two of the same files are the same, bit by bit: no time, no owner, one order.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::program;

/// Writes it next to the release; returns its path.
pub fn write(folder: &Path, files: &[PathBuf]) -> Result<PathBuf> {
    let name = format!("stoa-{}-{}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    let archive = folder.parent().context("a release lies in a folder")?.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--format=ustar", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--transform=s,^,{name}/,")).arg("--gzip").arg("--create").arg("--file").arg(&archive);
    tar.arg("--directory").arg(folder).args(files);
    program::run(&mut tar)?;
    Ok(archive)
}
