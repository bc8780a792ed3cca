//! From a request to its answer: route, identity, body, verdict, pipeline, response. Everything below computes; this file
//! speaks HTTP.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::routing::any;
use axum::{Json, Router};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::json;
use stoa_descriptor::Audience;
use tokio::time;
use uuid::Uuid;

use super::budget::Budget;
use super::connection_limit::subscriber;
use super::file::{Packed, gzip, takes_gzip};
use super::peer::{self, Network};
use super::readiness::Readiness;
use super::reference::{Part, Reference};
use super::visit::Visit;
use super::{body, conditional, problem, response_memory, success, validate};
use crate::database::Database;
use crate::deployment::{Deployment, Release};
use crate::governance::HeavyReads;
use crate::governance::governor::Headers;
use crate::identity::api_keys::{ApiKeys, Lookup, is_api_key};
use crate::identity::users::Users;
use crate::identity::{DevIssuer, Verifier};
use crate::operations::{Callable, Found};
use crate::pipeline::opening::KEY_REVOKED;
use crate::pipeline::request::Caller;
use crate::pipeline::{self, Runner, user_agent};
use crate::platform::{self, Platform};
use crate::problem::Problem;
use crate::watchdog::Watchdog;

/// Time of a whole request beyond that of its transaction: it waits for the database several times, and for nothing longer in all.
const MORE: Duration = Duration::from_secs(2);

/// Everything that answering needs.
pub struct App {
    pub deployment: Arc<Deployment>,
    pub database: Arc<Database>,
    pub watchdog: Arc<Watchdog>,
    pub platform: Arc<Platform>,
    pub verifier: Verifier,
    pub users: Users,
    pub api_keys: ApiKeys,
    pub dev_issuer: Option<DevIssuer>,
    pub bodies: body::Bodies,
    pub response_memory: Arc<Budget>,
    pub readiness: Readiness,
    pub reference: Reference,
    pub heavy_reads: HeavyReads,
    pub trusted_proxies: Vec<Network>,
    /// Longest time of one transaction.
    pub request_timeout: Duration,
}

/// The address of the other end of the connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Every path leads to `answer`: routes belong to the generation, which may change while requests run.
pub fn router(app: Arc<App>) -> Router {
    Router::new().fallback(any(answer)).with_state(app)
}

async fn answer(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    request: Request<Body>,
) -> Response<Body> {
    let request_id = Uuid::now_v7();
    let peer = peer::address(peer, request.headers(), &app.trusted_proxies);
    let began = Instant::now();
    let method = request.method().clone();
    let outcome = AssertUnwindSafe(route(&app, request, request_id, peer)).catch_unwind().await;
    let mut response = match outcome {
        Ok(Ok(response)) => response,
        Ok(Err(refusal)) => problem::render(&refusal, request_id),
        Err(_) => {
            tracing::error!(request = %request_id, "a request panicked");
            problem::render(&Problem::new("INTERNAL"), request_id)
        }
    };
    if let Ok(value) = HeaderValue::from_str(&request_id.to_string()) {
        response.headers_mut().insert("x-request-id", value);
    }
    metrics::histogram!("stoa_request_seconds", "status" => response.status().as_u16().to_string())
        .record(began.elapsed().as_secs_f64());
    tracing::debug!(request = %request_id, %method, status = response.status().as_u16(), "answered");
    response
}

async fn route(
    app: &Arc<App>,
    request: Request<Body>,
    request_id: Uuid,
    peer: IpAddr,
) -> Result<Response<Body>, Problem> {
    let release = app.deployment.current.load_full();
    let path = request.uri().path().to_string();
    if let Some(response) = public(app, &release, request.method(), request.headers(), &path, request_id).await {
        return response;
    }
    let below = path.strip_prefix("/v1").ok_or_else(|| Problem::new("NOT_FOUND"))?;
    match release.operations.find(request.method().as_str(), below) {
        Found::Nothing => Err(Problem::new("NOT_FOUND")),
        Found::OtherMethods(allowed) => Ok(method_not_allowed(&allowed, request_id)),
        Found::Callable { callable, path } => call(app, &release, callable, path, request, request_id, peer).await,
    }
}

