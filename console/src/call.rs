//! The calls of one page, each with the token of the user; their responses as JSON and as problems.

use std::iter;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{Method, Request, StatusCode, header, request};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::host::UserHost;
use crate::site::operation::Operation;

/// Calls of a page, at most. Most calls cost three round trips to the database, and a page may cost 25.
const MOST_CALLS: usize = 8;
/// Calls of a page that wait at once.
const MOST_AT_ONCE: usize = 4;
/// For all calls of a page.
const LONGEST: Duration = Duration::from_secs(20);
/// Characters of a query that need encoding.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b',').remove(b':');
/// By this name audit entries identify the console's writes.
const USER_AGENT: &str = "stoa-console/1";

pub struct Calls {
    host: Arc<dyn UserHost>,
    token: String,
    peer: IpAddr,
    /// `/v1/tenants/ID`, or `/v1` outside a company.
    base: String,
    sent: AtomicUsize,
    permits: Semaphore,
    end: Instant,
}

/// A response of 2xx.
pub struct Reply {
    pub status: StatusCode,
    pub body: Value,
    pub etag: Option<String>,
}

/// A response of 4xx or 5xx (RFC 9457), or a call that was not sent (`code` is `NOT_SENT`) or not responded to in time.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Problem {
    #[serde(skip)]
    pub status: StatusCode,
    pub code: String,
    pub detail: String,
    #[serde(rename = "errors")]
    pub items: Vec<ProblemItem>,
    /// The changes of a module that break callers: code, item, detail.
    pub changes: Vec<Value>,
    pub request_id: Option<String>,
    #[serde(skip)]
    pub retry_after: Option<u64>,
}

/// An entry of `errors`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProblemItem {
    pub pointer: String,
    pub code: String,
    pub required: Option<u64>,
    pub identified: Option<u64>,
    pub expected: Option<Value>,
    pub conflicts_with: Option<String>,
}

/// The response of `getTenantContext`.
#[derive(Debug, Clone)]
pub struct Context {
    pub name: String,
    pub zone: chrono_tz::Tz,
    pub permissions: Vec<String>,
}

impl Calls {
    pub fn new(host: Arc<dyn UserHost>, token: &str, peer: IpAddr, tenant: Option<&str>) -> Calls {
        Calls {
            host,
            token: token.to_owned(),
            peer,
            base: tenant.map_or_else(|| "/v1".to_owned(), |tenant| format!("/v1/tenants/{tenant}")),
            sent: AtomicUsize::new(0),
            permits: Semaphore::new(MOST_AT_ONCE),
            end: Instant::now() + LONGEST,
        }
    }

    /// `path` is below the company, or below `/v1` without one. Its parts are encoded already; the query is not.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Reply, Problem> {
        let request = self.request(Method::GET, &to_address(path, query), "application/json");
        Reply::read(&self.send(request, Bytes::new()).await?)
    }

    pub async fn write(
        &self,
        operation: &Operation,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
        etag: Option<&str>,
    ) -> Result<Reply, Problem> {
        let mut request = self.request(operation.method.clone(), path, "application/json");
        let (kind, key) = (body.map(|_| "application/json"), key.filter(|_| operation.key));
        for (name, value) in [("content-type", kind), ("idempotency-key", key), ("if-match", etag)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let bytes = body.map_or_else(Bytes::new, |body| body.to_string().into());
        Reply::read(&self.send(request, bytes).await?)
    }

    pub async fn context(&self) -> Result<Context, Problem> {
        let body = self.get("/context", &[]).await?.body;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tenant = &body["tenant"];
        Ok(Context {
            name: text(&tenant["name"]),
            zone: text(&tenant["timeZone"]).parse().unwrap_or(chrono_tz::UTC),
            permissions: body["permissions"].as_array().into_iter().flatten().map(text).collect(),
        })
    }

    /// The response as it is, for a file (`text/csv`).
    pub async fn download(&self, path: &str, query: &[(&str, &str)], media_type: &str) -> Result<Response, Problem> {
        let request = self.request(Method::GET, &to_address(path, query), media_type);
        let received = self.send(request, Bytes::new()).await?;
        Reply::read(&received)?;
        let kind = received.headers().get(header::CONTENT_TYPE).cloned();
        let mut response = Response::new(Body::from(received.into_body()));
        response.headers_mut().extend(kind.map(|kind| (header::CONTENT_TYPE, kind)));
        Ok(response)
    }

    fn request(&self, method: Method, address: &str, accept: &str) -> request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("{}{address}", self.base))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::ACCEPT, accept)
            .header(header::USER_AGENT, USER_AGENT)
    }

    async fn send(&self, request: request::Builder, body: Bytes) -> Result<http::Response<Bytes>, Problem> {
        let not_sent = |status, sentence| Problem::new(status, "NOT_SENT", sentence);
        let late = || not_sent(StatusCode::GATEWAY_TIMEOUT, "The host did not respond in time. Try again in a minute.");
        let request = request
            .body(body)
            .map_err(|_| not_sent(StatusCode::BAD_REQUEST, "The address of the page is no valid one."))?;
        let _permit = timeout_at(self.end, self.permits.acquire()).await.map_err(|_| late())?;
        if self.sent.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            return Err(not_sent(StatusCode::SERVICE_UNAVAILABLE, "Not loaded: a page makes at most 8 calls."));
        }
        timeout_at(self.end, self.host.send(request, self.peer)).await.map_err(|_| late())
    }
}

/// A path with its query encoded.
pub fn to_address(path: &str, query: &[(&str, &str)]) -> String {
    let encode = |text| utf8_percent_encode(text, QUERY);
    let pairs = query.iter().zip(iter::once('?').chain(iter::repeat('&')));
    pairs.fold(path.to_owned(), |address, ((name, value), mark)| {
        format!("{address}{mark}{}={}", encode(name), encode(value))
    })
}

impl Reply {
    pub fn read(response: &http::Response<Bytes>) -> Result<Reply, Problem> {
        let status = response.status();
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        if status.is_success() {
            let body = serde_json::from_slice(response.body()).unwrap_or_default();
            return Ok(Reply { status, body, etag: text(header::ETAG).map(str::to_owned) });
        }
        let unknown = |_| Problem::new(status, "UNKNOWN", "The host did not say why it rejects the request.");
        let problem: Problem = serde_json::from_slice(response.body()).unwrap_or_else(unknown);
        let retry_after = text(header::RETRY_AFTER).and_then(|seconds| seconds.parse().ok());
        Err(Problem { status, retry_after, ..problem })
    }
}

impl Problem {
    pub fn new(status: StatusCode, code: &str, detail: &str) -> Problem {
        Problem { status, code: code.to_owned(), detail: detail.to_owned(), ..Problem::default() }
    }

    pub fn not_found() -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", "There is no such page.")
    }
}
