//! `stoa keys rotate`: encrypts stored secrets again with the first key of STOA_ENCRYPTION_KEY, also while hosts run.

use std::sync::Arc;

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::data_flags::DataFlags;
use super::json_flag::JsonFlag;
use crate::database::Database;
use crate::events::endpoint;
use crate::settings::Settings;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Encrypt all stored secrets again with the first key of STOA_ENCRYPTION_KEY.
    ///
    /// To rotate: 1. append the new key on every host; 2. move it to the front on every host; 3. run this command; 4. remove the old
    /// key on every host.
    #[command(after_help = "Example: stoa keys rotate --json")]
    Rotate(Flags),
}

#[derive(clap::Args, Serialize)]
struct Flags {
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let Verb::Rotate(flags) = args.verb;
    let as_json = flags.output.json;
    let settings = Settings::load(flags)?;
    let keys = Arc::new(settings.key_ring()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rotated = runtime.block_on(async {
        let database = Database::open(&settings.database(), false).await?;
        let rotated = endpoint::rotate_keys(&database, keys.clone()).await?;
        database.close();
        anyhow::Ok(rotated)
    })?;
    match as_json {
        true => println!("{}", json!({ "rotated": rotated, "keyId": keys.current() })),
        false => println!("{rotated} secrets are under the key {} now", keys.current()),
    }
    Ok(())
}
