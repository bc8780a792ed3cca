//! The program `stoa-import`, which `stoa import` runs: products, variants, prices, media and stock from a CSV file through the
//! public API, as any other client would send them. It compares the file with the service's records and sends the differences,
//! so that a file can be imported every night, and a run that was stopped is continued by the next.

mod api;
mod batch;
mod change;
mod columns;
mod compare;
mod fault;
mod file;
mod goods;
mod known;
mod lines;
mod progress;
mod report;
mod sender;
mod tally;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Parser;
use uuid::Uuid;

use crate::api::Api;
use crate::fault::Fault;
use crate::file::File;
use crate::known::{Known, Side};
use crate::progress::Progress;
use crate::report::Report;
use crate::sender::{Choices, Sender};
use crate::tally::{Counts, LineCounts};

/// Import products, variants, prices, media and stock from a CSV file through the public API. Sends only the differences.
#[derive(Parser)]
#[command(name = "stoa-import", bin_name = "stoa import", after_long_help = columns::help())]
struct Args {
    /// One row per variant; `--help` lists the columns.
    file: PathBuf,
    /// Address of the service.
    #[arg(long, env = "STOA_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// A user's access token.
    #[arg(long, env = "STOA_TOKEN", hide_env_values = true, required_unless_present = "api_key")]
    token: Option<String>,
    /// Key of an API client, instead of a token. A key finds only price lists that are PUBLIC, and cannot count stock.
    #[arg(long, env = "STOA_API_KEY", hide_env_values = true, conflicts_with = "token")]
    api_key: Option<String>,
    /// The company's id. Optional for a member of only one company, and for an API key.
    #[arg(long, env = "STOA_TENANT")]
    tenant: Option<Uuid>,
    /// Print the differences and send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Create brands, categories and manufacturers that do not exist, with their code as their name.
    #[arg(long)]
    create_missing: bool,
    /// With an API key: replace records although a key cannot read all their members (attributes, search aliases, tracking).
    /// Members that the file does not state are cleared.
    #[arg(long)]
    overwrite_hidden: bool,
    /// Code of the account against which opening stock is posted: stock of a variant that the warehouse does not have yet.
    /// Without it, all stock that differs is posted by a stock count.
    #[arg(long, value_name = "CODE")]
    counter_account: Option<String>,
    /// File that records a run until its end, so that the next run continues it [default: FILE.report.jsonl]
    #[arg(long)]
    report: Option<PathBuf>,
    /// End open prices where the new ones begin. This is the default; the option remains for existing scripts.
    #[arg(long)]
    replace: bool,
    /// Start of prices on rows without `validFrom`, for example 2026-01-31T00:00:00Z. Without it, a first price has no start,
    /// and a changed price starts when the run starts.
    #[arg(long)]
    valid_from: Option<String>,
    /// Read a column from another header: `--map name="Product title"`.
    #[arg(long, value_name = "COLUMN=HEADER", value_parser = columns::parse_mapping)]
    map: Vec<(String, String)>,
    /// Skip headers that are not columns. Without it the importer rejects the file.
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
    let (api, side, tenant) = connect(args).await?;
    let path = args.report.clone().unwrap_or_else(|| {
        let mut name = args.file.clone().into_os_string();
        name.push(".report.jsonl");
        name.into()
    });
    // Before anything is read: another run of the same file must not be at work.
    let report = if args.dry_run { None } else { Some(Report::open(&path, &tenant)?) };
    let silent = find_silent(&file);
    let (sent, sender) = send(args, api, side, report, &mut file).await;
    let Some(mut sender) = sender else {
        // Lines that are bad in themselves are reported all the same.
        file.faults.sort_by(|a, b| (a.line, &a.column).cmp(&(b.line, &b.column)));
        file.faults.iter().for_each(|fault| eprintln!("{}", fault.describe(&args.file)));
        return sent;
    };
    sender.progress.finish();

    let faults = &mut sender.tally.faults;
    faults.sort_by(|a, b| (a.line, &a.column).cmp(&(b.line, &b.column)));
    faults.dedup();
    faults.iter().for_each(|fault| eprintln!("{}", fault.describe(&args.file)));
    let lines = sender.tally.count_lines(&file.lines, &silent);
    let report = match sender.report.take() {
        Some(report) if sent.is_ok() => {
            report.remove()?;
            None
        }
        Some(_) => Some(path.display().to_string()),
        None => None,
    };
    let outcome = Outcome {
        counts: sender.tally.counts,
        lines,
        dry_run: args.dry_run,
        report,
        differences: &sender.preview,
        faults: &sender.tally.faults,
    };
    outcome.print(args.json)?;
    sent.context("stopped; run the same command again to go on")?;
    if lines.failed_lines > 0 {
        bail!("{} of {} lines failed; correct them and run again", lines.failed_lines, lines.lines);
    }
    Ok(())
}

