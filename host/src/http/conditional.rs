//! `If-None-Match`: whether a caller already has what it asks for.

use http::{HeaderMap, header};

/// Returns whether the header names this tag, weakly compared (RFC 9110, 13.1.2), or any.
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|tag| tag.trim() == "*" || strong(tag) == strong(etag))
}
