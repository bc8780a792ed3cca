//! The change of what runs: modules come or go, or what ran earlier comes back.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{FromRequest, Path, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, RequestExt as _, Router};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::answer::{Answer, apart, digest_of, note, parse_body};
use super::{Console, Name};
use crate::deployment::records::{Cause, Digest};
use crate::deployment::{Activated, ActivationRequest, Deployment, DeploymentError};
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
    /// Codes of breaking changes that are intended.
    allow: BTreeSet<String>,
    /// Modules that were withdrawn may come back.
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

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Deactivation {
    expected_generation: Option<u64>,
    /// Modules that leave together with the one of the path.
    others: BTreeSet<String>,
}

/// A request for a change: whose, and with what body.
pub(super) struct ChangeRequest {
    console: Console,
    by: String,
    body: Bytes,
}

impl FromRequest<Console> for ChangeRequest {
    type Rejection = Response;

    async fn from_request(mut request: Request, console: &Console) -> Result<ChangeRequest, Response> {
        let Extension(Name(by)) =
            request.extract_parts::<Extension<Name>>().await.map_err(IntoResponse::into_response)?;
        let body = Bytes::from_request(request, console).await.map_err(IntoResponse::into_response)?;
        Ok(ChangeRequest { console: console.clone(), by, body })
    }
}

impl ChangeRequest {
    /// Makes the change to its end, and answers it; one that did nothing leaves an audit entry with `metadata`.
    /// `change`: of the deployment, by the operator, as the body has it.
    pub(super) async fn answer<B, F>(
        self,
        operation: &'static str,
        metadata: Json,
        change: impl FnOnce(Arc<Deployment>, &str, B) -> Result<F, DeploymentError>,
    ) -> Answer
    where
        B: DeserializeOwned + Default,
        F: Future<Output = Result<Activated, DeploymentError>> + Send + 'static,
    {
        let ChangeRequest { console, by, body } = self;
        let body = parse_body(&body).map_err(DeploymentError::from);
        let made = match body.and_then(|body| change(console.deployment.clone(), &by, body)) {
            Ok(change) => apart(change).await,
            Err(refused) => Err(refused),
        };
        if let Err(refused) = &made {
            note(&console, &by, operation, refused, metadata).await;
        }
        Answer(made.map(|activated| (StatusCode::OK, activation(&activated))))
    }
}

async fn activate(Path(digest): Path<String>, request: ChangeRequest) -> Answer {
    let metadata = json!({ "digest": digest });
    let answer = request.answer("activateModule", metadata, move |deployment, by, body: Activation| {
        let (digest, request) = (digest_of(&digest)?, body.request(by));
        Ok(async move { deployment.activate(&[digest], &request).await })
    });
    answer.await
}

/// All of them in one generation, or none.
async fn activate_set(request: ChangeRequest) -> Answer {
    let named = parse_body::<SetActivation>(&request.body).unwrap_or_default().digests;
    let answer = request.answer("activateModule", json!({ "digests": named }), |deployment, by, body| {
        let SetActivation { digests, expected_generation, allow, again } = body;
        let request = Activation { expected_generation, allow, again }.request(by);
        let digests = digests.iter().map(|digest| digest_of(digest)).collect::<Result<Vec<Digest>, _>>()?;
        Ok(async move { deployment.activate(&digests, &request).await })
    });
    answer.await
}

/// By its name: a digest says what comes, a name what goes.
async fn deactivate(Path(name): Path<String>, request: ChangeRequest) -> Answer {
    let metadata = json!({ "module": name });
    let answer = request.answer("deactivateModule", metadata, move |deployment, by, body| {
        let Deactivation { expected_generation, others: mut names } = body;
        let request = Activation { expected_generation, ..Activation::default() }.request(by);
        names.insert(name);
        Ok(async move { deployment.deactivate(&names, &request).await })
    });
    answer.await
}

async fn restore(Path(number): Path<u64>, request: ChangeRequest) -> Answer {
    let metadata = json!({ "generation": number });
    let answer = request.answer("activateGeneration", metadata, move |deployment, by, body: Activation| {
        let request = body.request(by);
        Ok(async move { deployment.restore(number, &request, Cause::Rollback, None, None).await })
    });
    answer.await
}

/// The host chooses the generation: it has the list of the withdrawn versions.
async fn roll_back(request: ChangeRequest) -> Answer {
    let answer = request.answer("activateGeneration", json!({}), |deployment, by, body: Activation| {
        let request = body.request(by);
        Ok(async move { deployment.go_back(&request, Cause::Rollback, None, None).await })
    });
    answer.await
}

/// One module goes back, the others stay.
async fn roll_back_module(Path(name): Path<String>, request: ChangeRequest) -> Answer {
    let metadata = json!({ "module": name });
    let answer = request.answer("rollbackModule", metadata, move |deployment, by, body: Activation| {
        let request = body.request(by);
        Ok(async move { deployment.retreat(&name, &request, Cause::Rollback, None).await })
    });
    answer.await
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
