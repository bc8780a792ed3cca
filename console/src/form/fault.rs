//! From the items of a problem to the fields that they concern.

use std::collections::HashMap;

use http::StatusCode;
use serde_json::Value;

use super::read::to_text;
use crate::call::{Problem, ProblemItem};
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
    /// `known`: parameters of the operation's path. `base`: the address of the company's pages.
    pub fn from_problem(
        site: &Site,
        operation: &Operation,
        known: &[(String, String)],
        problem: &Problem,
        places: &Places,
        base: &str,
    ) -> Faults {
        let status = problem.status;
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
        Faults {
            title: Some(title),
            items: items.collect(),
            is_stale: problem.code == "VERSION_CONFLICT" || status == StatusCode::PRECONDITION_FAILED,
            keeps_key: status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS,
        }
    }

    /// Those of a form that cannot be sent.
    pub fn not_sent(items: Vec<Fault>) -> Faults {
        Faults { title: Some("Nothing was sent.".to_owned()), items, ..Faults::default() }
    }

    /// The faults of a field.
    pub fn at(&self, name: &str) -> impl Iterator<Item = &Fault> {
        self.items.iter().filter(move |fault| fault.place.as_deref() == Some(name))
    }
}

/// The field of a pointer: its own, else that of the nearest value around it.
fn find_place(places: &Places, pointer: &str) -> Option<String> {
    let (above, _) = pointer.rsplit_once('/')?;
    places.get(pointer).cloned().or_else(|| find_place(places, above))
}

/// The path of the record that is in the way: of the kind that the member at the pointer refers to, else of the one that is written.
fn find_conflict(site: &Site, operation: &Operation, known: &[(String, String)], item: &ProblemItem) -> Option<String> {
    let id = item.conflicts_with.as_deref()?;
    let (above, member) = item.pointer.rsplit_once('/')?;
    let is_own = |number: &usize| site.operations.get(*number).is_some_and(|known| known.id == operation.id);
    let edited = site.records.iter().find(|record| record.edits.iter().any(is_own)).map(|record| record.read);
    let own = site.collections.iter().find(|collection| {
        collection.bound.iter().all(|bound| known.contains(bound))
            && (collection.create.as_ref().is_some_and(is_own) || (edited.is_some() && edited == collection.record))
    });
    let collection = site.refers_at(operation, known, member).or(own.filter(|_| above.is_empty()))?;
    site.record_path(collection, &[], id)
}

/// The sentence of an item's code, and the bound that it states.
fn explain(site: &Site, operation: &Operation, item: &ProblemItem) -> String {
    let mut text = site.sentence(operation, &item.code);
    let expected = item.expected.as_ref().and_then(Value::as_object).into_iter().flatten();
    // A setting is the operator's.
    let parts = expected.filter(|(name, _)| *name != "setting").map(|(name, value)| put_in_words(name, value));
    let parts = parts.collect::<Vec<_>>().join(", ");
    if !parts.is_empty() {
        text.push_str(&format!(" Expected: {parts}."));
    }
    if let (Some(required), Some(identified)) = (item.required, item.identified) {
        text.push_str(&format!(" Required: {required}, identified: {identified}."));
    }
    text
}

/// A keyword of a schema, or a bound that no schema states.
fn put_in_words(name: &str, value: &Value) -> String {
    let texts = value.as_array().map(|values| values.iter().map(to_text).collect::<Vec<_>>().join(", "));
    let text = texts.unwrap_or_else(|| to_text(value));
    match name {
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
        "format" | "type" => format!("a value of the {name} {text}"),
        "uniqueItems" => "no entry twice".to_owned(),
        "members" => format!("only {text}"),
        "nearest" => format!("perhaps {text}"),
        other => format!("{} {text}", words::to_label(other).to_lowercase()),
    }
}
