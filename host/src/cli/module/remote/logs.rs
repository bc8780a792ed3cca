//! `stoa module logs`: the lines that a module writes, and its failures.

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value as Json;

use super::{Host, items, text};

/// Seconds that the host may wait for the next entry.
const WAIT: u32 = 20;

#[derive(Subcommand)]
pub enum LogsVerb {
    /// Show the last lines and failures of a module on one host, each with its request and operation.
    #[command(after_help = "Example: stoa module logs loyalty --follow")]
    Logs(LogsOfModule),
}

#[derive(clap::Args)]
pub struct LogsOfModule {
    #[command(flatten)]
    host: Host,
    /// The module's name.
    name: String,
    /// Continue with new lines until interrupted.
    #[arg(long)]
    follow: bool,
    /// Show failures only.
    #[arg(long)]
    failures: bool,
}

pub fn run(verb: LogsVerb) -> anyhow::Result<()> {
    match verb {
        LogsVerb::Logs(args) => show_logs(&args),
    }
}

fn show_logs(args: &LogsOfModule) -> anyhow::Result<()> {
    let mut answer = ask(args, 0, 0)?;
    if !args.host.json {
        println!("module {} on host {}", args.name, text(&answer["host"]));
    }
    loop {
        show_page(args, &answer)?;
        if !args.follow {
            return Ok(());
        }
        answer = ask(args, answer["next"].as_u64().unwrap_or_default(), WAIT)?;
    }
}

fn ask(args: &LogsOfModule, after: u64, wait: u32) -> anyhow::Result<Json> {
    let path = format!("modules/{}/logs?after={after}&wait={wait}", args.name);
    args.host.ask(Method::GET, &path, |request| request)
}

/// The entries of one answer in their order; an answer without any shows nothing.
fn show_page(args: &LogsOfModule, answer: &Json) -> anyhow::Result<()> {
    let lines = items(&answer["lines"]).filter(|_| !args.failures);
    let mut entries: Vec<&Json> = lines.chain(items(&answer["failures"])).collect();
    if entries.is_empty() {
        return Ok(());
    }
    entries.sort_by_key(|entry| entry["seq"].as_u64());
    let lost = answer["lost"].as_u64().filter(|lost| *lost > 0);
    args.host.show(answer, |_| {
        let lost = lost.map(|lost| format!("{lost} entries are not kept any more"));
        lost.into_iter().chain(entries.into_iter().map(line)).collect::<Vec<_>>().join("\n")
    })
}

fn line(entry: &Json) -> String {
    format!(
        "{} {:5} {} {} {} {}",
        text(&entry["at"]),
        text(&entry["kind"]),
        text(&entry["version"]),
        text(&entry["request"]),
        text(&entry["operation"]),
        text(&entry["text"]),
    )
}
