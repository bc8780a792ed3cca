//! `stoa export`: writes one company as lines of JSON, also while hosts serve.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use uuid::Uuid;

use super::data_flags::DataFlags;
use crate::export::{Exported, export};

#[derive(Args, Serialize)]
pub struct Flags {
    /// Id of the company, as `stoa tenant list` prints it.
    #[serde(skip)]
    company: Uuid,
    /// New file to write, instead of the standard output.
    #[arg(long)]
    #[serde(skip)]
    output: Option<PathBuf>,
    /// Reject a company that is active: its users could change it after the export.
    #[arg(long)]
    #[serde(skip)]
    suspended: bool,
    #[command(flatten)]
    #[serde(flatten)]
    data: DataFlags,
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let (company, output, suspended) = (flags.company, flags.output.clone(), flags.suspended);
    let settings = super::logging::load_settings(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let write = |output: &mut dyn Write| {
        runtime.block_on(export(&settings.database(), company, suspended, &mut BufWriter::new(output)))
    };
    let Exported { tables, rows } = match &output {
        None => write(&mut std::io::stdout())?,
        Some(file) => {
            let mut opened = create(file).with_context(|| format!("{}", file.display()))?;
            let written = write(&mut opened).and_then(|exported| Ok(opened.sync_all().map(|()| exported)?));
            // A part of a company looks like a whole one.
            written.inspect_err(|_| drop(std::fs::remove_file(file)))?
        }
    };
    eprintln!("{company}: {rows} rows of {tables} tables");
    Ok(())
}

/// A new file for the user of this command only.
fn create(file: &Path) -> std::io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(file)
}
