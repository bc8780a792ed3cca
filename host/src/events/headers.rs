//! The headers of a delivery, its signature among them.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::body::OutboxEvent;
use super::endpoint::Secrets;
use super::sign;
use crate::observe::parent;

const AGENT: &str = concat!("stoa-webhooks/", env!("CARGO_PKG_VERSION"));

/// Headers of a delivery. `now`: milliseconds since 1970.
pub fn list(secrets: &Secrets, now: i64, body: &str, event: &OutboxEvent) -> HeaderMap {
    let timestamp = now / 1000;
    let (secret, next) = secrets.choose(now);
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(AGENT));
    let mut insert = |name: &'static str, text: String| {
        // Hexadecimal digits, numbers and ids: every one is a header's value.
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    insert("x-webhook-signature", sign::sign(secret, timestamp, body.as_bytes()));
    if let Some(next) = next {
        insert("x-webhook-signature-next", sign::sign(next, timestamp, body.as_bytes()));
    }
    insert("x-webhook-timestamp", timestamp.to_string());
    insert("x-event-id", event.id.to_string());
    insert("x-request-id", event.request.to_string());
    if let Some(trace) = &event.trace {
        insert(parent::HEADER, trace.clone());
    }
    headers
}
