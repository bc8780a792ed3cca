//! `new-module NAME`: writes a module that builds, tests and activates as it is, from `components/template`, as a member of
//! this workspace. `stoa module new` writes the same outside of it.

use anyhow::{Result, bail};
use stoa_kit::{name, template};

use crate::program;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// Lower-case letters, digits and hyphens: `gift-cards`
    name: String,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let name = args.name;
    name::check(&name).map_err(anyhow::Error::msg)?;
    let folder = workspace.root.join("components").join(&name);
    if workspace.package(&name).is_some() || folder.exists() {
        bail!("the name {name} is taken");
    }
    template::write_member(&name, &folder)?;
    // Longer or shorter names move line breaks and the order of imports.
    program::run(workspace.cargo().args(["fmt", "--package", &name]))?;
    println!("components/{name} is a module with one collection and three operations. Now:");
    println!("  cargo test --profile bench --package {name}");
    println!("  cargo xtask build-modules");
    println!("  stoa module test target/modules/{name}.wasm --fixtures components/{name}/fixtures");
    println!("  cargo xtask run");
    Ok(())
}
