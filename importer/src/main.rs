//! The program `stoa-import`, which `stoa import` runs: products, variants and prices from a CSV file through the
//! public API, as any other client would send them. Progress is written down, so that a run that was stopped is
//! continued by the next.

mod api;
mod batch;
mod columns;
mod fault;
mod file;
mod known;
mod progress;
mod report;
mod sender;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use uuid::Uuid;

use crate::api::Api;
use crate::fault::Fault;
use crate::known::Known;
use crate::progress::Progress;
use crate::report::Report;
use crate::sender::{Counts, Sender};

/// Import products, variants and prices from a CSV file through the public API.
#[derive(Parser)]
#[command(name = "stoa-import", bin_name = "stoa import", after_long_help = columns::help())]
struct Args {
    /// One row per variant; `--help` lists the columns.
    file: PathBuf,
    /// Address of the service.
    #[arg(long, env = "STOA_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// A user's access token.
    #[arg(long, env = "STOA_TOKEN", hide_env_values = true)]
    token: String,
    /// The company's id. Optional for a member of only one company.
    #[arg(long, env = "STOA_TENANT")]
    tenant: Option<Uuid>,
    /// File that records the run, so that the next run continues it [default: FILE.report.jsonl]
    #[arg(long)]
    report: Option<PathBuf>,
    /// End open prices where the new ones begin: the usual price change.
    #[arg(long)]
    replace: bool,
    /// Begin of prices on rows without `validFrom`, for example 2026-01-31T00:00:00Z.
    #[arg(long)]
    valid_from: Option<String>,
    /// Read a column from another header: `--map name="Product title"`.
    #[arg(long, value_name = "COLUMN=HEADER", value_parser = columns::parse_mapping)]
    map: Vec<(String, String)>,
    /// Skip headers that are no column. Without it the importer rejects the file.
    #[arg(long)]
    ignore_unknown: bool,
    /// Column separator, one character.
    #[arg(long, default_value = ",", value_parser = columns::delimiter)]
    delimiter: u8,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The exit status counts even where stderr cannot be written.
            let _ = writeln!(std::io::stderr(), "stoa: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(import(args))
}

/// Imports the file. Prints every invalid line with its number on stderr. Fails where the run cannot begin or go on, or
/// any line failed.
async fn import(args: &Args) -> Result<()> {
    let mut file = file::read(&args.file, &args.map, args.ignore_unknown, args.delimiter)?;
    let api = Api::new(&args.url, &args.token)?;
    let tenant = known::tenant(&api, args.tenant).await?;
    let known = Known::new(&api, &tenant, &file).await?;
    let path = args.report.clone().unwrap_or_else(|| {
        let mut name = args.file.clone().into_os_string();
        name.push(".report.jsonl");
        name.into()
    });
    let report = Report::open(&path, &tenant)?;
    let rows: usize = file.products.iter().map(|product| product.rows.len()).sum();
    let mut sender = Sender {
        api: &api,
        known: &known,
        report,
        progress: Progress::new(rows + file.prices.len()),
        faults: std::mem::take(&mut file.faults),
        left_out: HashSet::new(),
        counts: Counts::default(),
    };
    let sent = match sender.products(std::mem::take(&mut file.products)).await {
        Ok(()) => sender.prices(&file, args).await,
        stopped => stopped,
    };
    let Sender { progress, mut faults, counts, .. } = sender;
    progress.finish();

    faults.sort_by(|a, b| (a.line, &a.column).cmp(&(b.line, &b.column)));
    faults.dedup();
    faults.iter().for_each(|fault| eprintln!("{}", fault.describe(&args.file)));
    let failed = fault::lines(&faults);
    let outcome = Outcome { counts, failed_lines: failed, report: path.display().to_string(), faults: &faults };
    outcome.print(args.json)?;
    sent.context("stopped; run the same command again to go on")?;
    if failed > 0 {
        bail!("{failed} of {} lines failed; correct them and run again: what is done is not sent twice", file.lines);
    }
    Ok(())
}

/// The result of a run.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    #[serde(flatten)]
    counts: Counts,
    failed_lines: usize,
    report: String,
    faults: &'a [Fault],
}

impl Outcome<'_> {
    fn print(&self, json: bool) -> Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
            return Ok(());
        }
        let Counts { products, prices, before } = self.counts;
        println!(
            "{products} products and {prices} prices imported, {before} done before, {} lines failed; recorded in {}",
            self.failed_lines, self.report
        );
        Ok(())
    }
}
