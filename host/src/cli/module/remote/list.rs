//! `stoa module list`: the modules of each host.

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value as Json;

use super::{Host, items, short, text};

#[derive(Subcommand)]
pub enum ListVerb {
    /// List the modules of each host, with calls, failures and latency.
    #[command(after_help = "Example: stoa module list")]
    List(ListModules),
}

#[derive(clap::Args)]
pub struct ListModules {
    #[command(flatten)]
    host: Host,
}

pub fn run(verb: ListVerb) -> anyhow::Result<()> {
    match verb {
        ListVerb::List(args) => list(args),
    }
}

fn list(args: ListModules) -> anyhow::Result<()> {
    let answer = args.host.ask(Method::GET, "modules", |request| request)?;
    args.host.show(&answer, |answer| {
        let mut lines = vec![format!("generation {}", answer["generation"])];
        for module in items(&answer["modules"]) {
            let health = &module["health"];
            lines.push(format!(
                "{:12} {:10} {} calls {} traps {} timeouts {} limits {} p50 {} us p99 {} us",
                text(&module["name"]),
                text(&module["version"]),
                short(&module["digest"]),
                health["calls"],
                health["traps"],
                health["timeouts"],
                health["limits"],
                health["p50Us"],
                health["p99Us"],
            ));
        }
        for host in items(&answer["hosts"]) {
            let trouble = host["trouble"].as_str().map(|what| format!(": {what}")).unwrap_or_default();
            lines.push(format!("host {} runs {}{trouble}", text(&host["name"]), host["generation"]));
        }
        lines.extend(items(&answer["upgrades"]).map(|upgrade| describe_backfill(upgrade, &answer["hosts"])));
        lines.extend(items(&answer["listeners"]).map(describe_listener));
        lines.extend(items(&answer["timers"]).map(describe_timer));
        lines.join("\n")
    })
}

/// The companies whose committed events a module has not received.
fn describe_listener(listener: &Json) -> String {
    let behind = &listener["companiesBehind"];
    format!("listener {}: {behind} companies behind", text(&listener["module"])) + &describe_trouble(listener)
}

/// The round of a timer, and the companies that it left behind.
fn describe_timer(timer: &Json) -> String {
    let (companies, until) = (&timer["companies"], text(&timer["until"]));
    let mut line = format!("timer {} of {}: ", text(&timer["timer"]), text(&timer["module"]));
    line += &match timer["isDue"] == true {
        true => format!("round until {until}, company {} of {}", companies["reached"], companies["all"]),
        false => format!("next round at {until}"),
    };
    if timer["lagging"].as_u64() > Some(0) {
        line += &format!(", {} companies lag", timer["lagging"]);
    }
    line + &describe_trouble(timer)
}

/// The failures of the company that has the most in a row.
fn describe_trouble(item: &Json) -> String {
    match item["trouble"].as_str() {
        None => String::new(),
        Some(trouble) => format!(
            "; {} companies in trouble; failures: {}, next try {}: {trouble}",
            item["companiesInTrouble"],
            item["tries"],
            text(&item["retryAt"])
        ),
    }
}

/// The progress of a backfill, and what keeps it from its end.
fn describe_backfill(backfill: &Json, hosts: &Json) -> String {
    let companies = &backfill["companies"];
    let mut line = format!("backfill of {} to {}: ", text(&backfill["module"]), text(&backfill["to"]));
    if !backfill["doneAt"].is_null() {
        return line + &format!("done, {} batches", backfill["batches"]);
    }
    line += &format!("company {} of {}, {} batches", companies["reached"], companies["all"], backfill["batches"]);
    if backfill["tries"].as_u64() > Some(0) {
        line += &format!("; failures: {}", backfill["tries"]);
    }
    if let Some(trouble) = backfill["trouble"].as_str() {
        line += &format!(", next try {}: {trouble}", text(&backfill["retryAt"]));
    }
    let generation = backfill["generation"].as_u64();
    for host in items(hosts).filter(|host| host["generation"].as_u64() < generation) {
        line += &format!("; waits for host {}, which runs generation {}", text(&host["name"]), host["generation"]);
    }
    line
}
