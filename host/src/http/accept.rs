//! In which form a caller takes an answer, and whether what it sends is JSON.

use http::{HeaderMap, header};

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    Json,
    Csv,
}

/// The form that a caller prefers of those that there are: JSON, unless it prefers CSV. `None`: it takes neither.
pub fn choose_media_type(headers: &HeaderMap, has_csv: bool) -> Option<MediaType> {
    if has_csv && preference(headers, "text/csv") > preference(headers, "application/json") {
        return Some(MediaType::Csv);
    }
    accepts_json(headers).then_some(MediaType::Json)
}

/// Returns whether the caller prefers a page to JSON, as a browser does.
pub fn prefers_page(headers: &HeaderMap) -> bool {
    preference(headers, "text/html") > preference(headers, "application/json")
}

/// A caller's preference for a media type: the weight of the range that names it most closely, and how closely that does. `None`:
/// no range names it, or one says that it will not do.
fn preference(headers: &HeaderMap, media: &str) -> Option<(f32, u8)> {
    let whole_kind = media.split_once('/').map(|(kind, _)| format!("{kind}/*")).unwrap_or_default();
    let closeness = |range: &str| match range {
        _ if range.eq_ignore_ascii_case(media) => Some(2),
        _ if range.eq_ignore_ascii_case(&whole_kind) => Some(1),
        "*/*" => Some(0),
        _ => None,
    };
    let mut closest: Option<(u8, f32)> = None;
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    for range in values.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let Some(close) = closeness(parts.next().unwrap_or_default()) else { continue };
        let weight = parts.find_map(|parameter| parameter.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
        if closest.is_none_or(|known| (close, weight) > known) {
            closest = Some((close, weight));
        }
    }
    closest.filter(|(_, weight)| *weight > 0.0).map(|(close, weight)| (weight, close))
}

/// `Accept` admits application/json (absent: anything goes).
fn accepts_json(headers: &HeaderMap) -> bool {
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
    fn only_a_browser_prefers_a_page() {
        for (value, page) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("text/html", true),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html;q=0.5", false),
            ("text/html;q=0", false),
        ] {
            assert_eq!(prefers_page(&headers(header::ACCEPT, value)), page, "{value}");
        }
        assert!(!prefers_page(&HeaderMap::new()));
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
    fn csv_is_for_those_who_like_it_more() {
        for (value, form) in [
            ("text/csv", Some(MediaType::Csv)),
            ("TEXT/CSV; charset=utf-8", Some(MediaType::Csv)),
            ("text/*", Some(MediaType::Csv)),
            ("text/csv, */*", Some(MediaType::Csv)),
            ("text/csv, */*;q=0.1", Some(MediaType::Csv)),
            ("application/json;q=0.5, text/csv;q=0.6", Some(MediaType::Csv)),
            ("application/json;q=0, */*", Some(MediaType::Csv)),
            ("application/json, text/csv", Some(MediaType::Json)),
            ("application/json, text/csv;q=0.9", Some(MediaType::Json)),
            ("text/csv;q=0.5, */*", Some(MediaType::Json)),
            ("text/csv;q=0, */*", Some(MediaType::Json)),
            ("*/*", Some(MediaType::Json)),
            ("", Some(MediaType::Json)),
            ("text/csv;q=0", None),
            ("text/html", None),
            ("text/csvx", None),
        ] {
            assert_eq!(choose_media_type(&headers(header::ACCEPT, value), true), form, "{value}");
        }
        assert_eq!(choose_media_type(&HeaderMap::new(), true), Some(MediaType::Json));
        assert_eq!(choose_media_type(&headers(header::ACCEPT, "text/csv"), false), None);
        assert_eq!(choose_media_type(&headers(header::ACCEPT, "text/csv, */*;q=0.1"), false), Some(MediaType::Json));
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
