//! Values of the operators' API as parts of a page.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::address;

/// What a cell of a table shows of its row: the value at a pointer, or what a function draws.
pub enum Cell<'a> {
    At(&'a str),
    By(&'a dyn Fn(&Value) -> Markup),
}

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
    value[name].as_str().unwrap_or_default()
}

pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// An instant in UTC to the second; other values as texts.
pub fn draw_value(value: &Value) -> Markup {
    let whole = show(value);
    let is_instant = whole.len() >= 20 && whole.as_bytes().get(10) == Some(&b'T') && whole.ends_with('Z');
    match whole.get(..19).filter(|_| is_instant) {
        Some(shown) => html! { time datetime=(whole) { (shown.replacen('T', " ", 1)) " UTC" } },
        None => html! { (whole) },
    }
}

/// A table whose cells have the heads as labels, for narrow screens.
pub fn table(caption: &str, rows: &[Value], columns: &[(&str, Cell<'_>)]) -> Markup {
    let draw = |row: &Value, cell: &Cell| match cell {
        Cell::At(pointer) => row.pointer(pointer).map(draw_value).unwrap_or_default(),
        Cell::By(draw) => draw(row),
    };
    html! {
        h2 { (caption) }
        @if rows.is_empty() { p { "None." } } @else {
            table.cards {
                thead { tr { @for (head, _) in columns { th scope="col" { (head) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (head, cell) in columns { td data-label=(head) { (draw(row, cell)) } } }
                    }
                }
            }
        }
    }
}

/// `?a=b&c=d` of the pairs that have a value.
pub fn query(pairs: &[(&str, Option<&str>)]) -> String {
    let stated = pairs.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let pairs = stated.map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    let query = pairs.collect::<Vec<_>>().join("&");
    if query.is_empty() { query } else { format!("?{query}") }
}

/// The link to the next page of a list, if there is one: `next` is what the parameter `name` says there.
pub fn draw_next(path: &str, filter: &[(&str, Option<&str>)], name: &str, next: &Value) -> Markup {
    let next = show(next);
    let pairs = [filter, &[(name, Some(next.as_str()))][..]].concat();
    html! {
        @if !next.is_empty() { p.pager { a href=(address(&format!("{path}{}", query(&pairs)))) { "Next" } } }
    }
}
