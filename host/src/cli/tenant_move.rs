//! `stoa tenant move`: a company goes to another PostgreSQL server.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use uuid::Uuid;

use crate::settings::Settings;
use crate::tenant_move::{Moved, Moving};

#[derive(Args)]
pub struct MoveFlags {
    /// Id of the company, as `stoa tenant list` prints it.
    tenant: Uuid,
    /// Place of the company from then on, as `[[places]]` in `stoa.toml` names it, or `home`.
    #[arg(long, required_unless_present_any = ["undo", "purge"])]
    to: Option<String>,
    /// Print what would be copied and what is missing, and change nothing.
    #[arg(long, requires = "to")]
    dry_run: bool,
    /// Give up a move before the company has switched.
    #[arg(long, conflicts_with_all = ["to", "purge"])]
    undo: bool,
    /// Delete the rows that the company left behind at its former place.
    #[arg(long, conflicts_with = "to")]
    purge: bool,
    /// Longest time in which writes of the company wait. An attempt that would take longer has no effect.
    #[arg(long, default_value = "1s", value_parser = humantime_serde::re::humantime::parse_duration)]
    pause: Duration,
}

/// Does what the flags say, and returns the text to print. Progress is written to the standard error output.
pub async fn run(settings: &Settings, wanted: MoveFlags, as_json: bool) -> anyhow::Result<String> {
    let home = settings.database();
    anyhow::ensure!(home.url.starts_with("postgres"), "companies move between PostgreSQL servers only");
    let moving = Arc::new(Moving {
        company: wanted.tenant,
        home,
        places: settings.move_places(),
        pause: wanted.pause,
        report,
        stop: AtomicBool::new(false),
    });
    let stopped = moving.clone();
    tokio::spawn(async move {
        // The command ends at the next step that it can go on from.
        if tokio::signal::ctrl_c().await.is_ok() {
            report("interrupted: the command ends with the step under way");
            stopped.stop.store(true, Ordering::Relaxed);
        }
    });
    let print = |done: &str, rows: u64| match as_json {
        true => json!({ "company": wanted.tenant, "deletedRows": rows }).to_string(),
        false => format!("{}: {done}, {rows} rows deleted", wanted.tenant),
    };
    match &wanted.to {
        None if wanted.undo => Ok(print("the move was given up", moving.undo().await?)),
        None => Ok(print("purged", moving.purge().await?)),
        Some(to) if wanted.dry_run => Ok(moving.plan(to).await?.print(as_json)),
        Some(to) => {
            let moved = moving.run(to).await?;
            Ok(if as_json { json!(moved).to_string() } else { explain(&moved) })
        }
    }
}

fn explain(moved: &Moved) -> String {
    let Moved { company, from, to, rows, seconds, pause_ms } = moved;
    let pause = pause_ms.map(|pause| format!(", writes waited {pause} ms")).unwrap_or_default();
    format!(
        "{company}: {rows} rows moved from {from} to {to} in {seconds} s{pause}\n\
         {from} keeps the old rows, which no host shows, until `stoa tenant move {company} --purge`"
    )
}

/// A closed standard error output ends no move.
fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
