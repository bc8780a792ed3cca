//! Calls from pages of configured origins. Without any there is no word of CORS in an answer, and browsers refuse by themselves.

use std::str::FromStr;

use axum::Router;
use http::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, IF_MATCH, LINK, LOCATION, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Method};
use serde::Serialize;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Headers of an answer that a page may read besides its body.
const EXPOSED: [HeaderName; 9] = [
    ETAG,
    LINK,
    LOCATION,
    RETRY_AFTER,
    HeaderName::from_static("idempotency-replayed"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// `https://shop.example`: scheme, host and port, as browsers send it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Origin(String);

impl Origin {
    pub fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Origin, String> {
        let known = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        match known {
            Some(host) if !host.is_empty() && !host.contains(['/', '*', '?', '#', '@', ' ']) => {
                Ok(Origin(text.to_string()))
            }
            _ => Err(format!("`{text}` is no origin: scheme://host[:port]")),
        }
    }
}

/// The router, answering preflights and marking answers for these origins. Credentials are bearer tokens, never cookies.
pub fn allow(router: Router, origins: &[Origin]) -> Router {
    if origins.is_empty() {
        return router;
    }
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().filter_map(Origin::header)))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([AUTHORIZATION, CONTENT_TYPE, IF_MATCH, HeaderName::from_static("idempotency-key")])
        .expose_headers(EXPOSED);
    router.layer(layer)
}
