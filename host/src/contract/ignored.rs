//! Members that a PUT ignores: those that the response of the GET at its path has and its body does not. So a record that was read can be
//! changed and sent back. Found once, when the operations are compiled; a body that is valid as it came is not looked through.

use serde_json::{Map, Value};
use stoa_descriptor::Route;

use super::refs;
use super::tree::{Id, Node, Tree};

/// Pairs of places, one of the body and one of the response, that are compared.
const MOST_PAIRS: usize = 1_000;
/// Schemas within schemas that are looked through for the values of a parameter.
const DEEPEST: usize = 8;

/// The members that are ignored, by object.
pub struct IgnoredMembers {
    /// The first is the body's own.
    objects: Vec<Object>,
}

/// An object or an array. Places below it are positions in the list of all.
#[derive(Default)]
struct Object {
    /// Members that are ignored, sorted.
    names: Vec<String>,
    members: Vec<(String, usize)>,
    items: Option<usize>,
}

impl IgnoredMembers {
    /// Compares a body with a response, wherever both describe an object. `kept`: members of the response that stay unknown to the body.
    pub fn find(body: &Tree, response: &Tree, kept: &[String]) -> Option<IgnoredMembers> {
        let mut pairs = vec![(body.root, response.root)];
        let mut objects = Vec::new();
        while let Some((taken, given)) = pairs.get(objects.len()).copied() {
            let mut place = |pair: (Id, Id)| {
                let known = pairs.iter().position(|known| *known == pair);
                if known.is_some() || pairs.len() == MOST_PAIRS {
                    return known;
                }
                pairs.push(pair);
                Some(pairs.len() - 1)
            };
            let (taken, given) = (expand(body, taken), expand(response, given));
            let is_closed = taken.iter().any(|node| node.closed);
            let is_kept = |name: &String| objects.is_empty() && kept.contains(name);
            let mut object = Object::default();
            for member in given.iter().flat_map(|node| &node.members) {
                match taken.iter().find_map(|node| node.member(&member.name)) {
                    Some(known) => {
                        let below = place((known.node, member.node));
                        object.members.extend(below.map(|below| (member.name.clone(), below)));
                    }
                    None if is_closed && !is_kept(&member.name) => object.names.push(member.name.clone()),
                    None => {}
                }
            }
            object.names.sort_unstable();
            let items = |nodes: &[&Node]| nodes.iter().find_map(|node| node.items);
            object.items = items(&taken).zip(items(&given)).and_then(place);
            objects.push(object);
        }
        objects.iter().any(|object| !object.names.is_empty()).then_some(IgnoredMembers { objects })
    }

    /// Leaves them out of a body. Returns whether it had any.
    pub fn leave_out_of(&self, body: &mut Value) -> bool {
        self.leave_out_at(0, body)
    }

    fn leave_out_at(&self, place: usize, value: &mut Value) -> bool {
        let Some(known) = self.objects.get(place) else { return false };
        match value {
            Value::Object(object) => {
                let before = object.len();
                object.retain(|name, _| known.names.binary_search(name).is_err());
                let mut had_some = object.len() < before;
                for (name, below) in &known.members {
                    had_some |= object.get_mut(name).is_some_and(|value| self.leave_out_at(*below, value));
                }
                had_some
            }
            Value::Array(items) => known.items.is_some_and(|below| {
                items.iter_mut().fold(false, |had_some, item| self.leave_out_at(below, item) || had_some)
            }),
            _ => false,
        }
    }
}

/// The node and all that hold, or may hold, for the same value.
fn expand(tree: &Tree, id: Id) -> Vec<&Node> {
    let mut parts = Vec::new();
    tree.expand(id, &mut parts);
    parts.into_iter().map(|part| tree.node(part)).collect()
}

/// Whether the operation reads what another one replaces: a GET for the same callers, at the same path.
pub fn reads_what_is_replaced(reader: &Route, writer: &Route) -> bool {
    let reads = reader.method == "GET" && writer.method == "PUT";
    reads && reader.path == writer.path && reader.audience == writer.audience
}

/// The members that a caller asks a GET for by its parameter `include`: other records, and no part of the one that is read. `schemas`: those
/// that the route's refer to.
pub fn list_included(reader: &Route, schemas: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let query = reader.query.as_ref().and_then(|query| follow(query, schemas));
    if let Some(include) = query.and_then(|query| query.pointer("/properties/include")) {
        list_values(include, schemas, DEEPEST, &mut found);
    }
    found
}

/// The schema, or the one that it refers to.
fn follow<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> Option<&'a Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => schemas.get(refs::name(reference)?),
        None => Some(schema),
    }
}

