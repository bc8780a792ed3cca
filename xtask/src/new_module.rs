//! `new-module NAME`: writes a module that builds, tests and activates as it stands.

use anyhow::Result;

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// Lower-case letters, digits and hyphens: `gift-cards`
    name: String,
}

pub fn run(_workspace: &Workspace, _args: Args) -> Result<()> {
    Ok(())
}
