//! `stoa backup`: writes a copy of the whole deployment to a new file, also while hosts serve.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::data_flags::DataFlags;
use super::json_flag::JsonFlag;
use crate::backup::{self, BackupReport};

#[derive(Args, Serialize)]
pub struct Flags {
    /// New file to write: a tar archive, compressed with zstd.
    #[serde(skip)]
    file: PathBuf,
    #[command(flatten)]
    #[serde(skip)]
    output: JsonFlag,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (file, as_json) = (flags.file.clone(), flags.output.json);
    let settings = super::logging::load_settings(flags)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let began = Instant::now();
    if !settings.places.is_empty() {
        eprintln!("this is a backup of one server: write one of every place, by --database-url with its address");
    }
    let report = runtime.block_on(backup::write(&settings.database(), &file))?;
    match as_json {
        true => println!("{}", describe(&report, began)),
        false => println!("{}: {}", file.display(), line(&report, began)),
    }
    Ok(())
}

/// A backup as JSON.
pub(super) fn describe(report: &BackupReport, began: Instant) -> Json {
    let BackupReport { header, tables, rows, bytes } = report;
    json!({
        "mark": header.mark,
        "database": header.database,
        "hostVersion": header.host_version,
        "keyIds": header.key_ids,
        "tables": tables,
        "rows": rows,
        "bytes": bytes,
        "seconds": seconds(began),
    })
}

/// A backup in a line.
pub(super) fn line(report: &BackupReport, began: Instant) -> String {
    let rows = report.rows.map(|rows| format!("{rows} rows, ")).unwrap_or_default();
    let BackupReport { header, bytes, .. } = report;
    format!("everything before {}, {rows}{bytes} bytes of {} in {} s", header.mark, header.database, seconds(began))
}

fn seconds(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 10.0).round() / 10.0
}
