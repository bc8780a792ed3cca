//! Parts of the pages of commerce: forms with their hidden fields, fields that keep what was typed, tables, and figures.

use http::StatusCode;
use maud::{Markup, Render, html};
use serde_json::Value;
use uuid::Uuid;

use crate::page::Visit;
use crate::shop::{Said, text};
use crate::show::value::{amount, member};

/// A field of the form that was sent; "" if it is absent.
pub fn value_of<'v>(visit: &'v Visit, name: &str) -> &'v str {
    visit.form.get(name).unwrap_or_default().trim()
}

/// The name of the form that was sent: its id up to the first `-`.
pub fn action(visit: &Visit) -> &str {
    value_of(visit, "form").split('-').next().unwrap_or_default()
}

/// A number of the form, such as a version that was seen; another text as it is, which the host rejects at its member.
pub fn number(visit: &Visit, name: &str) -> Value {
    let text = value_of(visit, name);
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

/// A text of the form; null if it is empty.
pub fn or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

/// A form that POSTs to the address of its page. After a 5xx, a 429 or no response it has the same key: sent again, it
/// has no second effect.
pub fn form(visit: &Visit, said: &Said, id: &str, hidden: &[(&str, &Value)], body: Markup) -> Markup {
    let is_unsure = said.status().is_server_error() || said.status() == StatusCode::TOO_MANY_REQUESTS;
    let key = match is_unsure && value_of(visit, "form") == id {
        true => value_of(visit, "key").to_owned(),
        false => Uuid::now_v7().to_string(),
    };
    html! {
        form id=(id) method="post" {
            @for (name, value) in [("csrf", visit.csrf.as_str()), ("key", key.as_str()), ("form", id)] {
                input type="hidden" name=(name) value=(value);
            }
            @for (name, value) in hidden {
                input type="hidden" name=(name) value=(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
            (body)
        }
    }
}

/// A control with its label.
pub fn field(name: &str, label: &str, control: Markup) -> Markup {
    html! { div.field { label for=(name) { (label) } (control) } }
}

/// A field for a decimal. `is_first`: the one that a scanner or a cashier types into.
pub fn decimal(visit: &Visit, name: &str, label: &str, is_first: bool) -> Markup {
    let control = html! {
        input id=(name) name=(name) inputmode="decimal" autocomplete="off" maxlength="40" value=(value_of(visit, name))
            autofocus[is_first] data-scan[is_first];
    };
    field(name, label, control)
}

/// A field for a text of one line, of at most so many characters.
pub fn line(visit: &Visit, name: &str, label: &str, most: u16) -> Markup {
    let control = html! {
        input id=(name) name=(name) autocomplete="off" maxlength=(most) value=(value_of(visit, name));
    };
    field(name, label, control)
}

/// A choice among values with their labels. `empty`: the label of no choice.
pub fn select(visit: &Visit, name: &str, label: &str, empty: &str, values: &[(&str, String)]) -> Markup {
    let control = html! {
        select id=(name) name=(name) {
            option value="" { (empty) }
            @for (value, label) in values { option value=(value) selected[value_of(visit, name) == *value] { (label) } }
        }
    };
    field(name, label, control)
}

/// The values of an enumeration in the body of an operation, in words. `path`: names of members, through lists.
pub fn choices<'v>(visit: &'v Visit, id: &str, path: &[&str]) -> Vec<(&'v str, String)> {
    let site = &visit.site;
    let body = site.operation(id).and_then(|operation| operation.body.as_ref()).unwrap_or(&Value::Null);
    let mut schema = site.resolve(body).schema;
    for name in path {
        schema = site.resolve(member(schema, name)).schema;
        schema = schema.get("items").map_or(schema, |items| site.resolve(items).schema);
    }
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    values.map(|value| (value, word(value))).collect()
}

/// A table. The head of a column of figures begins with `>`.
pub fn table<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [Markup; N]>) -> Markup {
    let heads = heads.map(|head| head.strip_prefix('>').map_or((head, None), |head| (head, Some("number"))));
    html! {
        table.cards {
            thead { tr { @for (head, class) in heads { th scope="col" class=[class] { (head) } } } }
            tbody {
                @for row in rows {
                    tr { @for ((head, class), cell) in heads.iter().zip(row) { td data-label=(head) class=[*class] { (cell) } } }
                }
            }
        }
    }
}

pub fn cell(content: impl Render) -> Markup {
    content.render()
}

pub fn link(address: impl Render, label: impl Render) -> Markup {
    html! { a href=(address) { (label) } }
}

/// `PARTIALLY_RECEIVED` as "partially received".
pub fn word(code: &str) -> String {
    code.replace('_', " ").to_lowercase()
}

/// An amount of a record with its currency.
pub fn money(record: &Value, member: &str) -> String {
    format!("{} {}", amount(text(record, member)), text(record, "currencyCode"))
}

/// A decimal of a response without the zeros at its end: `3`, `0.25`.
pub fn quantity(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

/// Millionths of a decimal of a response, for exact sums; zero for another text.
pub fn to_millionths(decimal: &str) -> i128 {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    format!("{whole}{fraction:0<6.6}").parse().unwrap_or_default()
}

pub fn from_millionths(units: i128) -> String {
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millionths_are_exact() {
        let largest = ("999999999999.999999", 999_999_999_999_999_999);
        for (decimal, units) in [("0.000001", 1), ("-0.500000", -500_000), ("12.000000", 12_000_000), largest] {
            assert_eq!((to_millionths(decimal), from_millionths(units).as_str()), (units, decimal));
        }
        assert_eq!(["", "1,5", "1e3", "1.x"].map(to_millionths), [0; 4]);
        assert_eq!(["3.000000", "0.250000", "10", "0.000000"].map(quantity), ["3", "0.25", "10", "0"]);
    }
}
