//! Schemas that mean harm, or refer to themselves in ways that no body could follow: the comparison ends, and does not let
//! pass what it cannot follow.

use serde_json::{Map, Value, json};

use super::super::schema::{Direction, SchemaWithDefs, compare};
use super::super::{Change, codes};

fn changes(direction: Direction, old: (&Value, &Value), new: (&Value, &Value)) -> Vec<Change> {
    let defs = |defs: &Value| -> Map<String, Value> { defs.as_object().expect("definitions").clone() };
    let (old_defs, new_defs) = (defs(old.1), defs(new.1));
    let old = SchemaWithDefs { schema: old.0, defs: &old_defs };
    let new = SchemaWithDefs { schema: new.0, defs: &new_defs };
    compare(direction, "x body", old, new)
}

#[test]
fn a_schema_that_is_its_own_part_ends() {
    let root = json!({"$ref": "#/$defs/A"});
    for defs in [
        json!({"A": {"$ref": "#/$defs/A"}}),
        json!({"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}}),
        json!({"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/None"}]}}),
    ] {
        assert_eq!(changes(Direction::Request, (&root, &defs), (&root, &defs)), []);
    }
}

#[test]
fn a_change_deep_in_a_cycle_is_found_once() {
    let root = json!({"$ref": "#/$defs/A"});
    let defs = |most: u32| {
        json!({
            "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/C"}, {"type": "null"}]}},
            "C": {"type": "object", "properties": {"kind": {"const": "c"}, "a": {"$ref": "#/$defs/A"}, "n": {"type": "integer", "maximum": most}}},
        })
    };
    let found = changes(Direction::Request, (&root, &defs(10)), (&root, &defs(9)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].code, found[0].item.as_str()), ("REQUEST_RANGE_NARROWED", "x body /b/*[kind=c]/n"));
}

/// Unions within unions that multiply, and a chain of members without end: they are not followed, and count as broken unless
/// they are the same.
#[test]
fn what_is_too_large_to_follow_counts_as_broken() {
    let branches: Vec<Value> = (0..8).map(|number| json!({"required": [format!("m{number}")]})).collect();
    let wide = |most: u32| {
        let parts: Vec<Value> = (0..6).map(|_| json!({"anyOf": branches.clone()})).collect();
        json!({"type": "object", "maxProperties": most, "allOf": parts})
    };
    let none = json!({});
    assert_eq!(changes(Direction::Request, (&wide(9), &none), (&wide(9), &none)), []);
    let found = changes(Direction::Request, (&wide(9), &none), (&wide(10), &none));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code, codes::REQUEST_RULE_NARROWED.name);

    let chain = |last: &str| {
        let link = |number: usize| {
            (
                format!("S{number}"),
                json!({"type": "object", "properties": {"next": {"$ref": format!("#/$defs/S{}", number + 1)}}}),
            )
        };
        let mut all: Map<String, Value> = (0..2000).map(link).collect();
        all.insert("S2000".into(), json!({"type": last}));
        Value::Object(all)
    };
    let root = json!({"$ref": "#/$defs/S0"});
    assert_eq!(changes(Direction::Response, (&root, &chain("string")), (&root, &chain("string"))), []);
    let found = changes(Direction::Response, (&root, &chain("string")), (&root, &chain("integer")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code, codes::RESPONSE_RULE_WIDENED.name);
}

/// Branches that nothing distinguishes, each with such branches again: trying them against each other must not take for ever.
#[test]
fn unions_that_nothing_tells_apart_end() {
    let tree = |depth: usize, leaf: &str| {
        let mut schema = json!({"type": leaf});
        for level in 0..depth {
            let branch = |number: usize| json!({"type": "object", "required": [format!("m{number}")], "properties": {format!("l{level}"): schema.clone()}});
            schema = json!({"anyOf": [branch(0), branch(1), branch(2)]});
        }
        schema
    };
    let none = json!({});
    assert_eq!(changes(Direction::Request, (&tree(6, "string"), &none), (&tree(6, "string"), &none)), []);
    let found = changes(Direction::Request, (&tree(6, "string"), &none), (&tree(6, "integer"), &none));
    assert!(found.iter().any(|change| change.breaking), "{found:?}");
}
