//! From the items of a problem to the fields that they concern.

use std::collections::HashMap;

use http::StatusCode;
use serde_json::Value;

use crate::call::{Problem, ProblemItem};
use crate::site::collection::Collection;
use crate::site::operation::Operation;
use crate::site::{Site, words};

/// From pointers of a request to the names of fields.
pub type Places = HashMap<String, String>;

/// Faults of a form that was sent.
#[derive(Debug, Default)]
pub struct Faults {
    /// None: there are none.
    pub title: Option<String>,
    pub items: Vec<Fault>,
    /// The record has changed since the form was drawn.
    pub is_stale: bool,
    /// It is unknown whether the write was done: sending it again needs the same key.
    pub keeps_key: bool,
}

#[derive(Debug)]
pub struct Fault {
    /// Name of the field. None: the fault is shown above the form.
    pub place: Option<String>,
    pub text: String,
    /// Address of the record that is in the way.
    pub link: Option<String>,
}

impl Faults {
    /// `base`: the address of the company's pages.
    pub fn of(site: &Site, operation: &Operation, problem: &Problem, places: &Places, base: &str) -> Faults {
        Faults::of_path(site, operation, &[], problem, places, base)
    }

    /// The same where parameters of the operation's path are known.
    pub fn of_path(
        site: &Site,
        operation: &Operation,
        known: &[(String, String)],
        problem: &Problem,
        places: &Places,
        base: &str,
    ) -> Faults {
        let status = problem.status;
        let keeps_key = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        let mut title = problem.detail.clone();
        if let Some(seconds) = problem.retry_after {
            title.push_str(&format!(" Send it again in {seconds} seconds."));
        }
        if let (true, Some(id)) = (status.is_server_error(), &problem.request_id) {
            title.push_str(&format!(" Request id: {id}."));
        }
        let items = problem.items.iter().map(|item| Fault {
            place: find_place(places, &item.pointer),
            text: explain(site, operation, item),
            link: find_conflict(site, operation, known, item).map(|path| format!("{base}{path}")),
        });
        let is_stale = problem.code == "VERSION_CONFLICT" || status == StatusCode::PRECONDITION_FAILED;
        Faults { title: Some(title), items: items.collect(), is_stale, keeps_key }
    }

    /// The faults of a field.
    pub fn at<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Fault> {
        self.items.iter().filter(move |fault| fault.place.as_deref() == Some(name))
    }
}

/// The field of a pointer: its own, else that of the nearest value around it.
fn find_place(places: &Places, pointer: &str) -> Option<String> {
    let mut rest = pointer;
    while !rest.is_empty() {
        if let Some(name) = places.get(rest) {
            return Some(name.clone());
        }
        rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
    }
    None
}

/// The path of the record that is in the way, where the operation says of which kind it is: the same as the record that it writes, or
/// the one that the member at the pointer refers to.
fn find_conflict(site: &Site, operation: &Operation, known: &[(String, String)], item: &ProblemItem) -> Option<String> {
    let id = item.conflicts_with.as_deref()?;
    let member = item.pointer.rsplit('/').next().unwrap_or_default();
    let is_own = |number: &usize| site.operations.get(*number).is_some_and(|known| known.id == operation.id);
    let edits = |collection: &Collection| {
        let record = site.records.iter().find(|record| record.edits.iter().any(is_own));
        record.is_some_and(|record| Some(record.read) == collection.record)
    };
    let own = site.collections.iter().find(|collection| {
        let is_bound = collection.bound.iter().all(|bound| known.contains(bound));
        is_bound && (collection.create.as_ref().is_some_and(is_own) || edits(collection))
    });
    let own = own.filter(|_| item.pointer.matches('/').count() == 1);
    let collection = site.refers_at(operation, known, member).or(own)?;
    site.record_path(collection, &[], id)
}

/// The sentence of an item's code, and the bound that it states.
pub fn explain(site: &Site, operation: &Operation, item: &ProblemItem) -> String {
    let mut text = site.sentence(operation, &item.code);
    let expected = item.expected.as_ref().and_then(Value::as_object);
    let parts: Vec<String> =
        expected.into_iter().flatten().filter_map(|(name, value)| put_in_words(name, value)).collect();
    if !parts.is_empty() {
        text.push_str(&format!(" Expected: {}.", parts.join(", ")));
    }
    if let (Some(required), Some(identified)) = (item.required, item.identified) {
        text.push_str(&format!(" Required: {required}, identified: {identified}."));
    }
    text
}

/// A keyword of a schema, or a bound that no schema states.
fn put_in_words(name: &str, value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values
            .iter()
            .map(|value| value.as_str().map_or(value.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    };
    Some(match name {
        "maxLength" => format!("at most {text} characters"),
        "minLength" => format!("at least {text} characters"),
        "maxItems" => format!("at most {text} entries"),
        "minItems" => format!("at least {text} entries"),
        "minimum" => format!("at least {text}"),
        "maximum" => format!("at most {text}"),
        "counted" => format!("counted in {}", words::to_words(&text).to_lowercase()),
        "enum" => format!("one of {text}"),
        "const" => text,
        "pattern" => format!("a text that matches {text}"),
        "format" => format!("a value of the format {text}"),
        "type" => format!("a value of the type {text}"),
        "uniqueItems" => "no entry twice".to_owned(),
        "members" => format!("only {text}"),
        "nearest" => format!("perhaps {text}"),
        "setting" => return None,
        other => format!("{} {text}", words::to_label(other).to_lowercase()),
    })
}
