//! A JSON value as its schema describes it.

use chrono::DateTime;
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::call::{Context, Problem};
use crate::clock::Clock;
use crate::form::reference::{Names, Offers, names};
use crate::page::Visit;
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::words;

/// Values deeper than this are shown as JSON.
const DEEPEST: usize = 6;
/// Members that say nothing to a user.
const UNSHOWN: [&str; 3] = ["tenantId", "id", "nextCursor"];

/// Collections whose titles a page reads, at most.
const MOST_NAMES: usize = 4;

/// Shows the values of one response.
pub struct View<'a> {
    pub visit: &'a Visit,
    pub context: &'a Context,
    pub operation: &'a Operation,
    /// The parameters of its path.
    pub known: &'a [(String, String)],
    pub clock: Clock,
    pub names: Names,
}

impl<'a> View<'a> {
    pub async fn new(
        visit: &'a Visit,
        operation: &'a Operation,
        known: &'a [(String, String)],
    ) -> Result<View<'a>, Problem> {
        let context = visit.context().await?;
        Ok(View { visit, context, operation, known, clock: Clock { zone: context.zone }, names: Names::default() })
    }

    pub fn permits(&self, operation: &Operation) -> bool {
        operation.access.permits(&self.context.permissions)
    }

    /// Reads the titles of the records that the columns of a list name, or all members of other rows.
    pub async fn name_rows(&mut self, list: Option<&Collection>, rows: &[Value], offers: Option<&Offers>) {
        let mut wanted = Vec::new();
        for row in rows {
            match list {
                Some(list) => {
                    let columns = list.columns.iter().filter_map(|name| Some((name, row.get(name)?)));
                    columns.for_each(|(name, value)| self.collect(name, value, &mut wanted));
                }
                None => self.collect("", row, &mut wanted),
            }
        }
        wanted.retain(|(collection, _)| offers.is_none_or(|offers| !offers.has(collection)));
        wanted.truncate(MOST_NAMES);
        self.names = names(self.visit, &wanted).await;
    }

    /// The members of an object as a list of definitions.
    pub fn object(&self, schema: &Value, object: &Value, without: &[&str], depth: usize) -> Markup {
        let schema = self.visit.site.resolve(schema).schema;
        let is_shown = |name: &str| !without.contains(&name) && !UNSHOWN.contains(&name);
        let members = object.as_object().into_iter().flatten().filter(|(name, _)| is_shown(name));
        let members: Vec<(&String, &Value)> = members.collect();
        html! {
            @if !members.is_empty() {
                dl.record {
                    @for (name, value) in members {
                        dt { (words::to_label(name)) }
                        dd { (self.value(member(schema, name), name, value, depth)) }
                    }
                }
            }
        }
    }

    /// A value; `name` is that of its member.
    pub fn value(&self, schema: &Value, name: &str, value: &Value, depth: usize) -> Markup {
        let schema = self.visit.site.resolve(schema).schema;
        match value {
            Value::Null => html! { span.hint { "none" } },
            Value::Bool(is_true) => html! { (if *is_true { "Yes" } else { "No" }) },
            Value::Number(number) => html! { (number.to_string()) },
            Value::String(text) => self.text(schema, name, text),
            Value::Array(values) if values.is_empty() => html! { span.hint { "none" } },
            Value::Array(values) => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                if values.iter().all(Value::is_object) && depth < DEEPEST {
                    return self.table(item, name, values, depth + 1);
                }
                html! { ul.plain { @for value in values { li { (self.value(item, name, value, depth + 1)) } } } }
            }
            Value::Object(_) if schema.get("properties").is_some() && depth < DEEPEST => {
                self.object(schema, value, &[], depth + 1)
            }
            Value::Object(_) => html! { pre { (serde_json::to_string_pretty(value).unwrap_or_default()) } },
        }
    }

    fn text(&self, schema: &Value, name: &str, text: &str) -> Markup {
        match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => instant(&self.clock, text),
            Some("uuid") => match self.visit.site.refers_at(self.operation, self.known, name) {
                Some(collection) => self.names.link(self.visit, collection, text),
                None => html! { code { (text) } },
            },
            _ if schema.get("enum").is_some() => html! { (words::to_words(text)) },
            _ if is_decimal(schema) => html! { (amount(text)) },
            _ => html! { (text) },
        }
    }

    /// A table of objects, with those members of its schema that a row has. A user of the keyboard can scroll it.
    fn table(&self, item: &Value, name: &str, rows: &[Value], depth: usize) -> Markup {
        let item = self.visit.site.resolve(item).schema;
        let members = item.get("properties").or(rows.first()).and_then(Value::as_object);
        let is_blank = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let has_value = |name: &str| rows.iter().any(|row| row.get(name).is_some_and(|value| !is_blank(value)));
        let columns = members.into_iter().flat_map(Map::keys).map(String::as_str);
        let columns: Vec<&str> = columns.filter(|name| !UNSHOWN.contains(name) && has_value(name)).collect();
        html! {
            div.wide tabindex="0" role="region" aria-label=(words::to_label(name)) {
                table.cards {
                    thead { tr { @for name in &columns { th scope="col" { (words::to_label(name)) } } } }
                    tbody { @for row in rows { tr { @for name in &columns { (self.cell(item, row, name, depth)) } } } }
                }
            }
        }
    }

    pub fn cell(&self, item: &Value, row: &Value, name: &str, depth: usize) -> Markup {
        let schema = member(item, name);
        let resolved = self.visit.site.resolve(schema);
        let is_number = is_decimal(resolved.schema) || resolved.kind() == "integer";
        let value = row.get(name).unwrap_or(&Value::Null);
        html! { td.number[is_number] data-label=(words::to_label(name)) { (self.value(schema, name, value, depth)) } }
    }

    /// Adds the ids in a member to those of their collections.
    fn collect(&self, name: &str, value: &Value, wanted: &mut Vec<(&'a Collection, Vec<String>)>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.collect(name, value, wanted)),
            Value::Object(members) => members.iter().for_each(|(name, value)| self.collect(name, value, wanted)),
            Value::String(id) => {
                let Some(collection) = self.visit.site.refers_at(self.operation, self.known, name) else { return };
                match wanted.iter_mut().find(|(known, _)| std::ptr::eq(*known, collection)) {
                    Some((_, ids)) => ids.push(id.clone()),
                    None => wanted.push((collection, vec![id.clone()])),
                }
            }
            _ => {}
        }
    }
}

/// The schema of a member.
pub fn member<'b>(schema: &'b Value, name: &str) -> &'b Value {
    schema.get("properties").and_then(|members| members.get(name)).unwrap_or(&Value::Null)
}

/// Exact decimals are texts with this pattern.
fn is_decimal(schema: &Value) -> bool {
    let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
    pattern.starts_with("^-?(0|[1-9][0-9]*)") && pattern.contains(r"\.[0-9]")
}

/// A decimal without the zeros at its end, two digits at least if it has as many.
pub fn amount(text: &str) -> String {
    let Some((whole, digits)) = text.split_once('.') else { return text.to_owned() };
    let length = digits.trim_end_matches('0').len().max(digits.len().min(2));
    format!("{whole}.{}", digits.get(..length).unwrap_or(digits))
}

/// An instant in the company's zone, without seconds.
pub fn instant(clock: &Clock, text: &str) -> Markup {
    let shown = DateTime::parse_from_rfc3339(text)
        .map(|instant| instant.with_timezone(&clock.zone).format("%Y-%m-%d %H:%M").to_string());
    html! { time datetime=(text) title=(text) { (shown.as_deref().unwrap_or(text)) } }
}
