//! From the pairs of a form to JSON, and from JSON to the values of fields.

use std::collections::HashMap;

use chrono::DateTime;
use serde_json::{Map, Value};

use super::fault::{Fault, Faults, Places};
use super::field::{Field, Kind};
use super::{MOST_COUNTED, Values};
use crate::clock::Clock;
use crate::pairs::Pairs;
use crate::site::Site;
use crate::site::operation::{Operation, Place};

/// A request that a form states.
#[derive(Debug)]
pub struct Sent {
    pub body: Option<Value>,
    /// Parameters of the path that the address of the page does not have.
    pub path: Vec<(String, String)>,
    pub key: Option<String>,
    pub etag: Option<String>,
    pub places: Places,
}

/// Reads a form. The error: fields of JSON that are none, so that nothing can be sent.
pub fn read(site: &Site, operation: &Operation, pairs: &Pairs, clock: &Clock) -> Result<Sent, Faults> {
    let mut reader = Reader { values: Values::new(pairs), clock, places: HashMap::new(), faults: Vec::new() };
    let mut body = Field::of_body(site, operation, &[]).and_then(|field| reader.read(&field, "", ""));
    let version = reader.values.text("version");
    if let (Some(Value::Object(members)), false) = (&mut body, version.is_empty()) {
        members.insert(VERSION.to_owned(), read_integer(version));
    }
    let hidden = |name: &str| Some(reader.values.text(name).to_owned()).filter(|text| !text.is_empty());
    let asked = operation.parameters.iter().filter(|parameter| parameter.place == Place::Path);
    let asked = asked.filter_map(|parameter| Some((parameter.name.clone(), hidden(&format!("p/{}", parameter.name))?)));
    let (path, key, etag) = (asked.collect(), hidden("key"), hidden("etag"));
    let mut places = reader.places;
    for parameter in &operation.parameters {
        let (kind, name) = match parameter.place {
            Place::Path => ("path", format!("p/{}", parameter.name)),
            Place::Query => ("query", parameter.name.clone()),
        };
        places.insert(format!("/{kind}/{}", parameter.name), name);
    }
    if reader.faults.is_empty() {
        return Ok(Sent { body, path, key, etag, places });
    }
    Err(Faults { title: Some("Nothing was sent.".to_owned()), items: reader.faults, ..Faults::default() })
}

/// A member that forms do not ask for if the record has a version.
pub const VERSION: &str = "expectedVersion";

struct Reader<'a> {
    values: Values<'a>,
    clock: &'a Clock,
    places: Places,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    /// The value of a field, whose pointers are `form` in the form and `json` in the body. None: it is left out.
    fn read(&mut self, field: &Field<'_>, form: &str, json: &str) -> Option<Value> {
        let name = format!("v{form}");
        self.places.insert(json.to_owned(), name.clone());
        let text = self.values.text(&name);
        let or_blank = |value: Value| if text.is_empty() { field.blank() } else { Some(value) };
        match &field.kind {
            Kind::Fixed(value) => Some((*value).clone()),
            Kind::Boolean(Some(_)) => Some(Value::Bool(!text.is_empty())),
            Kind::Boolean(None) => or_blank(Value::Bool(text == "true")),
            Kind::Text { .. } | Kind::Choice(_) | Kind::Date | Kind::Decimal | Kind::Reference(_) => {
                or_blank(Value::String(to_lines(text)))
            }
            Kind::Integer => or_blank(read_integer(text)),
            Kind::Instant => or_blank(Value::String(self.clock.from_text(text))),
            Kind::Choices(_) | Kind::References(_) | Kind::Lines => {
                let lines = self.values.all(&name).iter().flat_map(|text| text.lines()).map(str::trim);
                list(field, lines.filter(|line| !line.is_empty()).map(Value::from).collect())
            }
            Kind::Object(members) => {
                if field.may_lack() && self.is_blank(field, form) {
                    return field.required.then_some(Value::Null);
                }
                Some(Value::Object(self.read_members(members, form, json)))
            }
            Kind::Rows { item, .. } => {
                let mut items = Vec::new();
                for index in 0..self.values.count(form) {
                    let row = format!("{form}/{index}");
                    if !self.is_blank(item, &row) {
                        let value = self.read(item, &row, &format!("{json}/{}", items.len()));
                        items.extend(value);
                    }
                }
                list(field, items)
            }
            Kind::Branches { property, branches } => {
                let chosen = self.values.text(&join(&name, property));
                let branch = branches.iter().find(|(value, _)| *value == chosen);
                if branch.is_none() && field.may_lack() {
                    return field.required.then_some(Value::Null);
                }
                self.places.insert(join(json, property), join(&name, property));
                let mut object = Map::new();
                object.insert((*property).to_owned(), chosen.into());
                if let Some((_, members)) = branch {
                    object.extend(self.read_members(members, form, json));
                }
                Some(Value::Object(object))
            }
            Kind::Json if text.is_empty() => field.blank(),
            Kind::Json => match serde_json::from_str(text) {
                Ok(value) => Some(value),
                Err(error) => {
                    let text = format!("This is not JSON: {error}.");
                    self.faults.push(Fault { place: Some(name), text, link: None });
                    None
                }
            },
        }
    }

    fn read_members(&mut self, members: &[Field<'_>], form: &str, json: &str) -> Map<String, Value> {
        let mut object = Map::new();
        for member in members {
            if let Some(value) = self.read(member, &join(form, member.name), &join(json, member.name)) {
                object.insert(member.name.to_owned(), value);
            }
        }
        object
    }

    /// True if nothing was typed or chosen.
    fn is_blank(&self, field: &Field<'_>, form: &str) -> bool {
        let name = format!("v{form}");
        let are_blank =
            |members: &[Field<'_>]| members.iter().all(|member| self.is_blank(member, &join(form, member.name)));
        match &field.kind {
            Kind::Fixed(_) => true,
            Kind::Boolean(Some(default)) => self.values.all(&name).is_empty() != *default,
            Kind::Object(members) => are_blank(members),
            Kind::Rows { item, .. } => {
                (0..self.values.count(form)).all(|index| self.is_blank(item, &format!("{form}/{index}")))
            }
            Kind::Branches { property, .. } => self.values.text(&join(&name, property)).is_empty(),
            _ => self.values.all(&name).iter().all(|text| text.trim().is_empty()),
        }
    }
}

/// A list that has no items is left out if it may be.
fn list(field: &Field<'_>, items: Vec<Value>) -> Option<Value> {
    match (items.is_empty(), field.required, field.nullable) {
        (true, false, _) => None,
        (true, true, true) => Some(Value::Null),
        _ => Some(Value::Array(items)),
    }
}

/// A browser sends line feeds behind carriage returns.
fn to_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// A number if it is one as JSON writes it; else the text, which the host rejects.
fn read_integer(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => number.into(),
        _ => text.into(),
    }
}

