//! A verification of companies' rows: it names rows that are broken, and none of their content.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use uuid::Uuid;

use super::answer::{Answer, code, invalid, write_audit};
use super::{Console, Name};
use crate::database::Error;
use crate::deployment::DeploymentError;
use crate::deployment::verify::{Verification, VerifyError, VerifyReport};

/// Companies of one verification.
const COMPANIES: usize = 100;
/// Longest wait for another verification, and longest time of one.
const VERIFY_WAIT: Duration = Duration::from_secs(60);
const VERIFY_TIME: Duration = Duration::from_secs(300);

pub(super) fn routes() -> Router<Console> {
    Router::new().route("/operator/verify", post(verify))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct VerifyBody {
    tenant_ids: BTreeSet<Uuid>,
}

/// It ends with the connection of the operator: nothing is half done.
async fn verify(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    body: Bytes,
) -> Answer {
    let verified = verify_companies(&console, &body).await;
    let (result, metadata) = match &verified {
        Ok((tenants, report)) => {
            let findings = report.findings.len();
            ("SUCCESS", json!({ "tenantIds": tenants, "findings": findings, "unfinished": report.unfinished.len() }))
        }
        Err(refused) => (code(refused).1, json!({ "detail": refused.to_string() })),
    };
    write_audit(&console, &by, "verify", result, metadata).await;
    Answer(verified.map(|(_, report)| (StatusCode::OK, report.to_json())))
}

async fn verify_companies(console: &Console, body: &[u8]) -> Result<(BTreeSet<Uuid>, VerifyReport), DeploymentError> {
    let VerifyBody { tenant_ids } = serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))?;
    if tenant_ids.is_empty() || tenant_ids.len() > COMPANIES {
        return Err(invalid(&format!("tenantIds holds 1 to {COMPANIES} companies")).into());
    }
    let Ok(_lock) = timeout(VERIFY_WAIT, console.verifying.lock()).await else {
        return Err(Error::Unavailable("another verification runs: try again later".into()).into());
    };
    let deployment = &console.deployment;
    let edition = deployment.current.load_full();
    let verification = Verification {
        database: &deployment.database,
        modules: &edition.generation.modules,
        limits: deployment.limits.for_heavy_read(),
        deadline: Some(Instant::now() + VERIFY_TIME),
    };
    match verification.verify(&tenant_ids).await {
        Ok(report) => Ok((tenant_ids, report)),
        Err(VerifyError::UnknownCompany(_)) => Err(DeploymentError::NotFound("company")),
        Err(VerifyError::Database(error)) => Err(error.into()),
    }
}
