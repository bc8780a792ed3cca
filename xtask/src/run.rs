//! `run`: from a clone to a running service with something in it. Builds, starts, loads the demo company once, writes
//! the values that a shell needs to a file, and prints what to try.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::api::{Api, items, text};
use crate::program::{self, Stop};
use crate::workspace::Workspace;
use crate::{build_modules, demo};

mod api_key;
mod env_file;
mod tell;

/// The owner of the demo company.
const USER: &str = "alice@example.test";
const READY: &str = "stoa listening on ";
/// The loader sends more in its first minute than a person may.
const LIMIT: (&str, &str) = ("STOA_USER_REQUESTS_PER_MINUTE", "100000");
/// The receivers of webhooks on this machine that the service sends to: by default where `stoa webhook listen` listens.
const RECEIVER: (&str, &str) = ("STOA_WEBHOOK_DEV_TARGETS", "127.0.0.1:9000");
/// In the data folder: which company is the demo's, and whether it is complete.
const MARK: &str = "demo.json";

#[derive(clap::Args)]
pub struct Args {
    /// Start without the demo company
    #[arg(long)]
    no_demo: bool,
    /// Address of the public API
    #[arg(long, env = "STOA_LISTEN", default_value = "127.0.0.1:8080")]
    listen: String,
    /// `postgres://...` instead of SQLite in the data folder
    #[arg(long, env = "STOA_DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
    /// Folder of database, keys and settings; by default `data` in the workspace
    #[arg(long, env = "STOA_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// The output at the end of the start-up
    #[arg(long, value_enum, default_value = "text")]
    print: Print,
    /// Take the host and the modules of the last build
    #[arg(long)]
    built: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Print {
    Text,
    Json,
}

/// The values that a script needs to begin. A member that is not built yet is null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    url: String,
    docs_url: Option<String>,
    private_url: Option<String>,
    user_token: String,
    tenant_id: Option<String>,
    api_key: Option<String>,
    operator_token: Option<String>,
    /// `host:port` at which an endpoint may receive webhooks in plain text.
    webhook_receiver: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    tenant_id: String,
    complete: bool,
}

pub fn run(workspace: &Workspace, args: Args) -> Result<()> {
    let binary = build(workspace, args.built)?;
    let data = args.data_dir.clone().unwrap_or_else(|| workspace.root.join("data"));
    let serve = serve(workspace, &binary, &data, &args);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut stop = Stop::listen()?;
        let mut child = program::start(serve)?;
        let started = tokio::select! {
            started = start(&mut child, &binary, &data, &args) => started.map(Some),
            () = stop.wait_for_request() => Ok(None),
        };
        if !matches!(started, Ok(Some(()))) {
            program::terminate(&child);
        }
        let status = program::wait(&mut child, &mut stop).await?;
        started?;
        if !status.success() {
            bail!("stoa ended with {status}");
        }
        Ok(())
    })
}

/// The host; its modules are compiled for this machine.
fn build(workspace: &Workspace, is_built: bool) -> Result<PathBuf> {
    if is_built {
        return Ok(workspace.host_binary());
    }
    build_modules::modules(workspace)?;
    let binary = workspace.build_host(workspace.cargo(), &[])?;
    build_modules::precompile(workspace, &binary)?;
    Ok(binary)
}

fn serve(workspace: &Workspace, binary: &Path, data: &Path, args: &Args) -> Command {
    let mut command = Command::new(binary);
    command.args(["serve", "--dev"]).stdout(Stdio::piped());
    command.env("STOA_LISTEN", &args.listen).env("STOA_DATA_DIR", data);
    command.env("STOA_MODULES_DIR", build_modules::modules_folder(workspace));
    command.env("STOA_MODULE_CACHE_DIR", build_modules::compiled_folder(workspace));
    if let Some(url) = &args.database_url {
        command.env("STOA_DATABASE_URL", url);
    }
    if !args.no_demo && std::env::var_os(LIMIT.0).is_none() {
        command.env(LIMIT.0, LIMIT.1);
    }
    command.env(RECEIVER.0, list_receivers());
    command
}

/// The receivers on this machine that the service sends webhooks to.
fn list_receivers() -> String {
    let stated = std::env::var(RECEIVER.0).ok().filter(|stated| !stated.trim().is_empty());
    stated.unwrap_or_else(|| RECEIVER.1.to_owned())
}

