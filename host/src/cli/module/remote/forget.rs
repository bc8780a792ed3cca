//! `stoa module forget`: the end of a module with its data.

use clap::Subcommand;
use reqwest::Method;
use serde_json::json;

use super::{Host, items, text};

#[derive(Subcommand)]
pub enum ForgetVerb {
    /// Drop the tables of an inactive module on a --dev host, with the rows of every company.
    #[command(after_help = "Example: stoa module forget loyalty --with-data")]
    Forget(Forget),
}

#[derive(clap::Args)]
pub struct Forget {
    /// The module's name.
    name: String,
    /// Confirm that its rows are lost.
    #[arg(long, required = true)]
    with_data: bool,
    #[command(flatten)]
    host: Host,
}

pub fn run(verb: ForgetVerb) -> anyhow::Result<()> {
    match verb {
        ForgetVerb::Forget(args) => forget(args),
    }
}

fn forget(args: Forget) -> anyhow::Result<()> {
    let path = format!("modules/{}/forget", args.name);
    let body = json!({ "withData": args.with_data });
    let answer = args.host.ask(Method::POST, &path, |request| request.json(&body))?;
    args.host.show(&answer, |answer| {
        let collections: Vec<&str> = items(&answer["collections"]).map(text).collect();
        format!("{} is forgotten with {}", text(&answer["name"]), collections.join(", "))
    })
}
