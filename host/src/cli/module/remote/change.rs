//! The verbs that change what runs on a host, and those that show the change.

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{Host, items, text};
use crate::cli::module::offline::{self, RollbackTarget};

#[derive(Subcommand)]
pub enum ChangeVerb {
    /// Print the changes that pushed modules would bring.
    #[command(after_help = "Example: stoa module diff DIGEST")]
    Diff(Diff),
    /// Activate pushed modules, all in one generation or none.
    #[command(after_help = "Example: stoa module activate DIGEST --allow ROUTE_REMOVED")]
    Activate(Activate),
    /// Deactivate modules, all or none. Fails if other modules import one of them. Their data remains.
    #[command(after_help = "Example: stoa module deactivate loyalty")]
    Deactivate(Deactivate),
    /// Roll back one module, or all modules to an earlier generation. Withdraws the modules that it removes.
    #[command(after_help = "Example: stoa module rollback loyalty")]
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
    /// Fail unless this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
    /// Also activate modules that a rollback withdrew.
    #[arg(long)]
    again: bool,
}

#[derive(clap::Args)]
pub struct Diff {
    /// The modules' digests, as `push` prints them; a unique prefix is enough.
    #[arg(required = true, value_name = "DIGEST")]
    digests: Vec<String>,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Activate {
    /// The modules' digests, as `push` prints them; a unique prefix is enough.
    #[arg(required = true, value_name = "DIGEST")]
    digests: Vec<String>,
    #[command(flatten)]
    options: ActivationOptions,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Deactivate {
    /// The module's name.
    name: String,
    /// Modules to deactivate together with it: modules that need it, or that have no trusted signer either.
    others: Vec<String>,
    /// Fail unless this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Rollback {
    /// The module to roll back to its last version that was not withdrawn, or the number of the generation to restore.
    /// By default, the newest generation with other modules that are all signed by trusted signers and not withdrawn.
    #[arg(value_name = "MODULE|GENERATION")]
    target: Option<String>,
    /// Fail unless this generation is the active one.
    #[arg(long)]
    expected_generation: Option<u64>,
    /// Also restore modules that a rollback withdrew.
    #[arg(long)]
    again: bool,
    /// Work on the database directly, if no host starts.
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
    /// Show only generations before this number.
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
    let digests = find_digests(&args.host, &args.digests)?;
    if let [digest] = &digests[..] {
        let answer = args.host.ask(Method::GET, &format!("modules/{digest}/diff"), |request| request)?;
        return args.host.show(&answer, describe_changes);
    }
    let path = format!("activations?digests={}", digests.join(","));
    let answer = args.host.ask(Method::GET, &path, |request| request)?;
    args.host.show(&answer, |answer| {
        let mut lines: Vec<String> =
            items(&answer["modules"]).map(|it| format!("{}:\n{}", text(&it["name"]), text(&it["text"]))).collect();
        if let Json::Object(rejection) = &answer["rejection"] {
            lines.push(format!("the host rejects an activation: {}", text(&rejection["detail"])));
        }
        lines.join("\n")
    })
}

fn activate(args: Activate) -> anyhow::Result<()> {
    let digests = find_digests(&args.host, &args.digests)?;
    activate_set(&args.host, &digests, &args.options)
}

fn find_digests(host: &Host, prefixes: &[String]) -> anyhow::Result<Vec<String>> {
    prefixes.iter().map(|prefix| host.whole(prefix)).collect()
}

/// Makes a module that the host has the active one of its name.
pub(super) fn activate_digest(host: &Host, digest: &str, options: &ActivationOptions) -> anyhow::Result<()> {
    activate_set(host, &[digest.to_owned()], options)
}

fn activate_set(host: &Host, digests: &[String], options: &ActivationOptions) -> anyhow::Result<()> {
    let body = json!({
        "digests": digests,
        "allow": options.allow,
        "expectedGeneration": options.expected_generation,
        "again": options.again,
    });
    let answer = host.ask(Method::POST, "activations", |request| request.json(&body))?;
    host.show(&answer, describe_activation)
}

fn deactivate(args: Deactivate) -> anyhow::Result<()> {
    let body = json!({ "expectedGeneration": args.expected_generation, "others": args.others });
    let path = format!("modules/{}/deactivate", args.name);
    let answer = args.host.ask(Method::POST, &path, |request| request.json(&body))?;
    args.host.show(&answer, describe_activation)
}

fn rollback(args: Rollback) -> anyhow::Result<()> {
    let target = match args.target {
        None => RollbackTarget::Newest,
        Some(target) => match target.parse() {
            Ok(number) => RollbackTarget::Generation(number),
            Err(_) => RollbackTarget::Module(target),
        },
    };
    if args.offline {
        let flags = offline::Flags { data_dir: args.host.data_dir.clone(), database_url: args.database_url };
        let answer = offline::rollback(&flags, &target, args.expected_generation, args.again)?;
        return args.host.show(&answer, describe_activation);
    }
    let path = match target {
        RollbackTarget::Newest => "rollback".to_owned(),
        RollbackTarget::Generation(number) => format!("generations/{number}/activate"),
        RollbackTarget::Module(name) => format!("modules/{name}/rollback"),
    };
    let body = json!({ "expectedGeneration": args.expected_generation, "again": args.again });
    let answer = args.host.ask(Method::POST, &path, |request| request.json(&body))?;
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
                (_, Json::Number(restores)) => format!(" to {restores}"),
                (Json::String(module), _) => format!(" {module}"),
                _ => String::new(),
            };
            let reason = item["reason"].as_str().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let withdrawn: Vec<&str> = items(&item["withdrawn"]).map(text).collect();
            let mark = match withdrawn.is_empty() {
                true => String::new(),
                false => format!("  withdrawn: {}", withdrawn.join(", ")),
            };
            format!(
                "{} {} {} {}{what}{reason}: {}{mark}",
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

/// The changes, after all for which the host would reject an activation.
pub fn describe_changes(answer: &Json) -> String {
    let conflicts: Vec<&str> = items(&answer["conflicts"]).map(text).collect();
    match conflicts.is_empty() {
        true => text(&answer["text"]).to_owned(),
        false => {
            format!(
                "conflicts, the host rejects an activation:\n  {}\n{}",
                conflicts.join("\n  "),
                text(&answer["text"])
            )
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

pub(super) fn describe_activation(answer: &Json) -> String {
    let mut lines = vec![format!("generation {}", answer["generation"])];
    for module in items(&answer["modules"]) {
        lines.push(format!("{}:\n{}", text(&module["name"]), text(&module["text"])));
    }
    lines.extend(items(&answer["tables"]).map(|change| format!("table {}", text(change))));
    lines.join("\n")
}
