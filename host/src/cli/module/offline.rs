//! `stoa module rollback --offline`: the way back on the database itself, where no host starts that could be asked.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use uuid::Uuid;

use crate::cli;
use crate::database::Database;
use crate::deployment::records::Cause;
use crate::deployment::{ActivationRequest, Deployment, Edition, HostIdentity};
use crate::http::operator::activation;
use crate::sandbox::Arrangement;
use crate::settings::Settings;

/// The goal of a rollback.
pub enum RollbackTarget {
    /// The newest good generation of other modules.
    Newest,
    Generation(u64),
    /// A module's last good version, among the others as they are.
    Module(String),
}

/// Actor of an offline activation.
const OFFLINE: &str = "system:offline";

#[derive(Serialize)]
pub struct Flags {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,
}

/// Goes back: a module, to a generation, or to the newest earlier one that the settings trust wholly, that was not
/// withdrawn and that can run.
pub fn rollback(flags: &Flags, target: &RollbackTarget, expected: Option<u64>, again: bool) -> anyhow::Result<Json> {
    let request = ActivationRequest { by: OFFLINE.into(), expected, allow: Default::default(), again };
    let settings = cli::logging::load_settings(flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let location = settings.database();
        location.existing_location()?;
        let database = Arc::new(Database::open(&location, false).await?);
        let done = go_back(&settings, &database, target, &request).await;
        database.close();
        done
    })
}

async fn go_back(
    settings: &Settings,
    database: &Arc<Database>,
    target: &RollbackTarget,
    request: &ActivationRequest,
) -> anyhow::Result<Json> {
    let gate = Arc::new(cli::gate_of_hosts(settings)?);
    let nothing = Edition::link(&gate, 0, &[], &Arrangement::new())?;
    let host = HostIdentity { id: Uuid::now_v7(), name: OFFLINE.into() };
    let deployment = Deployment::new(nothing, database.clone(), gate, settings.limits(), host);
    let (cause, reason) = (Cause::Rollback, Some("offline".into()));
    let done = match target {
        RollbackTarget::Generation(number) => deployment.restore(*number, request, cause, None, reason).await,
        RollbackTarget::Module(name) => deployment.retreat(name, request, cause, reason).await,
        RollbackTarget::Newest => deployment.go_back(request, cause, None, reason).await,
    };
    Ok(activation(&done?))
}
