//! Parts of the pages of commerce: forms with their hidden fields, labelled fields that keep what was typed, tables.

use maud::{Markup, Render, html};
use serde_json::Value;
use uuid::Uuid;

use crate::page::Visit;
use crate::shop::{Said, word};

/// A field of the form that was sent; "" if it is absent.
pub fn value_of<'v>(visit: &'v Visit, name: &str) -> &'v str {
    visit.form.get(name).unwrap_or_default().trim()
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

/// Members of records as hidden fields.
pub type Hidden<'v> = &'v [(&'v str, &'v Value)];

/// A form that POSTs to `target`. `id`: its own and, up to the first `-`, the name of its action.
pub fn form(visit: &Visit, said: &Said, target: &str, id: &str, hidden: Hidden<'_>, body: Markup) -> Markup {
    let action = id.split('-').next().unwrap_or(id);
    let kept = Some(value_of(visit, "key")).filter(|_| said.keeps_key() && value_of(visit, "form") == id);
    let key = kept.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned);
    html! {
        form id=(id) method="post" action=(target) {
            @for (name, value) in [("csrf", visit.csrf.as_str()), ("key", key.as_str()), ("action", action), ("form", id)] {
                input type="hidden" name=(name) value=(value);
            }
            @for (name, value) in hidden {
                input type="hidden" name=(name) value=(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
            (body)
        }
    }
}

/// A field for a decimal. `is_first`: the one that a scanner or a cashier types into.
pub fn decimal(visit: &Visit, name: &str, label: &str, is_first: bool) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input id=(name) name=(name) inputmode="decimal" autocomplete="off" maxlength="40" value=(value_of(visit, name))
                autofocus[is_first] data-scan[is_first];
        }
    }
}

/// A field for a text of one line, of at most so many characters.
pub fn line(visit: &Visit, name: &str, label: &str, most: u16) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input id=(name) name=(name) autocomplete="off" maxlength=(most) value=(value_of(visit, name));
        }
    }
}

/// A choice among values with their labels. `empty`: the label of none.
pub fn select(visit: &Visit, name: &str, label: &str, empty: &str, values: &[(&str, String)]) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { (empty) }
                @for (value, label) in values { option value=(value) selected[value_of(visit, name) == *value] { (label) } }
            }
        }
    }
}

/// The values of an enumeration in the body of an operation, in words. `path`: names of members, through lists.
pub fn choices<'v>(visit: &'v Visit, id: &str, path: &[&str]) -> Vec<(&'v str, String)> {
    let site = &visit.site;
    let body = site.operation(id).and_then(|operation| operation.body.as_ref()).unwrap_or(&Value::Null);
    let mut schema = site.resolve(body).schema;
    for name in path {
        let member = schema.get("properties").and_then(|members| members.get(name)).unwrap_or(&Value::Null);
        schema = site.resolve(member).schema;
        if let Some(items) = schema.get("items") {
            schema = site.resolve(items).schema;
        }
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
