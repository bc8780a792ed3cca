//! A problem on its way to the caller, with what its response carries besides.

use axum::body::Body;
use http::{HeaderValue, Response, header};
use uuid::Uuid;

use super::problem;
use crate::governance::governor::Headers;
use crate::problem::Problem;

/// The problem that a request is answered with.
pub struct Rejection {
    pub problem: Problem,
    /// Values of `X-RateLimit-*`, for a caller that the governor counts.
    pub limits: Option<Headers>,
    /// The connection ends with the answer.
    pub closes: bool,
}

impl From<Problem> for Rejection {
    fn from(problem: Problem) -> Rejection {
        Rejection { problem, limits: None, closes: false }
    }
}

impl Rejection {
    pub fn render(&self, request_id: Uuid) -> Response<Body> {
        let mut response = problem::render(&self.problem, request_id);
        if self.closes {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        add_limit_headers(response, self.limits)
    }
}

/// The three headers that every authenticated answer carries.
pub fn add_limit_headers(mut response: Response<Body>, headers: Option<Headers>) -> Response<Body> {
    if let Some(Headers { limit, remaining, reset }) = headers {
        let response_headers = response.headers_mut();
        response_headers.insert("x-ratelimit-limit", limit.into());
        response_headers.insert("x-ratelimit-remaining", remaining.into());
        response_headers.insert("x-ratelimit-reset", reset.into());
    }
    response
}
