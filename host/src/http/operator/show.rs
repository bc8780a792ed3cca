//! The modules that run here and on the other hosts, and those that could.

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::StatusCode;
use serde_json::{Value as Json, json};

use super::Console;
use super::answer::Answer;
use crate::database::Shard;
use crate::deployment::{Deployment, DeploymentError, backfills, extensions_shown, follow, records};

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/modules", get(modules))
}

async fn modules(State(console): State<Console>) -> Answer {
    Answer(show_deployment(&console.deployment).await.map(|body| (StatusCode::OK, body)))
}

async fn show_deployment(deployment: &Deployment) -> Result<Json, DeploymentError> {
    let generation = deployment.current.load_full();
    let active = generation.number;
    let rows = deployment.database.read_plain(Shard::Global, active, |session, active| {
        Box::pin(async move {
            let now = session.now().await?;
            let newest = records::newest(session).await?;
            let hosts = records::hosts(session, now - follow::SILENCE).await?;
            let upgrades = backfills::list(session, *active).await?;
            Ok((newest, hosts, upgrades, records::list_artifacts(session).await?))
        })
    });
    let (newest, hosts, upgrades, artifacts) = rows.await?;
    let upgrades = backfills::add_places(&deployment.database, active, upgrades).await?;
    let listeners = extensions_shown::list_listeners(&deployment.database, &generation).await?;
    let timers = extensions_shown::list_rounds(&deployment.database, &generation).await?;
    let modules: Vec<Json> = generation
        .modules
        .iter()
        .map(|module| {
            json!({
                "name": module.name,
                "version": module.version,
                "digest": hex::encode(module.digest),
                "signer": module.signer,
                "size": module.size,
                "health": module.health.report(),
            })
        })
        .collect();
    Ok(json!({
        "generation": newest,
        "host": { "id": deployment.host.id, "name": deployment.host.name, "generation": active },
        "modules": modules,
        "hosts": hosts,
        "upgrades": upgrades,
        "listeners": listeners,
        "timers": timers,
        "artifacts": artifacts,
    }))
}
