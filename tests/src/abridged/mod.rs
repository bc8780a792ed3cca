//! The contract document as texts that people read: one per module, a few lines an operation and one line a member, and one
//! for what modules share. The digest at the end of a line covers the parts that the text leaves out (descriptions, examples,
//! long patterns), so that every change of the document changes a text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value as Json;

use self::shape::{marked, schema_text, shape};
use self::value::{canonical, digest, items, last, members, references, words};
use crate::contract::codes;

mod shape;
#[cfg(test)]
mod tests;
mod value;

/// The name of the text for what belongs to no module, or to several.
pub const SHARED: &str = "shared";

const SCHEMAS: &str = "#/components/schemas/";
/// The texts by name: of each module that the document's tags name, and `shared`.
pub fn texts(document: &Json) -> BTreeMap<String, String> {
    let calls = calls(document);
    let owners = owners(document, &calls);
    let mut texts: BTreeMap<String, String> = BTreeMap::from([(SHARED.to_string(), shared(document))]);
    for call in &calls {
        texts.entry(call.module.clone()).or_default().push_str(&call.text());
    }
    for (name, schema) in members(&document["components"]["schemas"]) {
        let owner = owners.get(name.as_str()).cloned().unwrap_or_else(|| SHARED.to_string());
        texts.entry(owner).or_default().push_str(&schema_text(&name, &schema));
    }
    texts
}

/// A method of a path, or of a webhook.
struct Call {
    module: String,
    method: String,
    path: String,
    document: Json,
}

/// Sorted by path, webhooks behind.
fn calls(document: &Json) -> Vec<Call> {
    let mut calls = Vec::new();
    for (section, mark) in [("paths", ""), ("webhooks", "webhook ")] {
        for (path, item) in members(&document[section]) {
            for (method, call) in members(&item) {
                let module = call["tags"][0].as_str().unwrap_or(SHARED).to_string();
                let path = format!("{mark}{path}");
                calls.push(Call { module, method: method.to_uppercase(), path, document: call });
            }
        }
    }
    calls
}

/// The one module whose operations lead to a schema; a schema that several lead to has none.
fn owners(document: &Json, calls: &[Call]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for call in calls {
        let (mut open, mut seen) = (references(&call.document), BTreeSet::new());
        while let Some(reference) = open.pop() {
            let Some(target) = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer)) else {
                continue;
            };
            if seen.insert(reference.clone()) {
                open.extend(references(target));
            }
            if let Some(name) = reference.strip_prefix(SCHEMAS) {
                found.entry(name.to_string()).or_default().insert(call.module.clone());
            }
        }
    }
    let alone = |(name, modules): (String, BTreeSet<String>)| {
        let only = (modules.len() == 1).then(|| modules.into_iter().next()).flatten()?;
        Some((name, only))
    };
    found.into_iter().filter_map(alone).collect()
}

impl Call {
    fn text(&self) -> String {
        let call = &self.document;
        let mut text = format!("{} {}  {}\n", self.method, self.path, digest(call));
        let id = call["operationId"].as_str().unwrap_or_default();
        let mut line = |what: &str, said: &str| {
            if !said.is_empty() {
                let _ = writeln!(text, "  {}", format!("{what:<8} {said}").trim_end());
            }
        };
        line(id, &format!(" {}", call["summary"].as_str().unwrap_or_default()));
        line("access", &access(call));
        for parameter in &items(&call["parameters"]) {
            match last(&parameter["$ref"]) {
                Some(name) => line("takes", name),
                None => {
                    let place = parameter["in"].as_str().unwrap_or_default();
                    let name = marked(parameter["name"].as_str().unwrap_or_default(), parameter["required"] == true);
                    line(place, &format!("{name:<24} {}", shape(&parameter["schema"])));
                }
            }
        }
        line("body", &content(&call["requestBody"]));
        let (mut refused, responses) = (Vec::new(), &call["responses"]);
        for (status, response) in members(responses) {
            match codes(&response)[..] {
                _ if status.starts_with('2') => {
                    line("answer", &format!("{status} {} {}", content(&response), headers(&response)));
                }
                [] => refused.push(status.clone()),
                ref codes => line("codes", &format!("{status} {}", codes.join(", "))),
            }
        }
        line("refusals", &refused.join(" "));
        line("events", &words(&call["x-stoa-events"]).join(", "));
        let shown = [
            "operationId",
            "summary",
            "description",
            "tags",
            "security",
            "parameters",
            "requestBody",
            "responses",
            "x-stoa-access",
            "x-stoa-events",
        ];
        for (name, value) in members(call).into_iter().filter(|(name, _)| !shown.contains(&name.as_str())) {
            line(&name, &canonical(&value));
        }
        text.push('\n');
        text
    }
}

/// The callers of an operation: the kind of credential, and what it must hold.
fn access(call: &Json) -> String {
    let schemes: Vec<String> = items(&call["security"]).iter().flat_map(|scheme| members(scheme).into_keys()).collect();
    let held = members(&call["x-stoa-access"]).into_iter().map(|(how, codes)| match codes.is_array() {
        true => format!("{how} {}", words(&codes).join(", ")),
        false => format!("{how} {}", canonical(&codes)),
    });
    schemes.into_iter().chain(held).collect::<Vec<_>>().join("; ")
}

/// The type of a body or an answer; JSON unless it says otherwise.
fn content(body: &Json) -> String {
    let each = members(&body["content"]).into_iter().map(|(kind, media)| match kind.as_str() {
        "application/json" => shape(&media["schema"]),
        other => format!("{other} {}", shape(&media["schema"])),
    });
    each.collect::<Vec<_>>().join(" or ")
}

/// The headers that not every answer has.
fn headers(response: &Json) -> String {
    let usual = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"];
    let names = members(&response["headers"]).into_keys().filter(|name| !usual.contains(&name.as_str()));
    names.map(|name| format!("+{name}")).collect::<Vec<_>>().join(" ")
}

/// Everything except operations and schemas: each in a line, as it is.
fn shared(document: &Json) -> String {
    let mut text = String::new();
    for (name, value) in members(document) {
        match name.as_str() {
            "paths" | "webhooks" => {}
            "info" => {
                let fixed = members(&value).into_iter();
                let fixed = fixed.filter(|(name, _)| name != "version" && !name.starts_with("x-"));
                let _ = writeln!(text, "info {}", canonical(&Json::Object(fixed.collect())));
            }
            "components" => {
                for (section, entries) in members(&value).into_iter().filter(|(section, _)| section != "schemas") {
                    for (name, value) in members(&entries) {
                        let _ = writeln!(text, "{section}/{name} {}", canonical(&value));
                    }
                }
            }
            _ => {
                let _ = writeln!(text, "{name} {}", canonical(&value));
            }
        }
    }
    text.push('\n');
    text
}