/// The client, the side of the API that its credential is for, and the company.
async fn connect(args: &Args) -> Result<(Api, Side, String)> {
    if let Some(key) = &args.api_key {
        let api = Api::new(&args.url, key)?;
        let tenant = known::tenant_of_key(&api, args.tenant).await?;
        return Ok((api, Side::Client, tenant));
    }
    let token = args.token.as_deref().context("state --token or --api-key")?;
    let api = Api::new(&args.url, token)?;
    let tenant = known::tenant(&api, args.tenant).await?;
    Ok((api, Side::User(tenant.clone()), tenant))
}

/// Compares and sends. The sender is missing where the run could not begin.
async fn send(
    args: &Args,
    api: Api,
    side: Side,
    report: Option<Report>,
    file: &mut File,
) -> (Result<()>, Option<Sender>) {
    let known = match Known::new(&api, side, file).await {
        Ok(known) => known,
        Err(error) => return (Err(error), None),
    };
    let Some(now) = api.now() else {
        return (Err(anyhow::anyhow!("the service sends no header Date")), None);
    };
    let choices = Choices {
        dry_run: args.dry_run,
        create_missing: args.create_missing,
        overwrite_hidden: args.overwrite_hidden,
        valid_from: args.valid_from.clone(),
        counter_account: args.counter_account.clone(),
    };
    let rows: usize = file.products.iter().map(|product| product.rows.len()).sum();
    let progress = Progress::new(rows + file.prices.len());
    let mut sender = Sender::new(Arc::new(api), known, report, progress, choices, now);
    sender.tally.faults = std::mem::take(&mut file.faults);
    let products = std::mem::take(&mut file.products);
    (send_parts(&mut sender, products, file).await, Some(sender))
}

async fn send_parts(sender: &mut Sender, products: Vec<file::Product>, file: &File) -> Result<()> {
    sender.find_counter_accounts(file).await?;
    sender.products(products).await?;
    sender.media(file).await?;
    sender.prices(file).await?;
    sender.stock(file).await
}

/// Lines that state nothing to import.
fn find_silent(file: &File) -> HashSet<u64> {
    let mut silent: HashSet<u64> = file.lines.iter().copied().collect();
    let products = file.products.iter().flat_map(|product| &product.rows).copied();
    let prices = file.prices.iter().map(|price| price.line);
    let others = file.media.iter().map(|media| media.line).chain(file.stock.iter().map(|stock| stock.line));
    for line in products.chain(prices).chain(others) {
        silent.remove(&line);
    }
    silent
}

/// The result of a run.
#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    #[serde(flatten)]
    counts: Counts,
    #[serde(flatten)]
    lines: LineCounts,
    dry_run: bool,
    /// The file that the next run continues from, of a run that was stopped.
    report: Option<String>,
    /// The differences that a dry run found.
    differences: &'a [String],
    faults: &'a [Fault],
}

impl Outcome<'_> {
    fn print(&self, json: bool) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if json {
            writeln!(out, "{}", serde_json::to_string(self)?)?;
            return Ok(());
        }
        for line in self.differences {
            writeln!(out, "{line}")?;
        }
        if self.dry_run {
            writeln!(out, "= {} unchanged", self.counts.unchanged)?;
        }
        writeln!(out, "{}", self.summarize())?;
        if let Some(report) = &self.report {
            writeln!(out, "recorded in {report}")?;
        }
        Ok(())
    }

    fn summarize(&self) -> String {
        let Counts { products, variants, changed, lookups, prices, media, stock, unchanged } = self.counts;
        let done = if self.dry_run { "to import" } else { "imported" };
        let mut text = format!("{products} products and {prices} prices {done}");
        let others = [
            (variants, "variants added"),
            (changed, "records changed"),
            (lookups, "lookups created"),
            (media, "media added"),
            (stock, "stock levels counted"),
        ];
        for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
            text.push_str(&format!(", {number} {what}"));
        }
        let LineCounts { lines, imported_lines, unchanged_lines, failed_lines, unsent_lines } = self.lines;
        text.push_str(&format!(
            ", {unchanged} unchanged; {lines} lines: {imported_lines} {done}, {unchanged_lines} unchanged, {failed_lines} failed"
        ));
        if unsent_lines > 0 {
            text.push_str(&format!(", {unsent_lines} not sent"));
        }
        text
    }
}