/// The texts that a schema lists; of a text with commas, its parts.
fn list_values(schema: &Value, schemas: &Map<String, Value>, depth: usize, found: &mut Vec<String>) {
    let (Some(depth), Some(schema)) = (depth.checked_sub(1), follow(schema, schemas)) else { return };
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
    let texts = list("enum").chain(schema.get("const")).filter_map(Value::as_str);
    found.extend(texts.flat_map(|text| text.split(',')).map(str::to_owned));
    for part in list("anyOf").chain(list("oneOf")).chain(list("allOf")).chain(schema.get("items")) {
        list_values(part, schemas, depth, found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Schema;
    use super::*;

    fn schema(properties: Value, is_closed: bool) -> Value {
        json!({"type": "object", "properties": properties, "additionalProperties": !is_closed})
    }

    /// An order with lines, which may have a profile, and the same as it is read.
    fn order() -> Schema {
        let defs = json!({
            "Line": schema(json!({"sku": {"type": "string"}, "tags": schema(json!({}), false)}), true),
            "Profile": schema(json!({"city": {"type": "string"}}), true),
            "LineRead": schema(json!({"id": true, "sku": true, "tags": schema(json!({"a": true}), false), "total": true}), false),
            "ProfileRead": schema(json!({"city": true, "verified": true}), false),
        });
        let Value::Object(defs) = defs else { panic!("no object") };
        let (none, text) = (json!({"type": "null"}), json!({"type": "string"}));
        let body = schema(
            json!({
                "name": {"type": "string", "x-normalize": ["trim"]}, "expectedVersion": {"type": "integer"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
                "profile": {"anyOf": [{"$ref": "#/$defs/Profile"}, none]},
            }),
            true,
        );
        let response = schema(
            json!({
                "id": text, "name": text, "version": {"type": "integer"}, "notes": text, "parts": {"type": "array"},
                "lines": {"type": "array", "items": {"$ref": "#/$defs/LineRead"}},
                "profile": {"anyOf": [{"$ref": "#/$defs/ProfileRead"}, none]},
            }),
            false,
        );
        let mut compiled = Schema::compile(&body, &defs).unwrap();
        compiled.ignore_members_of(&Schema::compile(&response, &defs).unwrap(), &["parts".to_owned()]);
        compiled
    }

    fn faults(mut body: Value) -> Vec<String> {
        order().check(&mut body).iter().map(|item| format!("{} {}", item.pointer, item.code)).collect()
    }

    #[test]
    fn a_record_that_was_read_is_a_body() {
        let mut body = json!({
            "id": "1", "name": " Desk ", "version": 7, "notes": "a\0b", "expectedVersion": 7, "profile": {"city": "Bonn", "verified": true},
            "lines": [{"id": "2", "sku": "A", "tags": {"a": 1, "total": 2}, "total": "5"}, {"sku": "B"}],
        });
        assert!(order().check(&mut body).is_empty(), "{body}");
        let kept = json!({
            "name": "Desk", "expectedVersion": 7, "profile": {"city": "Bonn"},
            "lines": [{"sku": "A", "tags": {"a": 1, "total": 2}}, {"sku": "B"}],
        });
        assert_eq!(body, kept);
        assert_eq!(faults(json!({"name": "Desk", "profile": null, "id": 1})), [""; 0]);
    }

    #[test]
    fn other_members_are_unknown() {
        for (body, fault) in [
            (json!({"ID": 1}), " NOT_ALLOWED"),
            (json!({"id": 1, "bogus": 1}), " NOT_ALLOWED"),
            (json!({"parts": []}), " NOT_ALLOWED"),
            (json!({"lines": [{"id": 1}, {"version": 1}]}), "/lines/1 NOT_ALLOWED"),
            (json!({"profile": {"id": 1}}), "/profile NOT_ALLOWED"),
            (json!({"id": 1, "name": 5}), "/name TYPE"),
            (json!({"lines": {"id": 1}}), "/lines TYPE"),
        ] {
            assert_eq!(faults(body.clone()), [fault], "{body}");
        }
    }

    #[test]
    fn a_schema_may_hold_itself() {
        let defs = |extra: &str| {
            let node = json!({"kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}, extra: true});
            json!({"Node": schema(node, true)})
        };
        let compile =
            |defs: Value| Schema::compile(&json!({"$ref": "#/$defs/Node"}), defs.as_object().unwrap()).unwrap();
        let mut body = compile(defs("name"));
        body.ignore_members_of(&compile(defs("id")), &[]);
        assert!(body.check(&mut json!({"id": 1, "kids": [{"id": 2, "kids": [{"id": 3}]}]})).is_empty());
    }

    #[test]
    fn what_is_asked_for_by_include_is_told_by_its_parameter() {
        let route = |query: Value| -> Route {
            serde_json::from_value(json!({
                "method": "GET", "path": "/a", "operation": "a", "summary": "", "audience": "user", "access": {"all": []},
                "idempotency": "none", "readOnly": true, "status": 200, "query": query, "response": true, "bodyLimit": 0,
            }))
            .unwrap()
        };
        let Value::Object(schemas) = json!({"Included": {"type": "string", "enum": ["lines", "parts", "lines,parts"]}})
        else {
            panic!("no object")
        };
        let include = json!({"anyOf": [{"$ref": "#/$defs/Included"}, {"type": "null"}]});
        let asked = route(schema(json!({"include": include}), true));
        assert_eq!(list_included(&asked, &schemas), ["lines", "parts", "lines", "parts"]);
        assert_eq!(list_included(&route(Value::Null), &schemas), [""; 0]);
    }
}
