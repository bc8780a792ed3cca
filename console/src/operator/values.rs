//! Values of the operators' API as texts of a page.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// A scalar as it is, null as nothing, a list with commas.
pub fn show(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(entries) => entries.iter().map(show).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `2026-11-27T02:10:29.123Z` to the second, in UTC.
pub fn instant(value: &Value) -> Markup {
    let whole = value.as_str().unwrap_or_default();
    let shown = whole.get(..19).unwrap_or(whole).replacen('T', " ", 1);
    html! {
        @if !whole.is_empty() { time datetime=(whole) { (shown) " UTC" } }
    }
}

/// The first digits of a digest or an id.
pub fn short(text: &str) -> &str {
    text.get(..12).unwrap_or(text)
}

/// `?a=b&c=d` of the pairs that have a value.
pub fn query(pairs: &[(&str, Option<&str>)]) -> String {
    let stated = pairs.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let pairs: Vec<String> =
        stated.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// A table whose cells have the heads as labels, for narrow screens. Without rows: a sentence.
pub fn table(caption: &str, heads: &[&str], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    let mut rows = rows.into_iter().peekable();
    html! {
        h2 { (caption) }
        @if rows.peek().is_none() { p { "None." } } @else {
            table.cards {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (head, cell) in heads.iter().zip(row) { td data-label=(head) { (cell) } } }
                    }
                }
            }
        }
    }
}

/// A text as a cell of a table.
pub fn cell(text: impl AsRef<str>) -> Markup {
    html! { (text.as_ref()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_shown_as_texts() {
        let value = json!({ "none": null, "text": "a", "count": 3, "list": ["a", 1] });
        assert_eq!(["none", "text", "count", "list"].map(|name| show(&value[name])), ["", "a", "3", "a, 1"]);
        let shown = instant(&json!("2026-11-27T02:10:29.123Z")).into_string();
        assert_eq!(shown, "<time datetime=\"2026-11-27T02:10:29.123Z\">2026-11-27 02:10:29 UTC</time>");
        assert_eq!(instant(&Value::Null).into_string(), "");
    }

    #[test]
    fn a_query_has_the_stated_pairs() {
        assert_eq!(query(&[("text", Some("a b&c")), ("after", None), ("status", Some(""))]), "?text=a%20b%26c");
        assert_eq!(query(&[("text", None)]), "");
    }
}
