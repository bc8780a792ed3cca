//! Problems as RFC 9457: `type` is about:blank, hence `title` the status phrase; the machine's word is `code`.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::json;
use uuid::Uuid;

use crate::problem::Problem;

pub fn render(problem: &Problem, request_id: Uuid) -> Response<Body> {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": problem.detail,
        "code": problem.code,
        "requestId": request_id,
        "errors": problem.errors,
    });
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if let Some(seconds) = problem.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    // RFC 6750, 3.1 has one error for each of the two.
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(header::WWW_AUTHENTICATE, challenge("invalid_token", problem.credential));
        }
        StatusCode::FORBIDDEN if problem.credential.is_some() => {
            headers.insert(header::WWW_AUTHENTICATE, challenge("insufficient_scope", problem.credential));
        }
        _ => {}
    }
    response
}

/// The refusal of a request that is not routed: under an id of its own.
pub fn refuse(problem: &Problem) -> Response<Body> {
    let request_id = Uuid::now_v7();
    let mut response = render(problem, request_id);
    if let Ok(value) = HeaderValue::from_str(&request_id.to_string()) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

/// Without a credential the challenge is the scheme only; else it states what is wrong with it (RFC 6750, 3).
fn challenge(error: &str, credential: Option<&str>) -> HeaderValue {
    let challenge = credential.map(|why| format!("Bearer error=\"{error}\", error_description=\"{why}\""));
    challenge.and_then(|challenge| HeaderValue::from_str(&challenge).ok()).unwrap_or(HeaderValue::from_static("Bearer"))
}
