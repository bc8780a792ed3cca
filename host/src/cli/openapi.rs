//! `stoa openapi`: the contract as the modules on disk make it; neither host nor database is needed.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::deployment::Edition;
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    /// Folder of the modules whose contract to print.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags)?;
    let edition = Edition::from_folder(&super::gate(&settings)?, &settings.modules_dir())?;
    println!("{}", std::str::from_utf8(&edition.contract.bytes)?);
    Ok(())
}
