//! The verbs of `stoa module` that call the private listener of a running host.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value as Json, json};

use super::{offline, sign};
use crate::deployment::development;
use crate::gate::artifact::{Artifact, admission_file};
use crate::http::operator::{ADMISSION, COMPILING};
use crate::settings::Settings;

/// The pause between two questions whether a push is done.
const POLL: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
struct Host {
    /// The private listener of a host.
    #[arg(long, env = "STOA_OPERATOR_URL", default_value = "http://127.0.0.1:9464")]
    operator_url: String,
    /// An operator's token; by default the file `operator.token` in the data folder.
    #[arg(long, env = "STOA_OPERATOR_TOKEN", hide_env_values = true)]
    operator_token: Option<String>,
    /// The host's data folder.
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// Print the host's response as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub struct ListModules {
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
pub struct Push {
    /// A component.
    file: PathBuf,
    /// Sign it with this key first. Without a key, FILE.admission.json must be next to it.
    #[arg(long)]
    key: Option<PathBuf>,
    /// Activate it as well.
    #[arg(long)]
    activate: bool,
    #[command(flatten)]
    options: ActivationOptions,
    #[command(flatten)]
    host: Host,
}

#[derive(clap::Args)]
struct ActivationOptions {
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

pub fn list(args: ListModules) -> anyhow::Result<()> {
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

pub fn push(args: Push) -> anyhow::Result<()> {
    let artifact = Artifact::read(&args.file)?;
    let admission = match &args.key {
        Some(key) => sign::admit(&artifact.bytes, key)?,
        None => artifact.admission.with_context(|| {
            format!("{} is not signed: `stoa module sign`, or --key", admission_file(&args.file).display())
        })?,
    };
    let admission = BASE64_STANDARD.encode(serde_json::to_vec(&admission)?);
    let mut pushed = args.host.ask(Method::POST, "modules", |request| {
        let request = request.header("content-type", "application/wasm").header("prefer", "respond-async");
        request.header(ADMISSION, admission).body(artifact.bytes)
    })?;
    if is_compiling(&pushed) {
        eprintln!("the host is compiling the module");
    }
    while is_compiling(&pushed) {
        std::thread::sleep(POLL);
        let path = format!("modules/{}", text(&pushed["digest"]));
        pushed = args.host.ask(Method::GET, &path, |request| request)?;
    }
    args.host.show(&pushed, |pushed| {
        let digest = text(&pushed["digest"]);
        format!("{} {} {digest}\n{}", text(&pushed["name"]), text(&pushed["version"]), describe_changes(pushed))
    })?;
    match args.activate {
        true => args.host.activate(text(&pushed["digest"]), &args.options),
        false => Ok(()),
    }
}

fn is_compiling(pushed: &Json) -> bool {
    pushed["status"] == COMPILING
}

pub fn diff(args: Diff) -> anyhow::Result<()> {
    let digest = args.host.whole(&args.digest)?;
    let answer = args.host.ask(Method::GET, &format!("modules/{digest}/diff"), |request| request)?;
    args.host.show(&answer, describe_changes)
}

pub fn activate(args: Activate) -> anyhow::Result<()> {
    let digest = args.host.whole(&args.digest)?;
    args.host.activate(&digest, &args.options)
}

pub fn deactivate(args: Deactivate) -> anyhow::Result<()> {
    let body = json!({ "expectedGeneration": args.expected_generation, "others": args.others });
    let path = format!("modules/{}/deactivate", args.name);
    let answer = args.host.ask(Method::POST, &path, |request| request.json(&body))?;
    args.host.show(&answer, describe_activation)
}

pub fn rollback(args: Rollback) -> anyhow::Result<()> {
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

pub fn history(args: History) -> anyhow::Result<()> {
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

impl Host {
    /// Asks the host; an answer that is no success is an error with all that it says.
    fn ask(
        &self,
        method: Method,
        path: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> anyhow::Result<Json> {
        let url = format!("{}/operator/{path}", self.operator_url.trim_end_matches('/'));
        let request =
            with(reqwest::Client::builder().no_proxy().build()?.request(method, &url).bearer_auth(self.token()?));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (status, body) = runtime.block_on(async {
            let response = request.send().await.with_context(|| format!("no host answers at {}", self.operator_url))?;
            let status = response.status();
            Ok::<_, anyhow::Error>((status, response.text().await?))
        })?;
        let answer: Json =
            serde_json::from_str(&body).with_context(|| format!("{url} answered {status}, and no JSON"))?;
        if status.is_success() {
            return Ok(answer);
        }
        if self.json {
            println!("{answer}");
        }
        let changes: Vec<String> = items(&answer["changes"])
            .map(|change| {
                format!("\n  {} {}: {}", text(&change["code"]), text(&change["item"]), text(&change["detail"]))
            })
            .collect();
        anyhow::bail!("{}: {}{}", text(&answer["code"]), text(&answer["detail"]), changes.concat())
    }

    fn token(&self) -> anyhow::Result<String> {
        if let Some(token) = &self.operator_token {
            return Ok(token.clone());
        }
        let folder = match &self.data_dir {
            Some(folder) => folder.clone(),
            None => Settings::load(json!({}))?.data_dir,
        };
        let file = development::operator_token_file(&folder);
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("no operator's token: STOA_OPERATOR_TOKEN, or {}", file.display()))?;
        Ok(text.trim().to_string())
    }

    /// The digest that begins so, of those that the host has.
    fn whole(&self, begins: &str) -> anyhow::Result<String> {
        let known = self.ask(Method::GET, "modules", |request| request)?;
        let known = items(&known["artifacts"]).map(|artifact| text(&artifact["digest"]).to_string());
        let fits: Vec<String> = known.filter(|digest| digest.starts_with(begins)).collect();
        match &fits[..] {
            [digest] => Ok(digest.clone()),
            [] => anyhow::bail!("the host has no module of this digest"),
            _ => anyhow::bail!("the host has {} modules whose digest begins so", fits.len()),
        }
    }

    fn activate(&self, digest: &str, options: &ActivationOptions) -> anyhow::Result<()> {
        let body = json!({ "allow": options.allow, "expectedGeneration": options.expected_generation });
        let answer = self.ask(Method::POST, &format!("modules/{digest}/activate"), |request| request.json(&body))?;
        self.show(&answer, describe_activation)
    }

    fn show(&self, answer: &Json, shown: impl FnOnce(&Json) -> String) -> anyhow::Result<()> {
        println!("{}", if self.json { answer.to_string() } else { shown(answer) });
        Ok(())
    }
}

/// The changes, after the claims for which the host would reject an activation.
fn describe_changes(answer: &Json) -> String {
    let conflicts: Vec<&str> = items(&answer["conflicts"]).map(text).collect();
    match conflicts.is_empty() {
        true => text(&answer["text"]).to_owned(),
        false => {
            format!("conflicts, no activation is possible:\n  {}\n{}", conflicts.join("\n  "), text(&answer["text"]))
        }
    }
}

fn describe_activation(answer: &Json) -> String {
    let mut lines = vec![format!("generation {}", answer["generation"])];
    for module in items(&answer["modules"]) {
        lines.push(format!("{}:\n{}", text(&module["name"]), text(&module["text"])));
    }
    lines.extend(items(&answer["tables"]).map(|change| format!("table {}", text(change))));
    lines.join("\n")
}

fn items(list: &Json) -> impl Iterator<Item = &Json> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

fn short(digest: &Json) -> &str {
    text(digest).get(..12).unwrap_or_default()
}