/// Operations without a credential.
async fn public(
    app: &App,
    release: &Release,
    method: &Method,
    headers: &HeaderMap,
    path: &str,
    request_id: Uuid,
) -> Option<Result<Response<Body>, Problem>> {
    let part = Part::at(path);
    let known = matches!(path, "/v1/health" | "/v1/ready" | "/v1/openapi.json")
        || part.is_some()
        || (app.dev_issuer.is_some() && path.starts_with("/dev/issuer/"));
    if !known {
        return None;
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Some(Ok(method_not_allowed("GET, HEAD", request_id)));
    }
    if let Some(part) = part {
        return Some(app.reference.respond(part, release, headers).await);
    }
    Some(match path {
        "/v1/health" => Ok(json_response(&json!({ "status": "ok", "service": "api" }))),
        "/v1/ready"
            if app.watchdog.is_well(Instant::now())
                && app.readiness.tell(async || app.database.ready().await).await =>
        {
            Ok(json_response(&json!({ "status": "ok", "service": "api", "database": "ready" })))
        }
        "/v1/ready" => Err(Problem::new("UNAVAILABLE")),
        "/v1/openapi.json" => Ok(contract(release, headers)),
        "/dev/issuer/.well-known/openid-configuration" | "/dev/issuer/jwks.json" => match &app.dev_issuer {
            Some(issuer) if path.ends_with("jwks.json") => Ok(json_response(&issuer.jwks())),
            Some(issuer) => Ok(json_response(&issuer.discovery("/dev/issuer"))),
            None => Err(Problem::new("NOT_FOUND")),
        },
        _ => Err(Problem::new("NOT_FOUND")),
    })
}

fn json_response(body: &serde_json::Value) -> Response<Body> {
    axum::response::IntoResponse::into_response(Json(body))
}

fn contract(release: &Release, headers: &HeaderMap) -> Response<Body> {
    let contract = &release.contract;
    let mut response = Response::new(Body::empty());
    let mut etag = contract.etag.clone();
    if conditional::is_known(headers, &etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if takes_gzip(headers) {
        // Some ten milliseconds of work, once for each generation.
        let pack = || tokio::task::block_in_place(|| gzip(&contract.bytes).into());
        *response.body_mut() = Body::from(contract.packed.get_or_init(pack).clone());
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        // Other bytes of the same document.
        etag.insert_str(0, "W/");
    } else {
        *response.body_mut() = Body::from(contract.bytes.clone());
    }
    response.extensions_mut().insert(Packed);
    let response_headers = response.headers_mut();
    response_headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response_headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        response_headers.insert(header::ETAG, etag);
    }
    response
}

fn method_not_allowed(allowed: &str, request_id: Uuid) -> Response<Body> {
    let mut response = problem::render(&Problem::new("METHOD_NOT_ALLOWED"), request_id);
    if let Ok(value) = HeaderValue::from_str(allowed) {
        response.headers_mut().insert(header::ALLOW, value);
    }
    response
}

