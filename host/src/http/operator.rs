//! The operators' side (platform.md 9), on the private listener: what runs, what could, and the change from one to the other.
//! Operators are not tenants: they come with a token of the deployment, and see no company's data: a verification names rows that
//! are broken, and none of their content.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::database::{Error, Shard};
use crate::deployment::records::{self, Cause, Digest};
use crate::deployment::verify::{Verification, VerifyError, VerifyReport};
use crate::deployment::{Activated, ActivationRequest, Deployment, DeploymentError, audit, follow};
use crate::gate::artifact::{Artifact, LARGEST};
use crate::gate::diff::{self, Change};
use crate::gate::refusal::Refusal;
use crate::sandbox::Vetted;

/// Header of an upload: the admission file, in base64.
pub const ADMISSION: &str = "stoa-admission";
/// The state of a push that is not yet done.
pub const COMPILING: &str = "COMPILING";
/// How long a push waits that may be answered with 202, by default and at most, and how many of these are kept.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_PATIENCE: Duration = Duration::from_secs(60);
const PUSHES: usize = 32;
/// Companies of one verification.
const COMPANIES: usize = 100;
/// Longest wait for another verification, and longest time of one.
const VERIFY_WAIT: Duration = Duration::from_secs(60);
const VERIFY_TIME: Duration = Duration::from_secs(300);
/// Rows of a page of the history.
const PAGE: u32 = 50;

/// Someone who may change what runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Operator {
    /// For the audit.
    pub name: String,
    #[serde(skip)]
    pub token_sha256: [u8; 32],
}

impl FromStr for Operator {
    type Err = String;

    fn from_str(text: &str) -> Result<Operator, String> {
        let (name, hash) = text.split_once('=').unwrap_or(("operator", text));
        let hash = hex::decode(hash).ok().and_then(|hash| hash.try_into().ok());
        let token_sha256 = hash.ok_or("an operator's token is known by its SHA-256, in hex")?;
        Ok(Operator { name: name.to_string(), token_sha256 })
    }
}

#[derive(Clone)]
struct Console {
    deployment: Arc<Deployment>,
    operators: Arc<Vec<Operator>>,
    pushes: Arc<Pushes>,
    /// One verification at a time: it takes a slot of a reader of the database.
    verifying: Arc<tokio::sync::Mutex<()>>,
}

/// Name of the operator whose token was recognized.
#[derive(Clone)]
struct Name(String);

pub fn router(deployment: Arc<Deployment>, operators: Vec<Operator>) -> Router {
    let console =
        Console { deployment, operators: Arc::new(operators), pushes: Arc::default(), verifying: Arc::default() };
    Router::new()
        .route("/operator/modules", get(modules).post(push))
        .route("/operator/modules/{module}", get(push_result))
        .route("/operator/modules/{module}/diff", get(compare))
        .route("/operator/modules/{module}/activate", post(activate))
        .route("/operator/modules/{module}/deactivate", post(deactivate))
        .route("/operator/generations", get(history))
        .route("/operator/generations/{number}/activate", post(restore))
        .route("/operator/verify", post(verify))
        .fallback(|| async { Answer(Err(DeploymentError::NotFound("operation"))) })
        .layer(DefaultBodyLimit::max(LARGEST + (1 << 16)))
        .layer(middleware::from_fn_with_state(console.clone(), require_operator))
        .with_state(console)
}

/// Lets in whoever brings an operator's token; everyone else learns nothing.
async fn require_operator(State(console): State<Console>, mut request: Request, next: Next) -> Response {
    let token = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or_default();
    let hash: [u8; 32] = Sha256::digest(token).into();
    // Every one is compared, whichever fits.
    let mut found = None;
    for operator in console.operators.iter() {
        if verify_slices_are_equal(&operator.token_sha256, &hash).is_ok() {
            found = Some(operator.name.clone());
        }
    }
    match found {
        Some(name) => {
            request.extensions_mut().insert(Name(name));
            next.run(request).await
        }
        None => problem(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", "An operator's token is required.", &[]),
    }
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
            let upgrades = records::upgrades(session, *active).await?;
            Ok((newest, hosts, upgrades, records::list_artifacts(session).await?))
        })
    });
    let (newest, hosts, upgrades, artifacts) = rows.await?;
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
        "artifacts": artifacts,
    }))
}

