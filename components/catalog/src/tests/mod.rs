//! The module against a scripted host: how many round trips its operations take, what they emit, and what `verify` finds.

mod articles;
mod clients;
mod descriptor;
mod imports;
mod lookups;
mod media;
mod products;
mod shown_products;
mod verify;

use serde_json::Value as Json;
use stoa_sdk::Problem;
use stoa_sdk::scripted::{ask, rows};
use stoa_sdk::store::{Reply as StoreReply, Value};

use crate::Catalog;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The reply to a look-up of units, each with its code and status.
fn units(units: &[(&str, &str)]) -> StoreReply {
    rows(units.iter().map(|(code, status)| vec![text(code), text(status), Value::Integer(0)]))
}

fn call(operation: &str, path: &[(&str, &str)], body: Option<Json>) -> Result<Json, (String, Vec<String>)> {
    let pointers = |problem: Problem| problem.errors.into_iter().map(|item| item.pointer).collect();
    ask::<Catalog>(operation, path, &[], body).map_err(|problem| (problem.code.clone(), pointers(problem)))
}

/// Members of an object, sorted.
fn members(object: &Json) -> Vec<&str> {
    let mut members: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    members
}
