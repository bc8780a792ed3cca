//! The contract document as texts that people read: one per module, a few lines an operation and one line a member, and one
//! for what modules share. What a text leaves out (descriptions, examples, long patterns) stands behind the digest at the end
//! of the line, so that no change of the document leaves all texts as they were.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use crate::contract::codes;

/// The name of the text for what belongs to no module, or to several.
pub const SHARED: &str = "shared";

const SCHEMAS: &str = "#/components/schemas/";
/// A longer pattern says less than its digest.
const SHORT_PATTERN: usize = 48;
/// What only explains.
const WORDS: &[&str] = &["description", "title", "example", "examples", "x-enum-descriptions"];

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

fn references(value: &Json) -> Vec<String> {
    match value {
        Json::Object(members) => {
            let own = members.get("$ref").and_then(Json::as_str).map(str::to_string);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Json::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
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
                    line(place, &format!("{name:<16} {}", shape(&parameter["schema"])));
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

/// Who may call: the kind of credential, and what it must hold.
fn access(call: &Json) -> String {
    let schemes: Vec<String> = items(&call["security"]).iter().flat_map(|scheme| members(scheme).into_keys()).collect();
    let held = members(&call["x-stoa-access"]).into_iter().map(|(how, codes)| match codes.is_array() {
        true => format!("{how} {}", words(&codes).join(", ")),
        false => format!("{how} {}", canonical(&codes)),
    });
    schemes.into_iter().chain(held).collect::<Vec<_>>().join("; ")
}

/// The type of a body or an answer; JSON unless it says otherwise.
fn content(of: &Json) -> String {
    let each = members(&of["content"]).into_iter().map(|(kind, media)| match kind.as_str() {
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

/// A named schema: its members, one a line.
fn schema_text(name: &str, schema: &Json) -> String {
    let properties = members(&schema["properties"]);
    if properties.is_empty() {
        return match items(&schema["enum"])[..] {
            [] | [_] => format!("{name} = {}  {}\n\n", shape(schema), digest(schema)),
            ref values => {
                let values: String = values.iter().map(|value| format!("  {}\n", plain(value))).collect();
                format!("{name} is one of  {}\n{values}\n", digest(schema))
            }
        };
    }
    let required = words(&schema["required"]);
    let shown = ["properties", "required", "type"];
    let rest = members(schema).into_iter().filter(|(name, _)| !shown.contains(&name.as_str()));
    let rest = rest.filter(|(name, _)| !WORDS.contains(&name.as_str())).map(|(name, value)| match name.as_str() {
        "additionalProperties" if value == false => "closed".to_string(),
        _ => format!("{name}={}", canonical(&value)),
    });
    let head: Vec<String> = [name.to_string()].into_iter().chain(rest).collect();
    let mut text = format!("{}  {}\n", head.join(" "), digest(schema));
    for (member, schema) in properties {
        let member = marked(&member, required.contains(&member));
        let _ = writeln!(text, "  {member:<24} {}", shape(&schema));
    }
    text.push('\n');
    text
}

fn marked(name: &str, required: bool) -> String {
    format!("{name}{}", if required { "" } else { "?" })
}

/// A schema in a line.
fn shape(schema: &Json) -> String {
    let Some(schema) = schema.as_object() else { return canonical(schema) };
    let mut rest: Map<String, Json> = schema.clone();
    rest.retain(|name, _| !WORDS.contains(&name.as_str()));
    let mut take = |name: &str| rest.remove(name).unwrap_or_default();
    let mut parts = vec![kind(&mut take)];
    let range = |least: Json, most: Json| match (least.is_null(), most.is_null()) {
        (true, true) => None,
        _ => Some(format!("{}..{}", plain(&least), plain(&most))),
    };
    for (least, most) in [
        ("minLength", "maxLength"),
        ("minimum", "maximum"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ] {
        parts.extend(range(take(least), take(most)));
    }
    if let Json::String(pattern) = take("pattern") {
        parts.push(if pattern.len() <= SHORT_PATTERN { format!("/{pattern}/") } else { "/../".to_string() });
    }
    if take("uniqueItems") == true {
        parts.push("unique".to_string());
    }
    let default = schema.contains_key("default").then(|| format!("= {}", canonical(&take("default"))));
    let others = rest.into_iter().map(|(name, value)| format!("{name}={}", canonical(&value)));
    parts.extend(others);
    parts.extend(default);
    parts.join(" ")
}

/// What kind of value it is, by the keywords that say so.
fn kind(take: &mut impl FnMut(&str) -> Json) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let (reference, format, constant) = (take("$ref"), take("format"), take("const"));
    kinds.extend(last(&reference).map(str::to_string));
    for (keyword, mark) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        let of: Vec<String> = items(&take(keyword)).iter().map(shape).collect();
        if !of.is_empty() {
            kinds.push(format!("({})", of.join(mark)));
        }
    }
    let values: Vec<String> = items(&take("enum")).iter().map(plain).collect();
    let types = take("type");
    let types: Vec<String> = match &types {
        Json::String(one) => vec![one.clone()],
        many => words(many),
    };
    let (of, members_, required, additional) =
        (take("items"), take("properties"), take("required"), take("additionalProperties"));
    for name in types {
        kinds.push(match name.as_str() {
            "null" => name,
            "string" if !values.is_empty() || !constant.is_null() => continue,
            "string" if format.is_string() => plain(&format),
            "array" if !of.is_null() => format!("[{}]", shape(&of)),
            "object" if !members_.is_null() => {
                let required = words(&required);
                let each = members(&members_).into_iter().map(|(member, schema)| {
                    let marked = marked(&member, required.contains(&member));
                    format!("{marked}: {}", shape(&schema))
                });
                format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
            }
            _ if format.is_string() => format!("{name}({})", plain(&format)),
            _ => name,
        });
    }
    if !values.is_empty() {
        kinds.insert(0, values.join("|"));
    }
    if !constant.is_null() {
        kinds.push(canonical(&constant));
    }
    let mut once = BTreeSet::new();
    kinds.retain(|kind| once.insert(kind.clone()));
    let kind = if kinds.is_empty() { "any".to_string() } else { kinds.join("|") };
    match additional {
        Json::Null => kind,
        Json::Bool(false) => format!("{kind} closed"),
        other => format!("{kind} {{*: {}}}", shape(&other)),
    }
}

/// Everything beside operations and schemas: each in a line, as it stands.
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

/// Twelve digits that stand for the whole value, whatever the order of its members.
fn digest(value: &Json) -> String {
    let digest = Sha256::digest(canonical(value));
    let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("#{hex}")
}

/// JSON with its members sorted.
fn canonical(value: &Json) -> String {
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

/// The members of an object, sorted; none of anything else.
fn members(value: &Json) -> BTreeMap<String, Json> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn items(value: &Json) -> Vec<Json> {
    value.as_array().cloned().unwrap_or_default()
}

fn words(value: &Json) -> Vec<String> {
    items(value).iter().map(plain).collect()
}

/// A text without its quotes; nothing for null.
fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => canonical(other),
    }
}

/// The name at the end of a reference.
fn last(reference: &Json) -> Option<&str> {
    reference.as_str()?.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Json {
        let page = json!({ "type": "object", "required": ["items"], "properties": {
            "items": { "type": "array", "items": { "$ref": "#/components/schemas/Card" } },
            "next": { "type": ["string", "null"], "format": "uuid", "description": "Where the next page begins." },
        } });
        let card = json!({ "type": "object", "additionalProperties": false, "required": ["code"], "properties": {
            "code": { "type": "string", "minLength": 1, "maxLength": 64, "default": "A" },
            "kind": { "enum": ["GIFT", "BONUS"], "type": "string" },
        } });
        let list = json!({
            "operationId": "listCards", "summary": "Cards", "description": "All of them.", "tags": ["cards"],
            "security": [{ "UserBearer": [] }], "x-stoa-access": { "all": ["cards.read"] }, "x-later": 1,
            "parameters": [
                { "$ref": "#/components/parameters/TenantId" },
                { "in": "query", "name": "limit", "required": false, "schema": { "type": "integer", "minimum": 1, "maximum": 100 } },
            ],
            "responses": {
                "200": {
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/CardPage" } } },
                    "headers": { "ETag": { "$ref": "#/components/headers/ETag" } }, "description": "OK",
                },
                "404": { "$ref": "#/components/responses/NotFound" },
                "409": { "description": "No. Codes: `SPENT`.", "content": { "application/problem+json": {
                    "schema": { "$ref": "#/components/schemas/ProblemDetails" },
                } } },
            },
        });
        let ping = json!({ "operationId": "ping", "summary": "Alive", "tags": ["platform"], "responses": { "200": {
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/ProblemDetails" } } },
        } } });
        json!({
            "openapi": "3.1.0",
            "info": { "title": "Stoa", "version": "1", "x-stoa-build": "a" },
            "paths": { "/cards": { "get": list }, "/ping": { "get": ping } },
            "webhooks": { "cards.card.created": { "post": { "tags": ["cards"], "summary": "A card was created." } } },
            "components": {
                "schemas": { "CardPage": page, "Card": card, "ProblemDetails": { "type": "object" } },
                "responses": { "NotFound": { "description": "None." } },
            },
        })
    }

    #[test]
    fn a_module_reads_its_own_operations_and_schemas() {
        let texts = texts(&document());
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["cards", "platform", "shared"]);
        let lines: Vec<&str> =
            texts["cards"].lines().map(|line| line.split("  #").next().unwrap_or_default()).collect();
        assert_eq!(
            lines,
            [
                "GET /cards",
                "  listCards  Cards",
                "  access   UserBearer; all cards.read",
                "  takes    TenantId",
                "  query    limit?           integer 1..100",
                "  answer   200 CardPage +ETag",
                "  codes    409 SPENT",
                "  refusals 404",
                "  x-later  1",
                "",
                "POST webhook cards.card.created",
                "            A card was created.",
                "",
                "Card closed",
                "  code                     string 1..64 = \"A\"",
                "  kind?                    GIFT|BONUS",
                "",
                "CardPage",
                "  items                    [Card]",
                "  next?                    uuid|null",
                "",
            ]
        );
        assert!(texts["shared"].contains("ProblemDetails = object"), "what two modules name is nobody's");
    }

    /// Whatever changes in the document changes a text; but for what differs from build to build.
    #[test]
    fn nothing_is_left_out() {
        let document = document();
        let before = texts(&document);
        let mut pointers = Vec::new();
        leaves(&document, String::new(), &mut pointers);
        assert!(pointers.len() > 45, "{} leaves", pointers.len());
        for pointer in pointers {
            let mut changed = document.clone();
            *changed.pointer_mut(&pointer).expect("a leaf") = json!("changed");
            let fleeting = ["/info/version", "/info/x-stoa-build"].contains(&pointer.as_str());
            assert_eq!(texts(&changed) == before, fleeting, "{pointer}");
        }
    }

    fn leaves(value: &Json, at: String, into: &mut Vec<String>) {
        let step = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        match value {
            Json::Object(members) if !members.is_empty() => {
                members.iter().for_each(|(name, value)| leaves(value, step(name), into));
            }
            Json::Array(items) if !items.is_empty() => {
                items.iter().enumerate().for_each(|(n, value)| leaves(value, step(&n.to_string()), into));
            }
            _ => into.push(at),
        }
    }
}
