//! The size of a descriptor's schemas once they are compiled. Each schema is compiled together with every definition that it
//! needs, so one large definition counts once for each schema that refers to it. A text of 16 KiB can grow to gigabytes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use serde_json::{Map, Value};

use super::refs;

/// Input of a compilation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// JSON values of the schemas.
    pub values: usize,
    /// Patterns, each as often as it is compiled.
    pub patterns: usize,
}

impl Weight {
    pub fn exceeds(self, most: Weight) -> bool {
        self.values > most.values || self.patterns > most.patterns
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        self.values = self.values.saturating_add(other.values);
        self.patterns = self.patterns.saturating_add(other.patterns);
    }
}

/// The weight of all these schemas, each with the definitions that it needs. Counting ends soon after `most` is exceeded.
pub fn weigh<'a>(schemas: impl Iterator<Item = &'a Value>, defs: &'a Map<String, Value>, most: Weight) -> Weight {
    let mut known: BTreeMap<&str, (Weight, BTreeSet<&str>)> = BTreeMap::new();
    let mut sum = Weight::default();
    for schema in schemas {
        sum += weigh_text(schema);
        let mut open = list_references(schema);
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop_first() {
            if sum.exceeds(most) {
                return sum;
            }
            // A reference without a target is reported by the compilation.
            let Some((name, definition)) = defs.get_key_value(name) else { continue };
            if seen.insert(name.as_str()) {
                let (weight, references) =
                    known.entry(name.as_str()).or_insert_with(|| (weigh_text(definition), list_references(definition)));
                sum += *weight;
                open.extend(references.iter().copied());
            }
        }
    }
    sum
}

fn list_references(schema: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    refs::collect(schema, &mut found);
    found.into_iter().filter_map(refs::name).collect()
}

fn weigh_text(schema: &Value) -> Weight {
    let mut weight = Weight { values: 1, patterns: 0 };
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                weight.patterns += match (key.as_str(), value) {
                    ("pattern", Value::String(_)) => 1,
                    ("patternProperties", Value::Object(patterns)) => patterns.len(),
                    _ => 0,
                };
                weight += weigh_text(value);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| weight += weigh_text(item)),
        _ => {}
    }
    weight
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NO_LIMIT: Weight = Weight { values: usize::MAX, patterns: usize::MAX };

    #[test]
    fn a_definition_counts_for_each_schema_that_needs_it() {
        let defs = json!({
            "Code": { "type": "string", "pattern": "^[A-Z]+$" },
            "Pair": { "patternProperties": { "^a": true, "^b": { "$ref": "#/$defs/Code" } } },
            "Self": { "items": { "$ref": "#/$defs/Self" } },
        });
        let defs = defs.as_object().unwrap();
        let weigh_all = |schemas: &[Value]| weigh(schemas.iter(), defs, NO_LIMIT);
        let code = json!({ "$ref": "#/$defs/Code" });
        assert_eq!(weigh_all(&[json!(true)]), Weight { values: 1, patterns: 0 });
        assert_eq!(weigh_all(std::slice::from_ref(&code)), Weight { values: 2 + 3, patterns: 1 });
        assert_eq!(weigh_all(&[code.clone(), code.clone()]), Weight { values: 2 * (2 + 3), patterns: 2 });
        // A definition that two parts of one schema need is compiled once.
        let twice = json!({ "anyOf": [code, { "$ref": "#/$defs/Pair" }] });
        assert_eq!(weigh_all(&[twice]).patterns, 3);
        assert_eq!(weigh_all(&[json!({ "$ref": "#/$defs/Self" })]).values, 2 + 3);
        assert_eq!(weigh_all(&[json!({ "$ref": "#/$defs/Missing" })]).values, 2);
    }

    #[test]
    fn counting_ends_once_there_is_too_much() {
        let mut defs = Map::new();
        for name in 0..1_000 {
            let all: Vec<Value> = (0..100).map(|n| json!({ "pattern": format!("^{n}$") })).collect();
            defs.insert(
                format!("D{name}"),
                json!({ "allOf": all, "not": { "$ref": format!("#/$defs/D{}", name + 1) } }),
            );
        }
        let first = json!({ "$ref": "#/$defs/D0" });
        let most = Weight { values: 100_000, patterns: 1_000 };
        let found = weigh(std::iter::repeat_n(&first, 10_000), &defs, most);
        assert!(found.exceeds(most) && found.patterns <= 1_100, "{found:?}");
    }
}
