//! References between schemas. A descriptor's schemas refer to one another as `#/$defs/Name` and in no other way: no document,
//! anchor or path into a schema, so that every name can become a component of the published contract.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The name behind `#/$defs/Name`.
pub fn name(reference: &str) -> Option<&str> {
    let name = reference.strip_prefix("#/$defs/")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (!name.is_empty() && name.bytes().all(plain)).then_some(name)
}

/// The texts of all `$ref`s in a schema.
pub fn collect<'a>(schema: &'a Value, found: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(reference) if key == "$ref" => {
                        found.insert(reference);
                    }
                    other => collect(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The definitions that a schema needs, directly or through others, sorted by name.
pub fn closure(schema: &Value, defs: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut wanted = BTreeSet::new();
    collect(schema, &mut wanted);
    let mut open: Vec<&str> = wanted.iter().copied().collect();
    let mut needed = BTreeSet::new();
    while let Some(reference) = open.pop() {
        let name =
            name(reference).ok_or_else(|| format!("the reference {reference} is not of the form #/$defs/Name"))?;
        let target = defs.get(name).ok_or_else(|| format!("the reference {reference} names no schema"))?;
        if needed.insert(name) {
            let mut nested = BTreeSet::new();
            collect(target, &mut nested);
            open.extend(nested);
        }
    }
    Ok(needed.into_iter().filter_map(|name| Some((name.to_owned(), defs.get(name)?.clone()))).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn defs(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_closure_follows_references_and_ends() {
        let all = defs(json!({
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"items": {"$ref": "#/$defs/A"}},
            "C": {"type": "string"},
        }));
        let needed = closure(&json!({"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}]}), &all).unwrap();
        assert_eq!(needed.keys().collect::<Vec<_>>(), ["A", "B"]);
        assert!(closure(&json!({"$ref": "#/$defs/D"}), &all).is_err());
    }

    #[test]
    fn only_plain_names_are_references() {
        assert_eq!(name("#/$defs/Page_for.X-1"), Some("Page_for.X-1"));
        for bad in
            ["#", "#/$defs/", "#/$defs/A/properties/b", "https://example.com/a", "#a", "#/definitions/A", "#/$defs/a b"]
        {
            assert_eq!(name(bad), None, "{bad}");
        }
    }
}
