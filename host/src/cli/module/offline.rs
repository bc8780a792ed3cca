//! `stoa module rollback --offline`: the way back on the database itself, where no host starts that could be asked.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::Value as Json;
use uuid::Uuid;

use crate::cli;
use crate::database::{Database, Location, Shard};
use crate::deployment::records::{self, Cause};
use crate::deployment::{ActivationRequest, Deployment, HostIdentity, Release, trust};
use crate::http::operator::activation;
use crate::settings::Settings;

/// Actor of an offline activation.
const OFFLINE: &str = "system:offline";

#[derive(Serialize)]
pub struct Flags {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,
}

/// Goes back to a generation, or to the newest earlier one that the settings trust wholly and that can run.
pub fn rollback(flags: &Flags, target: Option<u64>, expected: Option<u64>) -> anyhow::Result<Json> {
    let settings = Settings::load(flags)?;
    cli::logging::start("warn", settings.log_format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let location = settings.database();
        if let Location::Sqlite(path) = location.location()? {
            anyhow::ensure!(path.exists(), "there is no database at {}", path.display());
        }
        let database = Arc::new(Database::open(&location, false).await?);
        let done = go_back(&settings, &database, target, expected).await;
        database.close();
        done
    })
}

async fn go_back(
    settings: &Settings,
    database: &Arc<Database>,
    target: Option<u64>,
    expected: Option<u64>,
) -> anyhow::Result<Json> {
    let gate = Arc::new(cli::gate_of_hosts(settings)?);
    let active = database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::newest(session))).await?;
    let active = active.context("the database records no generation")?;
    let targets = match target {
        Some(target) => vec![target],
        None => trust::find_trusted(database, &gate, active).await?.into_iter().map(|(number, _)| number).collect(),
    };
    let nothing = Release::link(&gate, 0, &[])?;
    let host = HostIdentity { id: Uuid::now_v7(), name: OFFLINE.into() };
    let deployment = Deployment::new(nothing, database.clone(), gate, settings.limits(), host);
    let request =
        ActivationRequest { by: OFFLINE.into(), expected: Some(expected.unwrap_or(active)), allow: Default::default() };
    let mut refused = anyhow::anyhow!("no earlier generation is wholly trusted");
    for target in targets {
        match deployment.restore(target, &request, Cause::Rollback, Some("offline".into())).await {
            Ok(restored) => return Ok(activation(&restored)),
            Err(why) => refused = anyhow::Error::from(why).context(format!("generation {target}")),
        }
    }
    Err(refused)
}
