//! Whether a caller takes JSON, and whether what it sends is JSON.

use http::{HeaderMap, header};

/// `Accept` admits application/json (absent: anything goes).
pub fn accepts_json(headers: &HeaderMap) -> bool {
    let ranges = headers.get_all(header::ACCEPT);
    if ranges.iter().all(http::HeaderValue::is_empty) {
        return true;
    }
    ranges.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let refused = parts.any(|parameter| {
            parameter.strip_prefix("q=").is_some_and(|weight| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0))
        });
        let admits = ["*/*", "application/*", "application/json", "application/problem+json"]
            .iter()
            .any(|known| media.eq_ignore_ascii_case(known));
        admits && !refused
    })
}

/// `Content-Type` is application/json, in UTF-8 where it says a charset, and nothing is encoded on top.
pub fn is_json(headers: &HeaderMap) -> bool {
    let encoded = |value: &http::HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(encoded) {
        return false;
    }
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let mut parts = value.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default();
    media.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| {
            let Some((name, value)) = parameter.split_once('=') else { return parameter.is_empty() };
            !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, http::HeaderValue::from_static(value))])
    }

    #[test]
    fn accept() {
        for (value, admitted) in [
            ("application/json", true),
            ("*/*", true),
            ("text/html, application/*;q=0.5", true),
            ("text/html", false),
            ("application/json;q=0", false),
            ("", true),
        ] {
            assert_eq!(accepts_json(&headers(header::ACCEPT, value)), admitted, "{value}");
        }
        assert!(accepts_json(&HeaderMap::new()));
    }

    #[test]
    fn content_type() {
        for (value, json) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json; charset=latin1", false),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
        ] {
            assert_eq!(is_json(&headers(header::CONTENT_TYPE, value)), json, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
