//! The record of each answered request: its metrics, and its line in the access log. Both have facts of the host, and
//! nothing that the caller wrote: neither path nor query, header or body.

use std::time::Duration;

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};

use crate::observe::trail::RequestTrail;

/// Operation of the requests that need no credential: health, readiness, the contract and its reference.
pub const PUBLIC: &str = "public";
/// Operation of the requests whose path names none, and module of such requests.
const NONE: &str = "none";
/// Module of the host's own operations.
const HOST: &str = "host";

/// Requests that have a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggedRequests {
    Off,
    Slow,
    All,
}

/// The access log's settings.
#[derive(Debug, Clone, Copy)]
pub struct AccessLog {
    pub requests: LoggedRequests,
    /// A request that takes this long is slow.
    pub slow: Duration,
}

impl AccessLog {
    /// Counts an answered request and writes its line. `time`: until the head of the response.
    pub fn record(&self, trail: &RequestTrail, method: &Method, status: StatusCode, time: Duration) {
        count(trail, status, time);
        let is_slow = time >= self.slow;
        match self.requests {
            LoggedRequests::All => write(trail, method, status, time, is_slow),
            LoggedRequests::Slow if is_slow => write(trail, method, status, time, true),
            LoggedRequests::Slow | LoggedRequests::Off => {}
        }
    }
}

fn count(trail: &RequestTrail, status: StatusCode, time: Duration) {
    let operation = trail.operation.get().map_or(NONE, String::as_str);
    let module = match trail.module.get().map(String::as_str) {
        Some(module) => module,
        None if operation == NONE => NONE,
        None => HOST,
    };
    let class = match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    };
    metrics::histogram!(
        "stoa_request_seconds",
        "operation" => operation.to_owned(), "module" => module.to_owned(), "status" => class
    )
    .record(time);
    let status = status.as_str().to_owned();
    metrics::counter!("stoa_requests_total", "operation" => operation.to_owned(), "status" => status).increment(1);
}

fn write(trail: &RequestTrail, method: &Method, status: StatusCode, time: Duration, is_slow: bool) {
    let request = trail.request_id;
    let (operation, route) = (trail.operation.get().map(String::as_str), trail.route.get().map(String::as_str));
    let module = trail.module.get().map(String::as_str);
    let company = trail.tenant.get().map(tracing::field::display);
    let (method, status) = (name_of(method), status.as_u16());
    // To a tenth of a millisecond.
    let ms = (time.as_secs_f64() * 10_000.0).round() / 10.0;
    if is_slow {
        tracing::warn!(
            target: "stoa::access", %request, method, operation, route, module, status, ms, company, "a slow request"
        );
    } else {
        tracing::info!(target: "stoa::access", %request, method, operation, route, module, status, ms, company, "answered");
    }
}

/// The usual methods. Another one is a word of the caller's.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
