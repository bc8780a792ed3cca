//! The answer to an operator, and the audit entry of a request that did nothing.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::Console;
use crate::database::Error;
use crate::deployment::records::Digest;
use crate::deployment::{DeploymentError, audit};
use crate::gate::diff::Change;
use crate::gate::refusal::Refusal;

/// To the end, whether or not the operator stays on the line.
pub(super) async fn apart<T: Send + 'static>(
    work: impl Future<Output = Result<T, DeploymentError>> + Send + 'static,
) -> Result<T, DeploymentError> {
    tokio::spawn(work)
        .await
        .unwrap_or_else(|error| Err(Error::Fault(format!("an operator's request panicked: {error}")).into()))
}

pub(super) async fn note(
    console: &Console,
    by: &str,
    operation: &'static str,
    refused: &DeploymentError,
    mut metadata: Json,
) {
    metadata["detail"] = json!(refused.to_string());
    write_audit(console, by, operation, code(refused).1, metadata).await;
}

pub(super) async fn write_audit(console: &Console, by: &str, operation: &'static str, result: &str, metadata: Json) {
    let entry = audit::OperatorEntry { actor: by.to_string(), operation, result: result.to_string(), metadata };
    if let Err(error) = audit::note(&console.deployment.database, entry).await {
        tracing::error!(%error, operation, "an operator's request cannot be recorded");
    }
}

pub(super) fn parse_body<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Refusal> {
    if body.is_empty() {
        Ok(T::default())
    } else {
        serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))
    }
}

pub(super) fn invalid(why: &str) -> Refusal {
    Refusal::new("VALIDATION_FAILED", why)
}

pub(super) fn digest_of(text: &str) -> Result<Digest, DeploymentError> {
    hex::decode(text).ok().and_then(|digest| digest.try_into().ok()).ok_or(DeploymentError::NotFound("module"))
}

/// The result of an operation, as a response.
pub(super) struct Answer(pub Result<(StatusCode, Json), DeploymentError>);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        match self.0 {
            Ok((status, body)) => json_response(status, "application/json", &body),
            Err(refused) => {
                let (status, code) = code(&refused);
                let changes: &[Change] = match &refused {
                    DeploymentError::Refusal(refusal) => &refusal.changes,
                    _ => &[],
                };
                let detail = match &refused {
                    DeploymentError::Refusal(refusal) => refusal.detail.clone(),
                    other => other.to_string(),
                };
                problem(status, code, &detail, changes)
            }
        }
    }
}

pub(super) fn code(refused: &DeploymentError) -> (StatusCode, &'static str) {
    match refused {
        DeploymentError::NotFound(_) => (StatusCode::NOT_FOUND, "NOT_FOUND"),
        DeploymentError::Database(
            Error::Conflict(_) | Error::CommitUnknown(_) | Error::Unavailable(_) | Error::Full(_),
        ) => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
        DeploymentError::Database(_) => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
        DeploymentError::Refusal(Refusal { code, status, .. }) => (*status, code),
    }
}

/// As on the public side, with the changes item by item: an operator may see all of it.
pub fn problem(status: StatusCode, code: &str, detail: &str, changes: &[Change]) -> Response {
    let title = status.canonical_reason().unwrap_or("Error");
    let body = json!({
        "type": "about:blank",
        "title": title,
        "status": status.as_u16(),
        "detail": detail,
        "code": code,
        "requestId": Uuid::now_v7(),
        "errors": [],
        "changes": changes,
    });
    json_response(status, "application/problem+json", &body)
}

pub(super) fn json_response(status: StatusCode, kind: &'static str, body: &Json) -> Response {
    (status, [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], Body::from(body.to_string()))
        .into_response()
}
