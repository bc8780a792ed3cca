//! `stoa restore`: fills an empty database from a backup.

use clap::Args;
use serde::Serialize;

use super::data_flags::DataFlags;
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let _ = Settings::load(flags)?;
    anyhow::bail!("not built yet")
}
