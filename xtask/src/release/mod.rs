//! `release`: everything that an operator installs, in one folder.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;

#[derive(clap::Args)]
pub struct Args {
    /// The deployment's key, as `stoa module keygen --role deployment` makes it
    #[arg(long)]
    key: PathBuf,
}

pub fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let _ = (workspace, &args.key);
    anyhow::bail!("not built yet")
}
