//! From a request to its answer: the route, the operations without a credential, and the panic that becomes an answer.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::routing::any;
use axum::{Json, Router};
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::json;
use uuid::Uuid;

use super::accept::prefers_page;
use super::access_log::PUBLIC;
use super::app::App;
use super::call::RoutedCall;
use super::file::{Packed, gzip, takes_gzip};
use super::reference::Part;
use super::rejection::Rejection;
use super::{conditional, peer, problem};
use crate::deployment::Edition;
use crate::observe::json_log;
use crate::observe::trail::RequestTrail;
use crate::operations::Found;
use crate::pipeline::Runner;
use crate::problem::Problem;

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
    let is_proxy = peer::is_proxy(peer, &app.trusted_proxies);
    let peer = peer::address(peer, request.headers(), &app.trusted_proxies);
    let began = Instant::now();
    let method = request.method().clone();
    let trail = Arc::new(app.tracer.begin(request_id, request.headers(), is_proxy));
    let work = json_log::within(request_id, route(&app, request, &trail, peer));
    let outcome = AssertUnwindSafe(work).catch_unwind().await;
    let mut response = match outcome {
        Ok(Ok(response)) => response,
        Ok(Err(rejection)) => {
            trail.note_problem(&rejection.problem.code);
            rejection.render(request_id)
        }
        Err(_) => {
            let trace = trail.trace_id().map(tracing::field::display);
            tracing::error!(request = %request_id, trace, "a request panicked");
            problem::render(&Problem::new("INTERNAL"), request_id)
        }
    };
    if let Ok(value) = HeaderValue::from_str(&request_id.to_string()) {
        response.headers_mut().insert("x-request-id", value);
    }
    app.tracer.finish(&trail, response.status());
    app.access_log.record(&trail, &method, response.status(), began.elapsed());
    response
}

async fn route(
    app: &Arc<App>,
    request: Request<Body>,
    trail: &Arc<RequestTrail>,
    peer: IpAddr,
) -> Result<Response<Body>, Rejection> {
    let request_id = trail.request_id;
    let edition = app.deployment.current.load_full();
    let path = request.uri().path().to_string();
    if let Some(response) = lead_to_reference(request.method(), request.headers(), &path) {
        let _ = trail.operation.set(PUBLIC.to_owned());
        return Ok(response);
    }
    if let Some(response) = public(app, &edition, request.method(), request.headers(), &path, request_id).await {
        let _ = trail.operation.set(PUBLIC.to_owned());
        return Ok(response?);
    }
    let below = path.strip_prefix("/v1").ok_or_else(|| Problem::new("NOT_FOUND"))?;
    match edition.operations.find(request.method().as_str(), below) {
        Found::Nothing => Err(Problem::new("NOT_FOUND").into()),
        Found::OtherMethods(allowed) => Ok(method_not_allowed(&allowed, request_id)),
        Found::Callable { callable, path } => {
            let _ = trail.operation.set(callable.operation.route.operation.clone());
            trail.note_route(&callable.operation.route);
            let _ = trail.route.set(callable.operation.route.path.clone());
            if let Runner::Module(module) = &callable.runner {
                let _ = trail.module.set(module.name.clone());
            }
            RoutedCall { app, edition: &edition, callable, path: &path, trail, peer }.answer(request).await
        }
    }
}

/// For a person who opens the printed address in a browser. To every other caller these paths are unknown.
fn lead_to_reference(method: &Method, headers: &HeaderMap, path: &str) -> Option<Response<Body>> {
    let leads = matches!(path, "/" | "/v1" | "/v1/") && matches!(*method, Method::GET | Method::HEAD);
    if !leads || !prefers_page(headers) {
        return None;
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    for (name, value) in [(header::LOCATION, "/v1/docs"), (header::CACHE_CONTROL, "no-cache"), (header::VARY, "Accept")]
    {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Some(response)
}

/// Operations without a credential.
async fn public(
    app: &App,
    edition: &Edition,
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
        return Some(app.reference.respond(part, edition, headers).await);
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
        "/v1/openapi.json" => Ok(contract(edition, headers)),
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

fn contract(edition: &Edition, headers: &HeaderMap) -> Response<Body> {
    let contract = &edition.contract;
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
