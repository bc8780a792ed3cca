//! `stoa migrate`: the host's own tables. `serve` does it by itself on SQLite and with `--dev`.

use clap::Args;
use serde::Serialize;

use super::data_flags::DataFlags;
use crate::database::Database;
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let settings = Settings::load(flags)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let database = Database::open(&settings.database(), true).await?;
        database.close();
        println!("the host's tables are up to date");
        Ok(())
    })
}
