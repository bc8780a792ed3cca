//! Where the record is that an operation made: which operations send `Location`. The contract and the responses ask the
//! same functions.

use serde_json::{Map, Value};
use stoa_descriptor::Route;

use super::refs;

/// References that are followed to the members of a response.
const DEEPEST: usize = 8;

/// Returns whether a success of the operation is a new record: it always has a member `id`. `schemas`: those that the
/// route's refer to.
pub fn answers_an_id(route: &Route, schemas: &Map<String, Value>) -> bool {
    route.status == 201 && has_id(&route.response, schemas, DEEPEST)
}

fn has_id(schema: &Value, schemas: &Map<String, Value>, depth: usize) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return false };
    let named = schema.get("$ref").and_then(Value::as_str).and_then(refs::name).and_then(|name| schemas.get(name));
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten().chain(named);
    let is_required = || {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == "id"))
    };
    let states_it = schema.pointer("/properties/id").is_some() && is_required();
    states_it || parts.into_iter().any(|part| has_id(part, schemas, deeper))
}

/// Returns whether the operation reads the records that another one makes: a GET for the same callers, at the path of the other
/// and an id.
pub fn reads_records_of(reader: &Route, maker: &Route) -> bool {
    let below = reader.path.strip_prefix(maker.path.as_str()).and_then(|rest| rest.strip_prefix("/{"));
    let is_an_id = below.and_then(|rest| rest.strip_suffix('}')).is_some_and(|name| !name.contains('/'));
    is_an_id && reader.method == "GET" && reader.audience == maker.audience
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn route(method: &str, path: &str, audience: &str, response: Value) -> Route {
        serde_json::from_value(json!({
            "method": method, "path": path, "operation": "a", "summary": "", "audience": audience, "access": {"all": []},
            "idempotency": "none", "readOnly": method == "GET", "status": if method == "GET" { 200 } else { 201 },
            "response": response, "bodyLimit": 0,
        }))
        .unwrap()
    }

    #[test]
    fn the_path_of_a_record_is_its_lists_and_an_id() {
        let maker = route("POST", "/a/{b}/things", "user", json!(true));
        for (method, path, audience, reads) in [
            ("GET", "/a/{b}/things/{id}", "user", true),
            ("GET", "/a/{b}/things", "user", false),
            ("GET", "/a/{b}/things/{id}/parts", "user", false),
            ("GET", "/a/{b}/things/{id}/parts/{part}", "user", false),
            ("GET", "/a/{b}/things/latest", "user", false),
            ("GET", "/a/{b}/thingses/{id}", "user", false),
            ("GET", "/a/{b}/things/{id}", "api-client", false),
            ("DELETE", "/a/{b}/things/{id}", "user", false),
        ] {
            assert_eq!(reads_records_of(&route(method, path, audience, json!(true)), &maker), reads, "{method} {path}");
        }
    }

    #[test]
    fn a_response_may_lack_an_id() {
        let Value::Object(schemas) = json!({
            "Thing": {"required": ["id"], "properties": {"id": {"type": "string"}}},
            "Batch": {"required": ["items"], "properties": {"items": {"items": {"$ref": "#/$defs/Thing"}}}},
            "Maybe": {"properties": {"id": {"type": "string"}}},
            "Whole": {"allOf": [{"$ref": "#/$defs/Thing"}, {"properties": {"name": {"type": "string"}}}]},
            "Endless": {"$ref": "#/$defs/Endless"},
        }) else {
            panic!("no object")
        };
        for (name, has) in [("Thing", true), ("Batch", false), ("Maybe", false), ("Whole", true), ("Endless", false)] {
            let response = json!({"$ref": format!("#/$defs/{name}")});
            assert_eq!(answers_an_id(&route("POST", "/a", "user", response), &schemas), has, "{name}");
        }
        let response = json!({"$ref": "#/$defs/Thing"});
        let read = Route { status: 200, ..route("POST", "/a", "user", response) };
        assert!(!answers_an_id(&read, &schemas));
    }
}
