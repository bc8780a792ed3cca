//! `stoa module list`: the modules of each host.

use clap::Subcommand;
use reqwest::Method;

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
        for upgrade in items(&answer["upgrades"]) {
            let state = if upgrade["doneAt"].is_null() { "under way" } else { "done" };
            lines.push(format!("backfill of {} to {}: {state}", text(&upgrade["module"]), text(&upgrade["to"])));
        }
        lines.join("\n")
    })
}
