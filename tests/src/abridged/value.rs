//! JSON as the texts need it: members sorted, an empty list for no list, one form and one digest for equal values.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// Twelve digits that identify the whole value, whatever the order of its members.
pub(super) fn digest(value: &Json) -> String {
    let digest = Sha256::digest(canonical(value));
    let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("#{hex}")
}

/// JSON with its members sorted.
pub(super) fn canonical(value: &Json) -> String {
    match value {
        Json::Object(_) => {
            let each =
                members(value).into_iter().map(|(name, value)| format!("{}:{}", Json::from(name), canonical(&value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(","))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// The members of an object, sorted; none for anything else.
pub(super) fn members(value: &Json) -> BTreeMap<String, Json> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(super) fn items(value: &Json) -> Vec<Json> {
    value.as_array().cloned().unwrap_or_default()
}

pub(super) fn words(value: &Json) -> Vec<String> {
    items(value).iter().map(plain).collect()
}

/// A text without its quotes; nothing for null.
pub(super) fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => canonical(other),
    }
}

/// The name at the end of a reference.
pub(super) fn last(reference: &Json) -> Option<&str> {
    reference.as_str()?.rsplit('/').next()
}

/// Every reference within.
pub(super) fn references(value: &Json) -> Vec<String> {
    match value {
        Json::Object(members) => {
            let reference = members.get("$ref").and_then(Json::as_str).map(str::to_string);
            reference.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Json::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