/// The pointer of a member.
pub fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The pairs that a browser would send for this value: the inverse of `read`. `None`: those of a new form.
pub fn fill(field: &Field<'_>, value: Option<&Value>, pointer: &str, clock: &Clock, pairs: &mut Pairs) {
    let mut add = |text: String| pairs.0.push((format!("v{pointer}"), text));
    let value = value.filter(|value| !value.is_null());
    match (&field.kind, value) {
        (Kind::Fixed(_), _) => {}
        (Kind::Boolean(Some(default)), _) => {
            if value.and_then(Value::as_bool).unwrap_or(*default) {
                add("on".to_owned());
            }
        }
        (Kind::Object(members), _) => {
            for member in members {
                let value = value.and_then(|value| value.get(member.name));
                fill(member, value, &join(pointer, member.name), clock, pairs);
            }
        }
        (Kind::Rows { item, least, .. }, _) => {
            let rows = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let count = rows.len().max(*least).max(usize::from(field.required)).min(MOST_COUNTED);
            pairs.0.push((format!("n{pointer}"), count.to_string()));
            for index in 0..count {
                fill(item, rows.get(index), &format!("{pointer}/{index}"), clock, pairs);
            }
        }
        (Kind::Branches { property, branches }, Some(value)) => {
            let chosen = value.get(*property).and_then(Value::as_str).unwrap_or_default();
            pairs.0.push((format!("v{}", join(pointer, property)), chosen.to_owned()));
            for member in branches.iter().filter(|(value, _)| *value == chosen).flat_map(|(_, members)| members) {
                fill(member, value.get(member.name), &join(pointer, member.name), clock, pairs);
            }
        }
        (_, None) => {}
        (Kind::Json, Some(value)) => add(serde_json::to_string_pretty(value).unwrap_or_default()),
        (Kind::Choices(_) | Kind::References(_), Some(Value::Array(values))) => {
            values.iter().for_each(|value| add(to_text(value)));
        }
        (Kind::Lines, Some(Value::Array(values))) => {
            add(values.iter().map(to_text).collect::<Vec<_>>().join("\n"));
        }
        (Kind::Instant, Some(value)) => add(to_zone(clock, &to_text(value))),
        (_, Some(value)) => add(to_text(value)),
    }
}

fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An instant in the company's zone. One that is not read back as itself (the second of two equal hours, milliseconds) stays as it
/// is.
fn to_zone(clock: &Clock, instant: &str) -> String {
    let text = clock.to_text(instant);
    let read = |text: &str| DateTime::parse_from_rfc3339(text).ok();
    if read(&clock.from_text(&text)) == read(instant) { text } else { instant.to_owned() }
}
