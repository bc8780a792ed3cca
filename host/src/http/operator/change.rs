//! The change of what runs: a module comes or goes, or an earlier generation comes back.

use std::collections::BTreeSet;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::answer::{Answer, apart, digest_of, note, parse_body};
use super::{Console, Name};
use crate::deployment::records::Cause;
use crate::deployment::{Activated, ActivationRequest};
use crate::gate::diff;

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/operator/modules/{module}/activate", post(activate))
        .route("/operator/modules/{module}/deactivate", post(deactivate))
        .route("/operator/generations/{number}/activate", post(restore))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Activation {
    expected_generation: Option<u64>,
    /// Codes of breaking changes that are meant.
    allow: BTreeSet<String>,
}

impl Activation {
    fn request(self, by: &str) -> ActivationRequest {
        ActivationRequest { by: by.to_string(), expected: self.expected_generation, allow: self.allow }
    }
}

async fn activate(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    Path(digest): Path<String>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let activated = async {
        let (request, digest) = (parse_body::<Activation>(&body)?.request(&by), digest_of(&digest)?);
        apart(async move { deployment.activate(digest, &request).await }).await
    };
    let activated = activated.await;
    if let Err(refused) = &activated {
        note(&console, &by, "activateModule", refused, json!({ "digest": digest })).await;
    }
    Answer(activated.map(|activated| (StatusCode::OK, activation(&activated))))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Deactivation {
    expected_generation: Option<u64>,
    /// Modules that leave together with the one of the path.
    others: BTreeSet<String>,
}

/// By its name: a digest says what comes, a name what goes.
async fn deactivate(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    Path(name): Path<String>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let deactivated = async {
        let Deactivation { expected_generation, others: mut names } = parse_body(&body)?;
        let request = Activation { expected_generation, ..Activation::default() }.request(&by);
        names.insert(name.clone());
        apart(async move { deployment.deactivate(&names, &request).await }).await
    };
    let deactivated = deactivated.await;
    if let Err(refused) = &deactivated {
        note(&console, &by, "deactivateModule", refused, json!({ "module": name })).await;
    }
    Answer(deactivated.map(|deactivated| (StatusCode::OK, activation(&deactivated))))
}

async fn restore(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    Path(number): Path<u64>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let restored = async {
        let request = parse_body::<Activation>(&body)?.request(&by);
        apart(async move { deployment.restore(number, &request, Cause::Rollback, None).await }).await
    };
    let restored = restored.await;
    if let Err(refused) = &restored {
        note(&console, &by, "activateGeneration", refused, json!({ "generation": number })).await;
    }
    Answer(restored.map(|restored| (StatusCode::OK, activation(&restored))))
}

/// The result of an activation, as the operators' side answers it.
pub fn activation(activated: &Activated) -> Json {
    let modules: Vec<Json> = activated
        .changes
        .iter()
        .map(|(name, changes)| json!({ "name": name, "changes": changes, "text": diff::text(changes) }))
        .collect();
    json!({ "generation": activated.generation, "modules": modules, "tables": activated.tables })
}
