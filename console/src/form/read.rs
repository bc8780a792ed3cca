//! From the pairs of a form to JSON, and from JSON to the values of fields.

use chrono::DateTime;
use serde_json::{Map, Value};

use super::fault::{Fault, Faults, Places};
use super::field::{Field, Kind};
use super::{MOST_COUNTED, Values};
use crate::clock::Clock;
use crate::pairs::Pairs;
use crate::site::Site;
use crate::site::operation::Operation;

/// A member that forms do not ask for if the record has a version.
pub const VERSION: &str = "expectedVersion";

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

/// Reads a form. The error: fields whose JSON is malformed, so that nothing can be sent.
pub fn read(site: &Site, operation: &Operation, pairs: &Pairs, clock: &Clock) -> Result<Sent, Faults> {
    let mut reader = Reader { values: Values::new(pairs), clock, places: Places::new(), faults: Vec::new() };
    let mut body = Field::from_body(site, operation, &[]).and_then(|field| reader.read(&field, "", ""));
    let Reader { values, mut places, faults, .. } = reader;
    if !faults.is_empty() {
        return Err(Faults::not_sent(faults));
    }
    let text = |name: &str| Some(values.text(name)).filter(|text| !text.is_empty());
    if let (Some(Value::Object(members)), Some(version)) = (&mut body, text("version")) {
        members.insert(VERSION.to_owned(), read_integer(version));
    }
    let hidden = |name: &str| text(name).map(str::to_owned);
    let (mut path, key, etag) = (Vec::new(), hidden("key"), hidden("etag"));
    for parameter in operation.path_parameters() {
        let name = format!("p/{}", parameter.name);
        path.extend(hidden(&name).map(|value| (parameter.name.clone(), value)));
        places.insert(format!("/path/{}", parameter.name), name);
    }
    Ok(Sent { body, path, key, etag, places })
}

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
        match &field.kind {
            Kind::Fixed(value) => Some((*value).clone()),
            Kind::Boolean(Some(_)) => Some(Value::Bool(!text.is_empty())),
            Kind::Choices(_) | Kind::References(_) | Kind::Lines => {
                to_list(field, self.values.lines(&name).map(Value::from).collect())
            }
            Kind::Rows(..) => {
                let mut items = Vec::new();
                for (row, item) in field.members_at(form, &self.values) {
                    if !self.is_blank(item, &row) {
                        items.extend(self.read(item, &row, &format!("{json}/{}", items.len())));
                    }
                }
                to_list(field, items)
            }
            Kind::Object(_) | Kind::Branches(..)
                if (!field.required || field.nullable) && self.is_blank(field, form) =>
            {
                field.required.then_some(Value::Null)
            }
            Kind::Object(_) | Kind::Branches(..) => {
                let mut object = Map::new();
                if let Kind::Branches(property, _) = field.kind {
                    let name = format!("{name}/{property}");
                    object.insert(property.to_owned(), self.values.text(&name).into());
                    self.places.insert(format!("{json}/{property}"), name);
                }
                for (pointer, member) in field.members_at(form, &self.values) {
                    let value = self.read(member, &pointer, &format!("{json}/{}", member.name));
                    object.extend(value.map(|value| (member.name.to_owned(), value)));
                }
                Some(object.into())
            }
            // The host rejects an empty text at this field.
            _ if text.is_empty() => field.required.then(|| if field.nullable { Value::Null } else { "".into() }),
            Kind::Boolean(None) => Some(Value::Bool(text == "true")),
            Kind::Integer => Some(read_integer(text)),
            Kind::Instant => Some(self.clock.read_text(text).into()),
            Kind::Json => {
                let read = serde_json::from_str(text);
                let fault =
                    |error| Fault { place: Some(name), text: format!("This is not JSON: {error}."), link: None };
                read.map_err(|error| self.faults.push(fault(error))).ok()
            }
            // A browser sends line feeds behind carriage returns.
            _ => Some(text.replace("\r\n", "\n").into()),
        }
    }

    /// True if nothing was typed or chosen.
    fn is_blank(&self, field: &Field<'_>, form: &str) -> bool {
        let name = format!("v{form}");
        match &field.kind {
            Kind::Fixed(_) => true,
            Kind::Boolean(Some(default)) => self.values.all(&name).is_empty() != *default,
            Kind::Branches(property, _) => self.values.text(&format!("{name}/{property}")).is_empty(),
            Kind::Object(_) | Kind::Rows(..) => {
                let members = field.members_at(form, &self.values);
                members.iter().all(|(pointer, member)| self.is_blank(member, pointer))
            }
            _ => self.values.lines(&name).next().is_none(),
        }
    }
}

/// A list that has no items is left out if it may be.
fn to_list(field: &Field<'_>, items: Vec<Value>) -> Option<Value> {
    match (items.is_empty(), field.required, field.nullable) {
        (true, false, _) => None,
        (true, true, true) => Some(Value::Null),
        _ => Some(items.into()),
    }
}

/// A number if it is one as JSON writes it; else the text, which the host rejects.
fn read_integer(text: &str) -> Value {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text).map_or_else(|| text.into(), Value::from)
}

/// The pairs that a browser would send for this value: the inverse of `read`. `None`: those of a new form.
pub fn fill(field: &Field<'_>, value: Option<&Value>, pointer: &str, clock: &Clock, pairs: &mut Pairs) {
    let value = value.filter(|value| !value.is_null());
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut add = |text: String| pairs.0.push((format!("v{pointer}"), text));
    match (&field.kind, value) {
        (Kind::Object(_) | Kind::Branches(..), _) => {
            let mut branch = Pairs::default();
            if let (Kind::Branches(property, _), Some(value)) = (&field.kind, value) {
                let chosen = value.get(*property).map(to_text).unwrap_or_default();
                branch.0.push((format!("v{pointer}/{property}"), chosen));
            }
            for (pointer, member) in field.members_at(pointer, &Values::new(&branch)) {
                fill(member, value.and_then(|value| value.get(member.name)), &pointer, clock, pairs);
            }
            pairs.0.extend(branch.0);
        }
        (Kind::Rows(item, least, _), _) => {
            let count = items.len().max(*least).max(usize::from(field.required)).min(MOST_COUNTED);
            pairs.0.push((format!("n{pointer}"), count.to_string()));
            for index in 0..count {
                fill(item, items.get(index), &format!("{pointer}/{index}"), clock, pairs);
            }
        }
        (Kind::Boolean(Some(default)), _) => {
            if value.and_then(Value::as_bool).unwrap_or(*default) {
                add("on".to_owned());
            }
        }
        (Kind::Fixed(_), _) | (_, None) => {}
        (Kind::Json, Some(value)) => add(serde_json::to_string_pretty(value).unwrap_or_default()),
        (Kind::Choices(_) | Kind::References(_), _) => items.iter().map(to_text).for_each(add),
        (Kind::Lines, _) => add(items.iter().map(to_text).collect::<Vec<_>>().join("\n")),
        (Kind::Instant, Some(value)) => add(to_zone(clock, &to_text(value))),
        (_, Some(value)) => add(to_text(value)),
    }
}

pub fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An instant in the company's zone. One that is not read back as itself (the second of two equal hours) stays as it is.
fn to_zone(clock: &Clock, instant: &str) -> String {
    let text = clock.to_text(instant);
    let read = |text: &str| DateTime::parse_from_rfc3339(text).ok();
    if read(&clock.read_text(&text)) == read(instant) { text } else { instant.to_owned() }
}
