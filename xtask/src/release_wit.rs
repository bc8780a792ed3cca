//! `release-wit PACKAGE`: lists a WIT package as released. From then on its text does not change: `check` sees to it.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use crate::wit_package::{self, FOLDER, RELEASED};
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// `commerce:area@1.0.0`, as its file says
    package: String,
}

const HEAD: &str = "\
# Every released WIT package and the SHA-256 of its text without comments and spaces. Written by `cargo xtask release-wit`, judged by
# `cargo xtask check`. A released package never changes and never goes: a new version is a new folder (components/CHANGES.md).
";

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let folder = workspace.root.join(FOLDER);
    let packages = wit_package::packages(&folder)?;
    let Some(package) = packages.iter().find(|package| package.id() == args.package) else {
        let known: Vec<String> = packages.iter().map(wit_package::WitPackage::id).collect();
        bail!("{FOLDER}/ has no package {}; it has {}", args.package, known.join(", "));
    };
    let mut list = wit_package::read_released(&folder)?;
    match list.iter().find(|released| released.id == package.id()) {
        Some(released) if released.digest == package.digest => {
            println!("{} is released as it is", package.id());
            return Ok(());
        }
        Some(_) => bail!("{} is released with another text: give the new one a new version", package.id()),
        None => list.push(wit_package::Released { id: package.id(), digest: package.digest.clone() }),
    }
    list.sort_by(|a, b| a.id.cmp(&b.id));
    let mut text = HEAD.to_owned();
    for released in &list {
        writeln!(text, "{} {}", released.id, released.digest)?;
    }
    std::fs::write(folder.join(RELEASED), text)?;
    println!("{} is released: {}", package.id(), package.digest);
    Ok(())
}
