//! The change of what runs: modules come or go, or what ran earlier comes back.

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
use crate::deployment::records::{Cause, Digest};
use crate::deployment::{Activated, ActivationRequest, DeploymentError};
use crate::gate::diff;

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/operator/modules/{module}/activate", post(activate))
        .route("/operator/activations", post(activate_set))
        .route("/operator/modules/{module}/deactivate", post(deactivate))
        .route("/operator/modules/{module}/rollback", post(roll_back_module))
        .route("/operator/rollback", post(roll_back))
        .route("/operator/generations/{number}/activate", post(restore))
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Activation {
    expected_generation: Option<u64>,
    /// Codes of breaking changes that are meant.
    allow: BTreeSet<String>,
    /// What was withdrawn is meant, too.
    again: bool,
}

impl Activation {
    fn request(self, by: &str) -> ActivationRequest {
        let Activation { expected_generation: expected, allow, again } = self;
        ActivationRequest { by: by.to_string(), expected, allow, again }
    }
}

/// The same of several modules.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct SetActivation {
    digests: Vec<String>,
    expected_generation: Option<u64>,
    allow: BTreeSet<String>,
    again: bool,
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
        apart(async move { deployment.activate(&[digest], &request).await }).await
    };
    finish(&console, &by, "activateModule", activated.await, json!({ "digest": digest })).await
}

/// All of them in one generation, or none.
async fn activate_set(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let mut named = json!([]);
    let activated = async {
        let SetActivation { digests, expected_generation, allow, again } = parse_body(&body)?;
        named = json!(digests);
        let request = Activation { expected_generation, allow, again }.request(&by);
        let digests = digests.iter().map(|digest| digest_of(digest)).collect::<Result<Vec<Digest>, _>>()?;
        apart(async move { deployment.activate(&digests, &request).await }).await
    };
    finish(&console, &by, "activateModule", activated.await, json!({ "digests": named })).await
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
    finish(&console, &by, "deactivateModule", deactivated.await, json!({ "module": name })).await
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
        apart(async move { deployment.restore(number, &request, Cause::Rollback, None, None).await }).await
    };
    finish(&console, &by, "activateGeneration", restored.await, json!({ "generation": number })).await
}

/// The host chooses the generation: it knows what was withdrawn.
async fn roll_back(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let went = async {
        let request = parse_body::<Activation>(&body)?.request(&by);
        apart(async move { deployment.go_back(&request, Cause::Rollback, None, None).await }).await
    };
    finish(&console, &by, "activateGeneration", went.await, json!({})).await
}

/// One module goes back, the others stay.
async fn roll_back_module(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    Path(name): Path<String>,
    body: Bytes,
) -> Answer {
    let deployment = console.deployment.clone();
    let went = async {
        let (request, name) = (parse_body::<Activation>(&body)?.request(&by), name.clone());
        apart(async move { deployment.retreat(&name, &request, Cause::Rollback, None).await }).await
    };
    finish(&console, &by, "rollbackModule", went.await, json!({ "module": name })).await
}

/// The answer; a request that did nothing leaves an audit entry with `metadata`.
async fn finish(
    console: &Console,
    by: &str,
    operation: &'static str,
    done: Result<Activated, DeploymentError>,
    metadata: Json,
) -> Answer {
    if let Err(refused) = &done {
        note(console, by, operation, refused, metadata).await;
    }
    Answer(done.map(|activated| (StatusCode::OK, activation(&activated))))
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
