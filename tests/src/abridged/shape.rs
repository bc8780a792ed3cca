//! A schema as a reader wants it: one line where it is part of another, one line a member where it has a name.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::value::{canonical, digest, items, last, members, plain, words};

/// A longer pattern says less than its digest.
const SHORT_PATTERN: usize = 48;
/// Keywords that only explain.
const WORDS: &[&str] = &["description", "title", "example", "examples", "x-enum-descriptions"];

/// A named schema: its members, one a line.
pub(super) fn schema_text(name: &str, schema: &Json) -> String {
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

pub(super) fn marked(name: &str, required: bool) -> String {
    format!("{name}{}", if required { "" } else { "?" })
}

/// A schema in a line.
pub(super) fn shape(schema: &Json) -> String {
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

/// The kind of a value, by the keywords that say so.
fn kind(take: &mut impl FnMut(&str) -> Json) -> String {
    let mut kinds: Vec<String> = Vec::new();
    let (reference, format, constant) = (take("$ref"), take("format"), take("const"));
    kinds.extend(last(&reference).map(str::to_string));
    for (keyword, mark) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        let choices: Vec<String> = items(&take(keyword)).iter().map(shape).collect();
        if !choices.is_empty() {
            kinds.push(format!("({})", choices.join(mark)));
        }
    }
    let value = |value: &Json| if value.is_null() { "null".to_string() } else { plain(value) };
    let values: Vec<String> = items(&take("enum")).iter().map(value).collect();
    let types = take("type");
    let types: Vec<String> = match &types {
        Json::String(one) => vec![one.clone()],
        many => words(many),
    };
    let (item, members_, required, additional) =
        (take("items"), take("properties"), take("required"), take("additionalProperties"));
    for name in types {
        kinds.push(match name.as_str() {
            "null" if values.contains(&name) => continue,
            "null" => name,
            "string" if !values.is_empty() || !constant.is_null() => continue,
            "string" if format.is_string() => plain(&format),
            "array" if !item.is_null() => format!("[{}]", shape(&item)),
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
