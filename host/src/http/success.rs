//! A success as it is sent: JSON as the operation answered it, or its rows as CSV where the caller prefers them.

use axum::body::Body;
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode, Uri, header};
use serde::Deserialize;
use uuid::Uuid;

use super::accept::{MediaType, choose_media_type};
use crate::contract::parameters::ESCAPED;
use crate::operations::Operation;
use crate::pipeline::Answer;
use crate::problem::Problem;

const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8; header=present");

/// # Errors
/// MODULE_FAILED of an answer that is not what its schema says. Only reads have another form, so nothing was committed.
pub fn respond(
    operation: &Operation,
    parts: &Parts,
    answer: Answer,
    request_id: Uuid,
) -> Result<Response<Body>, Problem> {
    let preferred = operation.csv.as_ref().filter(|_| choose_media_type(&parts.headers, true) == Some(MediaType::Csv));
    let (body, kind, next) = match preferred {
        None => (answer.body, HeaderValue::from_static("application/json"), None),
        Some(csv) => {
            let page = csv.write(&answer.body).map_err(|why| {
                let operation = &operation.route.operation;
                tracing::error!(request = %request_id, operation, why, "an answer is no table");
                Problem::new("MODULE_FAILED")
            })?;
            (page.text.into(), CSV, page.next)
        }
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    if operation.csv.is_some() {
        headers.insert(header::VARY, HeaderValue::from_static("accept"));
    }
    if let Some(value) = next.and_then(|next| HeaderValue::from_str(&link(&parts.uri, &next)).ok()) {
        headers.insert(header::LINK, value);
    }
    if let Some(value) = answer.etag.and_then(|etag| HeaderValue::from_str(&format!("\"{etag}\"")).ok()) {
        headers.insert(header::ETAG, value);
    }
    if let Some(value) = operation.route.cache_control.as_ref().and_then(|value| HeaderValue::from_str(value).ok()) {
        headers.insert(header::CACHE_CONTROL, value);
    }
    if answer.replayed {
        headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Where the record is that an operation made: the path of the request and the record's id. The same for the first
/// answer and for its replay.
pub fn locate(uri: &Uri, answer: &Answer) -> Option<HeaderValue> {
    #[derive(Deserialize)]
    struct Made {
        id: Uuid,
    }
    let made: Made = serde_json::from_slice(&answer.body).ok().filter(|_| answer.status == 201)?;
    HeaderValue::from_str(&format!("{}/{}", uri.path(), made.id)).ok()
}

/// Where the next page is (RFC 8288): the same question with another cursor.
fn link(uri: &Uri, next: &str) -> String {
    let others =
        uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("cursor="));
    let cursor = percent_encoding::utf8_percent_encode(next, ESCAPED);
    let query: String = others.map(|pair| format!("{pair}&")).collect();
    format!("<{}?{query}cursor={cursor}>; rel=\"next\"", uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_record_is_below_the_path_of_its_request() {
        let id = "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d01";
        for (status, body, expected) in [
            (201, format!(r#"{{"name": "a", "id": "{id}"}}"#), Some(format!("/v1/a/{id}"))),
            (200, format!(r#"{{"id": "{id}"}}"#), None),
            (201, r#"{"id": "x"}"#.to_owned(), None),
            (201, "{}".to_owned(), None),
        ] {
            let answer = Answer { status, body: body.clone().into(), etag: None, replayed: false, credential: false };
            let location = locate(&"/v1/a?b=c".parse().unwrap(), &answer);
            assert_eq!(location.as_ref().and_then(|value| value.to_str().ok()), expected.as_deref(), "{status} {body}");
        }
    }

    #[test]
    fn the_next_page_asks_the_same_with_another_cursor() {
        for (asked, next) in [
            ("/v1/a", "</v1/a?cursor=c-d%20e>; rel=\"next\""),
            ("/v1/a?limit=2", "</v1/a?limit=2&cursor=c-d%20e>; rel=\"next\""),
            ("/v1/a?cursor=b&limit=2&from=x%26y", "</v1/a?limit=2&from=x%26y&cursor=c-d%20e>; rel=\"next\""),
        ] {
            assert_eq!(link(&asked.parse().unwrap(), "c-d e"), next, "{asked}");
        }
    }
}
