//! The verbs of `stoa module` that call the private listener of a running host.

mod change;
mod forget;
mod list;
mod logs;
mod points;
mod push;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Subcommand;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value as Json, json};

use change::describe_rejection;

use crate::deployment::development;
use crate::settings::Settings;

#[derive(Subcommand)]
pub enum RemoteVerb {
    #[command(flatten)]
    List(list::ListVerb),
    #[command(flatten)]
    Push(push::PushVerb),
    #[command(flatten)]
    Change(change::ChangeVerb),
    #[command(flatten)]
    Points(points::PointsVerb),
    #[command(flatten)]
    Logs(logs::LogsVerb),
    #[command(flatten)]
    Forget(forget::ForgetVerb),
}

pub fn run(verb: RemoteVerb) -> anyhow::Result<()> {
    match verb {
        RemoteVerb::List(verb) => list::run(verb),
        RemoteVerb::Push(verb) => push::run(verb),
        RemoteVerb::Change(verb) => change::run(verb),
        RemoteVerb::Points(verb) => points::run(verb),
        RemoteVerb::Logs(verb) => logs::run(verb),
        RemoteVerb::Forget(verb) => forget::run(verb),
    }
}

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
        anyhow::bail!(describe_rejection(&answer))
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

    fn show(&self, answer: &Json, shown: impl FnOnce(&Json) -> String) -> anyhow::Result<()> {
        println!("{}", if self.json { answer.to_string() } else { shown(answer) });
        Ok(())
    }
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