/// From the started process to the printed summary.
async fn start(child: &mut Child, binary: &Path, data: &Path, args: &Args) -> Result<()> {
    let output = child.stdout.take().context("stoa has no output")?;
    let mut lines = BufReader::new(output).lines();
    let url = address(&mut lines).await?;
    // The rest of its output is not ours to keep.
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            eprintln!("{line}");
        }
    });
    let api = Api::new(&url, &token(binary, data)?)?;
    let mut tenant = company(&api).await?;
    if !args.no_demo {
        let demo = load(&api, tenant, &data.join(MARK)).await?;
        entitle(binary, data, args, &demo)?;
        tenant = Some(demo);
    }
    let started = Started {
        docs_url: check_address(&api, format!("{url}/v1/docs")).await,
        private_url: private_url(&api).await,
        operator_token: std::fs::read_to_string(data.join("operator.token")).ok().map(|text| text.trim().to_string()),
        api_key: match (&tenant, args.no_demo) {
            (Some(tenant), false) => {
                Some(api_key::read_or_issue(&api, tenant, data).await.context("cannot issue an API key")?)
            }
            _ => None,
        },
        user_token: api.token.clone(),
        tenant_id: tenant,
        webhook_receiver: list_receivers().split(',').next().unwrap_or_default().trim().to_owned(),
        url,
    };
    let file = env_file::write(&started, binary.parent().unwrap_or(binary), data)?;
    match args.print {
        Print::Json => println!("{}", serde_json::to_string(&started)?),
        Print::Text => print!("{}", tell::summary(&started, USER, &file, example(&api, &started).await)),
    }
    Ok(())
}

/// Waits for the line that says where it listens.
async fn address(lines: &mut Lines<BufReader<ChildStdout>>) -> Result<String> {
    while let Some(line) = lines.next_line().await? {
        if let Some(url) = line.strip_prefix(READY) {
            return Ok(url.trim().to_string());
        }
        eprintln!("{line}");
    }
    bail!("stoa ended before it listened")
}

fn token(binary: &Path, data: &Path) -> Result<String> {
    let mut command = Command::new(binary);
    command.args(["token", "--user", USER, "--ttl", "12h"]).env("STOA_DATA_DIR", data);
    Ok(program::output(&mut command)?.trim().to_string())
}

/// As an operator would: API keys of the demo company are served.
fn entitle(binary: &Path, data: &Path, args: &Args, tenant: &str) -> Result<()> {
    let mut command = Command::new(binary);
    command.args(["tenant", "entitle", tenant, "PUBLIC_API"]).env("STOA_DATA_DIR", data).env("STOA_DEV", "true");
    if let Some(url) = &args.database_url {
        command.env("STOA_DATABASE_URL", url);
    }
    program::output(&mut command).map(drop)
}

/// The user's first company, if there is one.
async fn company(api: &Api) -> Result<Option<String>> {
    let me = api.get("/v1/auth/me").await?;
    let memberships = me.get("memberships").and_then(|list| list.as_array()).context("a user without memberships")?;
    memberships.first().map(|membership| text(membership, "tenantId")).transpose()
}

/// Creates and loads the demo company on the first start; goes on where a start was stopped within it.
async fn load(api: &Api, company: Option<String>, mark: &Path) -> Result<String> {
    let marked = std::fs::read(mark).ok().and_then(|bytes| serde_json::from_slice::<Mark>(&bytes).ok());
    let tenant = match (company, marked) {
        (Some(company), Some(marked)) if !marked.complete && marked.tenant_id == company => company,
        (Some(company), _) => return Ok(company),
        (None, _) => demo::onboard(api).await.context("cannot create the demo company")?,
    };
    let write = |complete| {
        let marked = Mark { tenant_id: tenant.clone(), complete };
        std::fs::write(mark, serde_json::to_vec(&marked)?).with_context(|| format!("cannot write {}", mark.display()))
    };
    write(false)?;
    demo::resume(api, &tenant).await.context("cannot load the demo company")?;
    write(true)?;
    Ok(tenant)
}

/// A price to show: the ids of the retail list and of a variant on it.
async fn example(api: &Api, started: &Started) -> Option<(String, String)> {
    let lists = format!("/v1/tenants/{}/pricing/price-lists", started.tenant_id.as_deref()?);
    let page = api.get(&format!("{lists}?limit=100")).await.ok()?;
    let retail = items(&page).find(|list| list.get("code").is_some_and(|code| code == demo::RETAIL))?;
    let list = text(retail, "id").ok()?;
    let page = api.get(&format!("{lists}/{list}/prices?limit=1")).await.ok()?;
    let variant = text(items(&page).next()?, "variantId").ok()?;
    Some((list, variant))
}

async fn private_url(api: &Api) -> Option<String> {
    let address = std::env::var("STOA_PRIVATE_LISTEN").unwrap_or_else(|_| "127.0.0.1:9464".to_string());
    let url = format!("http://{address}");
    check_address(api, format!("{url}/metrics")).await.map(|_| url)
}

/// The address, if it answers: a part that is not built yet is not listed.
async fn check_address(api: &Api, address: String) -> Option<String> {
    api.answers(&address).await.then_some(address)
}
