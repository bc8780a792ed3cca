//! `stoa restore`: fills an empty database from a backup, and checks what came of it.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use super::data_flags::ModuleDataFlags;
use super::json_flag::JsonFlag;
use super::{Unfinished, backup::describe, backup::line, verify};
use crate::backup::{self, Webhooks};

#[derive(Args, Serialize)]
pub struct Flags {
    /// File that `stoa backup` wrote.
    #[serde(skip)]
    file: PathBuf,
    /// Check all module invariants afterwards, as `stoa verify` does.
    #[arg(long)]
    #[serde(skip)]
    verify: bool,
    /// Disable every webhook endpoint, so that a copy sends nothing while the original serves.
    #[arg(long)]
    #[serde(skip)]
    hold_webhooks: bool,
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
    #[command(flatten)]
    #[serde(flatten)]
    data: ModuleDataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (file, as_json, verifies) = (flags.file.clone(), flags.output.json, flags.verify);
    let webhooks = if flags.hold_webhooks { Webhooks::Hold } else { Webhooks::Send };
    let settings = super::logging::load_settings(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let began = Instant::now();
    let report = runtime.block_on(backup::restore(&settings.database(), &file, webhooks))?;
    // Nothing else in a backup needs a key: without the ring every id is missing.
    let keys = settings.key_ring().ok();
    let missing = |id: &&String| !keys.as_ref().is_some_and(|keys| keys.holds(id));
    let missing: Vec<&String> = report.header.key_ids.iter().filter(missing).collect();
    match as_json {
        true => {
            let mut described = describe(&report, began);
            described["missingKeyIds"] = serde_json::json!(missing);
            println!("{described}");
        }
        false => {
            println!("restored {}", line(&report, began));
            for id in &missing {
                println!(
                    "STOA_ENCRYPTION_KEY lacks the key {id}: without it, signing secrets of webhooks cannot be read"
                );
            }
        }
    }
    if !verifies {
        return Ok(());
    }
    let checked = runtime.block_on(verify::verify(&settings, &[])).map_err(|error| error.context(Unfinished))?;
    verify::print(checked, as_json)
}
