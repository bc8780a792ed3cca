//! The calls of one page: at most eight, each with the token of the user; their responses as JSON and as problems.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::response::Response;
use http::StatusCode;
use serde_json::Value;

use crate::host::UserHost;
use crate::site::operation::Operation;

/// Calls of a page, at most: 25 round trips at three each.
pub const MOST_CALLS: usize = 8;

pub struct Calls {
    host: Arc<dyn UserHost>,
    token: String,
    peer: IpAddr,
    /// None: paths are below `/v1`, not below a company.
    tenant: Option<String>,
    sent: AtomicUsize,
}

/// A response of 2xx.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: StatusCode,
    pub body: Value,
    pub etag: Option<String>,
}

/// A response of 4xx or 5xx (RFC 9457), or a call that was not sent (`code` is `NOT_SENT`) or not responded to in time.
#[derive(Debug, Clone)]
pub struct Problem {
    pub status: StatusCode,
    pub code: String,
    pub detail: String,
    pub items: Vec<ProblemItem>,
    pub request_id: Option<String>,
    pub retry_after: Option<u64>,
}

/// An entry of `errors`.
#[derive(Debug, Clone)]
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
    pub tenant: String,
    pub name: String,
    pub zone: chrono_tz::Tz,
    pub permissions: Vec<String>,
}

impl Calls {
    pub fn new(host: Arc<dyn UserHost>, token: &str, peer: IpAddr, tenant: Option<&str>) -> Calls {
        Calls { host, token: token.to_owned(), peer, tenant: tenant.map(str::to_owned), sent: AtomicUsize::new(0) }
    }

    /// `path` is below the company, or below `/v1` without one. Its parts are encoded already.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Reply, Problem> {
        let _ = (path, query, &self.host, &self.token, &self.peer, &self.tenant);
        Err(self.reject())
    }

    pub async fn write(
        &self,
        operation: &Operation,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
        etag: Option<&str>,
    ) -> Result<Reply, Problem> {
        let _ = (operation, path, body, key, etag);
        Err(self.reject())
    }

    pub async fn context(&self) -> Result<Context, Problem> {
        Err(self.reject())
    }

    /// The response as it is, for a file (`text/csv`).
    pub async fn download(&self, path: &str, query: &[(&str, &str)], media_type: &str) -> Result<Response, Problem> {
        let _ = (path, query, media_type);
        Err(self.reject())
    }

    /// Calls sent so far.
    pub fn count(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    fn reject(&self) -> Problem {
        Problem {
            status: StatusCode::SERVICE_UNAVAILABLE,
            code: "NOT_SENT".to_owned(),
            detail: "The call was not sent.".to_owned(),
            items: Vec::new(),
            request_id: None,
            retry_after: None,
        }
    }
}