#[allow(clippy::too_many_arguments, reason = "the parts of one HTTP request, taken apart once")]
async fn call(
    app: &App,
    release: &Release,
    callable: &Callable<Runner<&'static platform::PlatformOperation>>,
    path: Vec<(String, String)>,
    request: Request<Body>,
    request_id: Uuid,
    peer: IpAddr,
) -> Result<Response<Body>, Problem> {
    let operation = &callable.operation;
    let mut deadline = time::Instant::now() + app.request_timeout + MORE;
    let caller = until(deadline, identify(app, request.headers(), peer)).await?;
    let (parts, body) = request.into_parts();
    let governor = &app.platform.governor;
    let tenant = match (&caller, operation.route.audience) {
        (Caller::User(_), Audience::User) => path.iter().find(|(name, _)| name == "tenantId").map(|(_, value)| {
            // A value that is no uuid is no company, hence one without this member: 403, like any foreign one.
            Uuid::try_parse(value).unwrap_or(Uuid::nil())
        }),
        (Caller::Client(key), Audience::ApiClient) => Some(key.tenant),
        _ => {
            // A key that is no longer active is none, whatever it asks for.
            if matches!(caller, Caller::Client(_))
                && let Err(problem) = until(deadline, governor.check_standing(&caller)).await?
                && problem.status == 401
            {
                note_revoked(app, &caller, &problem);
                return Err(problem);
            }
            let refusal = problem::render(&Problem::new("WRONG_IDENTITY_FAMILY"), request_id);
            return Ok(add_limit_headers(refusal, Some(governor.headers(&caller, None))));
        }
    };
    let user_agent =
        parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).and_then(user_agent::family);
    let visit = Visit {
        caller: &caller,
        tenant,
        route: &operation.route,
        path: &path,
        request_id,
        peer,
        user_agent: &user_agent,
    };
    let recorder = &app.platform.recorder;
    let permit = until(deadline, governor.admit(&caller, tenant)).await?;
    if let Some(problem) = &permit.refused {
        note_revoked(app, &caller, problem);
        visit.record_refusal(recorder, problem);
        return Ok(add_limit_headers(problem::render(problem, request_id), permit.headers));
    }
    let member = match (&caller, tenant) {
        (Caller::User(user), Some(tenant)) => Some((user.id, tenant)),
        _ => None,
    };
    let may_send = async {
        match member {
            _ if permit.is_stranger => Err(Problem::new("MEMBERSHIP_REQUIRED")),
            Some((user, tenant)) if !until(deadline, governor.is_member(user, tenant)).await? => {
                Err(Problem::new("MEMBERSHIP_REQUIRED"))
            }
            _ => Ok(()),
        }
    };
    let reject = |problem: Problem| {
        visit.record_answer(recorder, problem.status, &problem.code);
        Ok(add_limit_headers(problem::render(&problem, request_id), permit.headers))
    };
    let reads_from = time::Instant::now();
    let (input, _held) = match body::read(body, operation.route.body_limit, &app.bodies, caller.id(), may_send).await {
        // Admission has just looked: the request of a stranger takes no transaction in the company.
        Ok(_) if permit.is_stranger => {
            let refusal = problem::render(&Problem::new("MEMBERSHIP_REQUIRED"), request_id);
            return Ok(add_limit_headers(refusal, permit.headers));
        }
        Ok(body::Read { bytes, memory, seat }) => {
            let input = if bytes.len() <= body::SMALL {
                validate::request(operation, &parts, &path, &bytes)
            } else {
                let (operation, parts, path) = (operation.clone(), parts.clone(), path.clone());
                let judge = move || validate::request(&operation, &parts, &path, &bytes);
                match app.bodies.judge(caller.id(), judge).await {
                    Ok(input) => input,
                    Err(problem) => return reject(problem),
                }
            };
            (input, Some((memory, seat)))
        }
        Err(body::Unread::Refused(problem)) if problem.status == 413 && !permit.is_stranger => (Err(problem), None),
        Err(body::Unread::Refused(problem)) => return reject(problem),
        Err(body::Unread::Broken(problem)) => {
            return Ok(add_limit_headers(render_and_close(&problem, request_id), permit.headers));
        }
    };
    // The time of a body is its sender's, and has limits of its own.
    deadline += reads_from.elapsed();
    // For a caller without the permission nothing is asked: the transaction rejects the request.
    let asked_ahead = match (&callable.runner, &input) {
        (Runner::Host(host_operation), Ok(input))
            if host_operation.asks_ahead()
                && until(deadline, governor.may(&caller, tenant, &operation.route.access)).await.unwrap_or(false) =>
        {
            until(deadline, host_operation.ask_ahead(&app.platform, input)).await
        }
        _ => Ok(()),
    };
    // A request that will be rejected takes nobody's seat.
    let seat = match operation.route.heavy && input.is_ok() {
        true => app.heavy_reads.admit(tenant.unwrap_or_default()).await.map(Some),
        false => Ok(None),
    };
    let seat = match seat {
        Ok(seat) => seat,
        Err(problem) => return reject(problem),
    };
    let request = Arc::new(pipeline::Request {
        generation: release.generation.clone(),
        operation: operation.clone(),
        request_id,
        caller: caller.clone(),
        tenant,
        input,
        asked_ahead,
        seat,
        peer: Some(peer),
        user_agent: user_agent.clone(),
    });
    let answer = pipeline::run(&app.platform, &app.database, request, callable.runner.clone(), deadline).await;
    let replayed = answer.as_ref().is_ok_and(|answer| answer.replayed);
    let response = answer.and_then(|answer| {
        let response = success::respond(operation, &parts, answer, request_id)?;
        response_memory::hold(response, app.response_memory.share(caller.id()), !operation.route.read_only)
    });
    match response {
        // Only now is it known that the key is none any more, or that its company has lost the right.
        Err(problem) if matches!(&*problem.code, "UNAUTHENTICATED" | "PUBLIC_API_DISABLED") => {
            governor.give_back(&permit);
            note_revoked(app, &caller, &problem);
            visit.record_refusal(recorder, &problem);
            let headers = permit.headers.filter(|_| problem.status != 401);
            Ok(add_limit_headers(problem::render(&problem, request_id), headers))
        }
        Err(problem) => {
            visit.record_answer(recorder, problem.status, &problem.code);
            let headers = permit.headers.map(|headers| headers.or_of_window(&problem));
            Ok(add_limit_headers(problem::render(&problem, request_id), headers))
        }
        Ok(response) => {
            if replayed {
                governor.give_quota_back(&permit);
            }
            visit.record_answer(recorder, response.status().as_u16(), "");
            Ok(add_limit_headers(response, permit.headers))
        }
    }
}

