//! `stoa openapi`: the contract as the modules on disk make it; neither host nor database is needed.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::modules::{Generation, engine};
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags)?;
    let engine = engine::engine(settings.sandbox, 1, settings.limits().large_memory)
        .map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let generation = Generation::from_folder(&engine, &settings.modules_dir(), settings.module_cache().as_ref())?;
    println!("{}", std::str::from_utf8(&generation.routes.contract.bytes)?);
    Ok(())
}
