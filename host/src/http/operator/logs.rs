//! The lines that a module writes, and its failures, for operators: only those of this host.

use std::time::Duration;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::Console;
use super::answer::{Answer, invalid};
use crate::database::Error;
use crate::deployment::DeploymentError;
use crate::sandbox::journal::{find_journal, open_journal};

/// Longest wait for an entry, in seconds.
const LONGEST_WAIT: u64 = 20;

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/modules/{module}/logs", get(logs))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogsQuery {
    /// Number of the last entry that the operator has.
    #[serde(default)]
    after: u64,
    /// Seconds to wait where there is no entry after it.
    #[serde(default)]
    wait: u64,
}

async fn logs(
    State(console): State<Console>,
    Path(module): Path<String>,
    query: Result<Query<LogsQuery>, QueryRejection>,
) -> Answer {
    Answer(read_logs(&console, &module, query).await.map(|page| (StatusCode::OK, page)))
}

async fn read_logs(
    console: &Console,
    module: &str,
    query: Result<Query<LogsQuery>, QueryRejection>,
) -> Result<Json, DeploymentError> {
    let Query(LogsQuery { after, wait }) = query.map_err(|_| invalid("after and wait are numbers"))?;
    let runs = console.deployment.current.load().generation.module(module).is_some();
    let journal = if runs { Some(open_journal(module)) } else { find_journal(module) };
    let journal = journal.ok_or(DeploymentError::NotFound("module"))?;
    let page = journal.read_after(after, Duration::from_secs(wait.min(LONGEST_WAIT))).await;
    let mut answer = serde_json::to_value(page).map_err(|error| Error::Fault(error.to_string()))?;
    answer["host"] = json!(console.deployment.host.name);
    Ok(answer)
}
