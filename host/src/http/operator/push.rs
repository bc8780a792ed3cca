//! A push: a component that an operator sends is vetted and kept, and activates nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::answer::{Answer, apart, digest_of, invalid, json_response, note};
use super::artifact::read_artifact;
use super::compare::describe_vetted;
use super::{Console, Name};
use crate::database::Error;
use crate::deployment::records::Digest;
use crate::deployment::{Deployment, DeploymentError};
use crate::gate::admission::{Admission, Signer, Statement};
use crate::gate::artifact::Artifact;
use crate::gate::refusal::Refusal;
use crate::gate::trust::Trust;
use crate::sandbox::Vetted;

/// The state of a push that is not yet done.
pub const COMPILING: &str = "COMPILING";
/// How long a push waits that may be answered with 202, by default and at most, and how many of these are kept.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_PATIENCE: Duration = Duration::from_secs(60);
const PUSHES: usize = 32;

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/operator/modules", post(push))
        .route("/operator/modules/{module}", get(push_result))
        .route("/operator/signers", post(judge_signer))
}

/// A signer who is asked about before a component is sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum SignerQuestion {
    /// As `stoa module keygen` prints it.
    Signer(String),
    /// The admission that would come with the component.
    Admission(Admission),
}

/// The entries of a signer whom this host trusts, or the refusal that a push of it would receive. A refusal is recorded
/// as one of a push: it ends one.
async fn judge_signer(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    body: Bytes,
) -> Answer {
    let question = serde_json::from_slice(&body).map_err(|error| invalid(&error.to_string()));
    let judged = question.and_then(|question| find_entries(&console.deployment.gate.trust.load(), &question));
    let judged = judged.map_err(DeploymentError::from);
    if let Err(refused) = &judged {
        note(&console, &by, "pushModule", refused, json!({})).await;
    }
    Answer(judged.map(|entries| (StatusCode::OK, json!({ "entries": entries }))))
}

fn find_entries(trust: &Trust, question: &SignerQuestion) -> Result<Vec<String>, Refusal> {
    let Trust::Signed { by, .. } = trust else { return Ok(Vec::new()) };
    let known = match question {
        SignerQuestion::Signer(signer) => signer.parse::<Signer>().map_err(|error| invalid(&error))?.to_string(),
        SignerQuestion::Admission(admission) => {
            let statement = serde_json::from_str::<Statement>(&admission.statement).ok();
            let digest = statement.and_then(|statement| hex::decode(statement.artifact).ok()?.try_into().ok());
            let digest: Digest =
                digest.ok_or_else(|| Refusal::new("SIGNATURE_MISSING", "the admission holds no statement"))?;
            admission.verify(&digest, by)?.1.to_string()
        }
    };
    let begin = format!("{known}:");
    let entries = by.iter().map(Signer::to_string);
    let entries: Vec<String> = entries.filter(|entry| *entry == known || entry.starts_with(&begin)).collect();
    match entries.is_empty() {
        true => {
            let what = format!("this host trusts no key {known}: its operators add it to STOA_TRUSTED_SIGNERS");
            Err(Refusal::new("SIGNER_UNTRUSTED", what).with_status(StatusCode::FORBIDDEN))
        }
        false => Ok(entries),
    }
}

/// A push is compiled to its end, whether or not the operator waits. With `Prefer: respond-async` the response comes within the
/// time of `wait`: the result, or 202 and the digest under which `GET` gives the result later.
async fn push(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let artifact = match read_artifact(&console, &headers, body).await {
        Ok(artifact) => artifact,
        Err(refused) => {
            note(&console, &by, "pushModule", &refused, json!({})).await;
            return Answer(Err(refused)).into_response();
        }
    };
    let (patience, digest) = (read_patience(&headers), artifact.digest);
    let pushing = console.clone();
    let mut work = tokio::spawn(async move {
        let pushed = receive(&pushing.deployment, &by, artifact).await;
        if let Err(refused) = &pushed {
            note(&pushing, &by, "pushModule", refused, json!({})).await;
        }
        Answer(pushed)
    });
    if let Some(patience) = patience {
        match timeout(patience, &mut work).await {
            Ok(done) => return finish_push(done),
            Err(_) => match console.pushes.keep(digest, work) {
                None => return describe_compiling(&digest),
                Some(kept) => work = kept,
            },
        }
    }
    finish_push(work.await)
}