/// A key that was found revoked is rejected without a look for a moment: it would cost one with each request, at any
/// rate.
fn note_revoked(app: &App, caller: &Caller, problem: &Problem) {
    if let Caller::Client(key) = caller
        && problem.credential == Some(KEY_REVOKED)
    {
        app.api_keys.note_revoked(key);
    }
}

/// The result of a wait for others, until the deadline at the latest.
async fn until<T>(deadline: time::Instant, wait: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    time::timeout_at(deadline, wait).await.unwrap_or_else(|_| Err(Problem::new("UNAVAILABLE")))
}

/// The three headers that every authenticated answer carries.
fn add_limit_headers(mut response: Response<Body>, headers: Option<Headers>) -> Response<Body> {
    if let Some(Headers { limit, remaining, reset }) = headers {
        let response_headers = response.headers_mut();
        response_headers.insert("x-ratelimit-limit", limit.into());
        response_headers.insert("x-ratelimit-remaining", remaining.into());
        response_headers.insert("x-ratelimit-reset", reset.into());
    }
    response
}

/// The caller by the credential: a user or an API key, distinguished by form.
async fn identify(app: &App, headers: &HeaderMap, peer: IpAddr) -> Result<Caller, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let malformed = || Problem::of_credential("The header Authorization is malformed.");
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Err(Problem::new("UNAUTHENTICATED")),
        (Some(_), Some(_)) => return Err(malformed()),
    };
    let token = value
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(malformed)?;
    let unreadable = |error| {
        tracing::warn!(%error, "the caller's record cannot be read");
        Problem::new("UNAVAILABLE")
    };
    if is_api_key(token) {
        return match app.api_keys.of(&app.database, token, subscriber(peer)).await.map_err(unreadable)? {
            Lookup::Key(key) => Ok(Caller::Client(key)),
            Lookup::Nothing => Err(Problem::of_credential("There is no such key here.")),
            Lookup::Revoked => Err(Problem::of_credential(KEY_REVOKED)),
            Lookup::TooMany => Err(Problem { retry_after: Some(1), ..Problem::new("RATE_LIMITED") }),
        };
    }
    let claims = app.verifier.verify(token).await.map_err(Problem::from)?;
    app.users.of(&app.database, &claims).await.map(Caller::User).map_err(unreadable)
}

fn render_and_close(problem: &Problem, request_id: Uuid) -> Response<Body> {
    let mut response = problem::render(problem, request_id);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
