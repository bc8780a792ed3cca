//! Values of the operators' API as parts of a page.

use maud::{Markup, html};
use serde_json::Value;

use crate::clock::Clock;

/// A cell of a table: the value at a pointer of its row, or what a function draws of the row.
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

/// An instant in UTC; other values as texts.
pub fn draw_value(value: &Value) -> Markup {
    let whole = show(value);
    let shown = Clock { zone: chrono_tz::UTC }.to_text(&whole);
    html! {
        @if shown == whole { (whole) } @else { time datetime=(whole) { (shown.replace('T', " ")) " UTC" } }
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
