//! The verbs that change what runs on a host, and those that show the change.

use anyhow::Context as _;
use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{Host, items, text};
use crate::cli::module::offline;

#[derive(Subcommand)]
pub enum ChangeVerb {
    /// Print the changes that a pushed module would bring.
    #[command(after_help = "Example: stoa module diff DIGEST")]
    Diff(Diff),
    /// Activate a pushed module.
    #[command(after_help = "Example: stoa module activate DIGEST --allow ROUTE_REMOVED")]
    Activate(Activate),
    /// Deactivate modules, all or none. Fails if other modules import one of them. Their data remains.
    #[command(after_help = "Example: stoa module deactivate loyalty")]
    Deactivate(Deactivate),
    /// Roll back to an earlier generation, by default the previous one.
    #[command(after_help = "Example: stoa module rollback")]
    Rollback(Rollback),
    /// List every generation with its operator, time and modules.
    #[command(after_help = "Example: stoa module history")]
    History(History),
}

#[derive(clap::Args)]
pub struct ActivationOptions {
    /// Allow this breaking change (a code such as ROUTE_REMOVED); repeatable.
    #[arg(long = "allow", value_name = "CODE")]
    allow: Vec<String>,
    /// Only if this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
}

#[derive(clap::Args)]
pub struct Diff {
    /// The module's digest, as `push` prints it; a unique prefix is enough.
    digest: String,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Activate {
    /// The module's digest, as `push` prints it; a unique prefix is enough.
    digest: String,
    #[command(flatten)]
    options: ActivationOptions,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Deactivate {
    /// The module's name.
    name: String,
    /// Modules to deactivate together with it: those that need it, or whose signer is not trusted either.
    others: Vec<String>,
    /// Only if this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Rollback {
    /// The generation to restore; by default the previous one.
    generation: Option<u64>,
    #[arg(long)]
    expected_generation: Option<u64>,
    /// Work on the database directly, if no host starts. By default, restores the newest generation whose signers are all trusted.
    #[arg(long)]
    offline: bool,
    /// With --offline, `sqlite:PATH` or `postgres://...`: the database of the hosts.
    #[arg(long, requires = "offline")]
    database_url: Option<String>,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct History {
    /// Generations before this one.
    #[arg(long)]
    before: Option<u64>,
    #[command(flatten)]
    host: Host,
}

pub fn run(verb: ChangeVerb) -> anyhow::Result<()> {
    match verb {
        ChangeVerb::Diff(args) => diff(args),
        ChangeVerb::Activate(args) => activate(args),
        ChangeVerb::Deactivate(args) => deactivate(args),
        ChangeVerb::Rollback(args) => rollback(args),
        ChangeVerb::History(args) => history(args),
    }
}

fn diff(args: Diff) -> anyhow::Result<()> {
    let digest = args.host.whole(&args.digest)?;
    let answer = args.host.ask(Method::GET, &format!("modules/{digest}/diff"), |request| request)?;
    args.host.show(&answer, describe_changes)
}

fn activate(args: Activate) -> anyhow::Result<()> {
    let digest = args.host.whole(&args.digest)?;
    activate_digest(&args.host, &digest, &args.options)
}

/// Makes a module that the host has the active one of its name.
pub(super) fn activate_digest(host: &Host, digest: &str, options: &ActivationOptions) -> anyhow::Result<()> {
    let body = json!({ "allow": options.allow, "expectedGeneration": options.expected_generation });
    let answer = host.ask(Method::POST, &format!("modules/{digest}/activate"), |request| request.json(&body))?;
    host.show(&answer, describe_activation)
}

fn deactivate(args: Deactivate) -> anyhow::Result<()> {
    let body = json!({ "expectedGeneration": args.expected_generation, "others": args.others });
    let path = format!("modules/{}/deactivate", args.name);
    let answer = args.host.ask(Method::POST, &path, |request| request.json(&body))?;
    args.host.show(&answer, describe_activation)
}

fn rollback(args: Rollback) -> anyhow::Result<()> {
    if args.offline {
        let flags = offline::Flags { data_dir: args.host.data_dir.clone(), database_url: args.database_url };
        let answer = offline::rollback(&flags, args.generation, args.expected_generation)?;
        return args.host.show(&answer, describe_activation);
    }
    let target = match args.generation {
        Some(target) => target,
        None => {
            let active = args.host.ask(Method::GET, "modules", |request| request)?;
            let active = active["generation"].as_u64().context("the host names no generation")?;
            anyhow::ensure!(active > 1, "generation 1 is the first: there is none before it");
            active - 1
        }
    };
    let body = json!({ "expectedGeneration": args.expected_generation });
    let answer =
        args.host.ask(Method::POST, &format!("generations/{target}/activate"), |request| request.json(&body))?;
    args.host.show(&answer, describe_activation)
}

fn history(args: History) -> anyhow::Result<()> {
    let before = args.before.map(|before| format!("?before={before}")).unwrap_or_default();
    let answer = args.host.ask(Method::GET, &format!("generations{before}"), |request| request)?;
    args.host.show(&answer, |answer| {
        let line = |item: &Json| {
            let modules: Vec<String> = items(&item["modules"])
                .map(|module| format!("{} {}", text(&module["name"]), text(&module["version"])))
                .collect();
            let what = match (&item["module"], &item["restores"]) {
                (Json::String(module), _) => format!(" {module}"),
                (_, Json::Number(restores)) => format!(" to {restores}"),
                _ => String::new(),
            };
            let reason = item["reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!(
                "{} {} {} {}{what}{reason}: {}",
                item["generation"],
                text(&item["activatedAt"]),
                text(&item["activatedBy"]),
                text(&item["cause"]),
                modules.join(", ")
            )
        };
        items(&answer["items"]).map(line).collect::<Vec<_>>().join("\n")
    })
}

/// The changes, after the claims for which the host would reject an activation.
pub fn describe_changes(answer: &Json) -> String {
    let conflicts: Vec<&str> = items(&answer["conflicts"]).map(text).collect();
    match conflicts.is_empty() {
        true => text(&answer["text"]).to_owned(),
        false => {
            format!("conflicts, no activation is possible:\n  {}\n{}", conflicts.join("\n  "), text(&answer["text"]))
        }
    }
}

/// All that a host says of a request that it rejects.
pub fn describe_rejection(answer: &Json) -> String {
    let changes: Vec<String> = items(&answer["changes"])
        .map(|change| format!("\n  {} {}: {}", text(&change["code"]), text(&change["item"]), text(&change["detail"])))
        .collect();
    format!("{}: {}{}", text(&answer["code"]), text(&answer["detail"]), changes.concat())
}

fn describe_activation(answer: &Json) -> String {
    let mut lines = vec![format!("generation {}", answer["generation"])];
    for module in items(&answer["modules"]) {
        lines.push(format!("{}:\n{}", text(&module["name"]), text(&module["text"])));
    }
    lines.extend(items(&answer["tables"]).map(|change| format!("table {}", text(change))));
    lines.join("\n")
}