/// A push is compiled to its end, whether or not the operator waits. With `Prefer: respond-async` the response comes within the
/// time of `wait`: the result, or 202 and the digest under which `GET` gives the result later.
async fn push(
    State(console): State<Console>,
    axum::Extension(Name(by)): axum::Extension<Name>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (patience, digest) = (read_patience(&headers), Digest::from(Sha256::digest(&body)));
    let pushing = console.clone();
    let mut work = tokio::spawn(async move {
        let pushed = receive(&pushing.deployment, &by, &headers, body).await;
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

/// `Prefer: respond-async, wait=10` (RFC 7240): how long the operator waits for a response that is no result. `None`: to the end.
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
struct Pushes(Mutex<BTreeMap<Digest, JoinHandle<Answer>>>);

enum Progress {
    Compiling,
    Done(JoinHandle<Answer>),
}

impl Pushes {
    /// Keeps a push; gives it back where there is no room for one more. Results that nobody read make room.
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
    headers: &HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json), DeploymentError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind != "application/wasm" {
        // A reference to a registry is not taken yet.
        return Err(Refusal::new("VALIDATION_FAILED", "a component is sent as application/wasm").into());
    }
    // A component that comes by the wire must be signed, even where --dev takes unsigned ones from its own folder.
    let missing = |why| Refusal::new("SIGNATURE_MISSING", why);
    let admission = headers.get(ADMISSION).ok_or_else(|| missing("nobody signed this module"))?;
    let admission = BASE64_STANDARD.decode(admission).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let admission = admission.ok_or_else(|| missing("the admission cannot be read"))?;
    let artifact = Artifact::new(body, Some(admission))?;
    let (deployment, by) = (deployment.clone(), by.to_string());
    apart(async move {
        let (vetted, new) = deployment.push(artifact, by).await?;
        let changes = deployment.changes(&vetted).await?;
        let conflicts = deployment.current.load().find_conflicts(&vetted);
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
    })
}

async fn compare(State(console): State<Console>, Path(digest): Path<String>) -> Answer {
    let deployment = console.deployment;
    Answer(
        async {
            let digest = digest_of(&digest)?;
            apart(async move {
                let vetted = deployment.find_or_fetch(digest).await?;
                let changes = deployment.changes(&vetted).await?;
                let active = deployment.current.load();
                let against = active.module(&vetted.descriptor.name);
                let against = against.map(|old| json!({ "version": old.version, "digest": hex::encode(old.digest) }));
                let extra = json!({ "against": against, "generation": active.number });
                let conflicts = active.find_conflicts(&vetted);
                Ok((StatusCode::OK, describe_vetted(&vetted, &changes, &conflicts, extra)))
            })
            .await
        }
        .await,
    )
}

/// `conflicts`: claims for which an activation would reject the module, whatever the operator allows.
fn describe_vetted(vetted: &Vetted, changes: &[Change], conflicts: &[String], extra: Json) -> Json {
    let mut body = json!({
        "digest": hex::encode(vetted.digest),
        "name": vetted.descriptor.name,
        "version": vetted.descriptor.version,
        "breaking": !conflicts.is_empty() || changes.iter().any(|change| change.breaking),
        "conflicts": conflicts,
        "changes": changes,
        "text": diff::text(changes),
    });
    if let (Some(body), Json::Object(extra)) = (body.as_object_mut(), extra) {
        body.extend(extra);
    }
    body
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
    let release = deployment.current.load_full();
    let verification = Verification {
        database: &deployment.database,
        modules: &release.generation.modules,
        limits: deployment.limits.for_heavy_read(),
        deadline: Some(Instant::now() + VERIFY_TIME),
    };
    match verification.verify(&tenant_ids).await {
        Ok(report) => Ok((tenant_ids, report)),
        Err(VerifyError::UnknownCompany(_)) => Err(DeploymentError::NotFound("company")),
        Err(VerifyError::Database(error)) => Err(error.into()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    before: Option<u64>,
    limit: Option<u32>,
}

async fn history(
    State(console): State<Console>,
    query: Result<Query<HistoryQuery>, axum::extract::rejection::QueryRejection>,
) -> Answer {
    let read = async {
        let Query(HistoryQuery { before, limit }) = query.map_err(|_| invalid("before and limit are numbers"))?;
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let items = console
            .deployment
            .database
            .read_plain(Shard::Global, (before, limit), |session, (before, limit)| {
                Box::pin(records::history(session, *before, *limit))
            })
            .await?;
        let next = items.last().filter(|_| items.len() == limit as usize).map(|item| item["generation"].clone());
        Ok((StatusCode::OK, json!({ "items": items, "nextBefore": next })))
    };
    Answer(read.await)
}

/// To the end, whether or not the operator stays on the line.
async fn apart<T: Send + 'static>(
    work: impl Future<Output = Result<T, DeploymentError>> + Send + 'static,
) -> Result<T, DeploymentError> {
    tokio::spawn(work)
        .await
        .unwrap_or_else(|error| Err(Error::Fault(format!("an operator's request panicked: {error}")).into()))
}

async fn note(console: &Console, by: &str, operation: &'static str, refused: &DeploymentError, mut metadata: Json) {
    metadata["detail"] = json!(refused.to_string());
    write_audit(console, by, operation, code(refused).1, metadata).await;
}

async fn write_audit(console: &Console, by: &str, operation: &'static str, result: &str, metadata: Json) {
    let entry = audit::OperatorEntry { actor: by.to_string(), operation, result: result.to_string(), metadata };
    if let Err(error) = audit::note(&console.deployment.database, entry).await {
        tracing::error!(%error, operation, "an operator's request cannot be recorded");
    }
}

fn parse_body<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Refusal> {
    if body.is_empty() {
        Ok(T::default())
    } else {
        serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()))
    }
}

fn invalid(why: &str) -> Refusal {
    Refusal::new("VALIDATION_FAILED", why)
}

fn digest_of(text: &str) -> Result<Digest, DeploymentError> {
    hex::decode(text).ok().and_then(|digest| digest.try_into().ok()).ok_or(DeploymentError::NotFound("module"))
}

/// The result of an operation, as a response.
struct Answer(Result<(StatusCode, Json), DeploymentError>);

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

fn code(refused: &DeploymentError) -> (StatusCode, &'static str) {
    match refused {
        DeploymentError::NotFound(_) => (StatusCode::NOT_FOUND, "NOT_FOUND"),
        DeploymentError::Database(
            Error::Conflict(_) | Error::CommitUnknown(_) | Error::Unavailable(_) | Error::Full(_),
        ) => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
        DeploymentError::Database(_) => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
        DeploymentError::Refusal(Refusal { code, .. }) => {
            let status = match *code {
                "SIGNER_UNTRUSTED" | "SIGNER_OUT_OF_REACH" => StatusCode::FORBIDDEN,
                "MODULE_TOO_LARGE" => StatusCode::PAYLOAD_TOO_LARGE,
                "CONTRACT_BREAKING"
                | "SCHEMA_NOT_ADDITIVE"
                | "SERVICE_UNRESOLVED"
                | "TABLE_TAKEN"
                | "GENERATION_CHANGED" => StatusCode::CONFLICT,
                _ => StatusCode::BAD_REQUEST,
            };
            (status, code)
        }
    }
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

/// As on the public side, with the changes item by item: an operator may see all of it.
pub(super) fn problem(status: StatusCode, code: &str, detail: &str, changes: &[Change]) -> Response {
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

fn json_response(status: StatusCode, kind: &'static str, body: &Json) -> Response {
    (status, [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], Body::from(body.to_string()))
        .into_response()
}