/// The result of a push that was answered with 202: once, to the first who asks after its end.
async fn push_result(State(console): State<Console>, Path(digest): Path<String>) -> Response {
    let found = digest_of(&digest).map(|digest| (digest, console.pushes.take(&digest)));
    match found {
        Ok((digest, Some(Progress::Compiling))) => describe_compiling(&digest),
        Ok((_, Some(Progress::Done(work)))) => finish_push(work.await),
        Ok((_, None)) | Err(_) => Answer(Err(DeploymentError::NotFound("push under way"))).into_response(),
    }
}

fn finish_push(done: Result<Answer, tokio::task::JoinError>) -> Response {
    let panicked = |error| Answer(Err(Error::Fault(format!("an operator's request panicked: {error}")).into()));
    done.unwrap_or_else(panicked).into_response()
}

fn describe_compiling(digest: &Digest) -> Response {
    let body = json!({ "status": COMPILING, "digest": hex::encode(digest) });
    let mut response = json_response(StatusCode::ACCEPTED, "application/json", &body);
    response.headers_mut().insert("preference-applied", HeaderValue::from_static("respond-async"));
    response
}

/// `Prefer: respond-async, wait=10` (RFC 7240): how long the operator waits for a response that is not a result.
/// `None`: to the end.
fn read_patience(headers: &HeaderMap) -> Option<Duration> {
    let listed = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let preferences: Vec<&str> = listed.flat_map(|value| value.split(',')).map(str::trim).collect();
    let wait = preferences
        .iter()
        .find_map(|preference| preference.strip_prefix("wait=")?.parse().ok())
        .map(Duration::from_secs);
    preferences.contains(&"respond-async").then(|| wait.unwrap_or(PATIENCE).min(MOST_PATIENCE))
}

/// Pushes that were answered with 202, by digest, until their results are read.
#[derive(Default)]
pub(super) struct Pushes(Mutex<BTreeMap<Digest, JoinHandle<Answer>>>);

enum Progress {
    Compiling,
    Done(JoinHandle<Answer>),
}

impl Pushes {
    /// Keeps a push; returns it where there is no room for one more. Results that were never read make room.
    fn keep(&self, digest: Digest, work: JoinHandle<Answer>) -> Option<JoinHandle<Answer>> {
        let Ok(mut kept) = self.0.lock() else { return Some(work) };
        if kept.len() >= PUSHES {
            kept.retain(|_, work| !work.is_finished());
        }
        if kept.len() >= PUSHES {
            return Some(work);
        }
        kept.insert(digest, work);
        None
    }

    fn take(&self, digest: &Digest) -> Option<Progress> {
        let mut kept = self.0.lock().ok()?;
        match kept.get(digest)?.is_finished() {
            true => kept.remove(digest).map(Progress::Done),
            false => Some(Progress::Compiling),
        }
    }
}

async fn receive(
    deployment: &Arc<Deployment>,
    by: &str,
    artifact: Artifact,
) -> Result<(StatusCode, Json), DeploymentError> {
    let (deployment, by) = (deployment.clone(), by.to_string());
    apart(async move {
        let (vetted, new) = deployment.push(artifact, by).await?;
        let (changes, conflicts) = deployment.preview(&vetted).await?;
        let status = if new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, describe_vetted(&vetted, &changes, &conflicts, json!({ "report": report(&vetted) }))))
    })
    .await
}

/// The contents of a vetted component.
fn report(vetted: &Vetted) -> Json {
    let descriptor = &vetted.descriptor;
    json!({
        "signer": vetted.signer,
        "size": vetted.size,
        "routes": descriptor.routes.len(),
        "collections": descriptor.collections.iter().map(|collection| &collection.name).collect::<Vec<_>>(),
        "permissions": descriptor.permissions.iter().map(|named| &named.code).collect::<Vec<_>>(),
        "events": descriptor.events.iter().map(|named| &named.code).collect::<Vec<_>>(),
        "extends": descriptor.extends.iter().map(|extension| &extension.interface).collect::<Vec<_>>(),
        "receives": descriptor.receives,
        "timers": descriptor.timers,
        "shows": descriptor.shows.iter().map(|shown| &shown.place).collect::<Vec<_>>(),
    })
}
