//! Faults of a descriptor that its author finds without a host: `scripted::check` of the SDK in a unit test, and every
//! host. Each begins with the pointer of the member that is wrong.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use crate::{Access, Audience, Descriptor, EventKind, Idempotency, Named, Route, names};

/// Largest body that an operation may take, in bytes.
const LARGEST_BODY: u64 = 64 << 20;

/// All that is wrong with a descriptor by itself, but for its collections and the contents of its schemas.
pub fn find_faults(descriptor: &Descriptor) -> Vec<String> {
    let mut faults = Faults::default();
    let name = &descriptor.name;
    faults.expect(is_name(name, 32, b"-") && name != "stoa", "/name", || {
        format!("`{name}` is reserved or not [a-z][a-z0-9-]{{0,31}}")
    });
    for (list, named) in [("permissions", &descriptor.permissions), ("scopes", &descriptor.scopes)] {
        for (index, named) in named.iter().enumerate() {
            faults.expect_code(&named.code, || format!("/{list}/{index}/code"));
        }
    }
    for (index, kind) in descriptor.events.iter().enumerate() {
        find_faults_of_event(kind, &format!("/events/{index}"), &mut faults);
    }
    let mut codes = BTreeSet::new();
    for (index, problem) in descriptor.problems.iter().enumerate() {
        let code = &problem.code;
        let place = format!("/problems/{index}");
        faults.expect(codes.insert(code), &place, || format!("problem `{code}` is declared twice"));
        let is_status = matches!(problem.status, 400 | 404 | 409 | 412 | 413);
        faults.expect(is_status && is_constant(code), &place, || {
            format!(
                "problem `{code}` with status {}: a code is [A-Z0-9_]{{1,64}}, its status 400, 404, 409, 412 or 413",
                problem.status
            )
        });
    }
    let mut item_codes = BTreeSet::new();
    for (index, Named { code, .. }) in descriptor.item_codes.iter().enumerate() {
        let is_own = item_codes.insert(code) && is_constant(code) && !names::is_shared_item_code(code);
        faults.expect(is_own, &format!("/itemCodes/{index}"), || {
            format!("item code `{code}`: a code is [A-Z0-9_]{{1,64}}, declared once, and none that every module has")
        });
    }
    for (list, named) in [("auditFilters", &descriptor.audit_filters), ("words", &descriptor.words)] {
        for (index, named) in named.iter().enumerate() {
            let place = format!("/{list}/{index}/code");
            faults.expect(is_member(&named.code), &place, || format!("`{}` is not camelCase", named.code));
        }
    }
    let events: BTreeSet<&str> = descriptor.events.iter().map(|kind| kind.code.as_str()).collect();
    for (index, route) in descriptor.routes.iter().enumerate() {
        find_faults_of_route(route, &events, &format!("/routes/{index}"), &mut faults);
    }
    find_dead_references(descriptor, &mut faults);
    faults.0
}

/// Faults, each with its place.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn expect(&mut self, holds: bool, pointer: &str, fault: impl FnOnce() -> String) {
        if !holds {
            self.0.push(format!("{pointer}: {}", fault()));
        }
    }

    fn expect_code(&mut self, code: &str, pointer: impl FnOnce() -> String) {
        if !is_code(code) {
            self.0.push(format!("{}: `{code}` is no code of lower-case words joined by dots", pointer()));
        }
    }
}

fn find_faults_of_event(kind: &EventKind, place: &str, faults: &mut Faults) {
    faults.expect_code(&kind.code, || format!("{place}/code"));
    let is_type = kind.resource_type.starts_with(|first: char| first.is_ascii_uppercase());
    faults.expect(is_type && is_constant(&kind.resource_type), &format!("{place}/resourceType"), || {
        format!("event `{}`: the resource type `{}` is not [A-Z][A-Z0-9_]{{0,63}}", kind.code, kind.resource_type)
    });
    faults.expect(kind.example.is_object(), &format!("{place}/example"), || {
        format!("event `{}`: the example is no object", kind.code)
    });
}

fn find_faults_of_route(route: &Route, events: &BTreeSet<&str>, place: &str, faults: &mut Faults) {
    let mut expect = |holds: bool, member: &str, what: &str, named: &str| {
        faults.expect(holds, &format!("{place}/{member}"), || format!("{}: {what}: `{named}`", route.operation));
    };
    let operation = route.operation.as_bytes();
    let is_operation = operation.first().is_some_and(u8::is_ascii_lowercase)
        && operation.iter().all(u8::is_ascii_alphanumeric)
        && operation.len() <= 64;
    expect(is_operation, "operation", "the operation id is not camelCase", &route.operation);
    let is_method = matches!(route.method.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE");
    expect(is_method, "method", "unknown method", &route.method);
    let prefix = match route.audience {
        Audience::User => "/tenants/{tenantId}/",
        Audience::ApiClient => "/api-client/",
    };
    let begins = format!("the path does not begin with {prefix}");
    expect(route.path.starts_with(prefix), "path", &begins, &route.path);
    let plain = "the path is not of plain segments and distinct parameters";
    expect(is_template(&route.path), "path", plain, &route.path);
    let status = route.status.to_string();
    expect((200..300).contains(&route.status), "status", "the success status is not 2xx", &status);
    expect(route.method != "GET" || route.read_only, "readOnly", "a GET that is not read-only", &route.path);
    let takes_key = route.idempotency != Idempotency::None;
    expect(!(route.read_only && takes_key), "idempotency", "a read takes no idempotency key", &route.path);
    expect(route.read_only || route.audit.is_some(), "audit", "a write without an audit resource type", &route.path);
    let emitted = route.events.join(", ");
    expect(!route.read_only || route.events.is_empty(), "events", "a read emits no events", &emitted);
    let limit = route.body_limit.to_string();
    expect(route.body_limit <= LARGEST_BODY, "bodyLimit", "the body limit is above 64 MiB", &limit);
    let is_known = route.events.iter().all(|kind| events.contains(kind.as_str()));
    expect(is_known, "events", "an event kind that the descriptor does not introduce", &emitted);
    let listed = route.item_codes.join(", ");
    expect(route.item_codes.iter().all(|code| is_constant(code)), "itemCodes", "an item code that is none", &listed);
    let (Access::All(codes) | Access::Any(codes)) = &route.access;
    // Any of none: for people, active membership is enough. All of none is a forgotten permission.
    let named = !codes.is_empty() || (route.audience == Audience::User && matches!(route.access, Access::Any(_)));
    let is_access = named && codes.iter().all(|code| is_code(code));
    expect(is_access, "access", "no permission, or one that is no code", &codes.join(", "));
}

/// References of schemas that lead to no schema of the descriptor.
fn find_dead_references(descriptor: &Descriptor, faults: &mut Faults) {
    let schemas = &descriptor.schemas;
    for (index, route) in descriptor.routes.iter().enumerate() {
        let parts = [
            ("pathSchema", route.path_schema.as_ref()),
            ("query", route.query.as_ref()),
            ("body", route.body.as_ref()),
            ("response", Some(&route.response)),
        ];
        for (member, schema) in parts.iter().filter_map(|(member, schema)| Some((member, (*schema)?))) {
            follow(schema, &format!("/routes/{index}/{member}"), schemas, faults);
        }
    }
    for (index, kind) in descriptor.events.iter().enumerate() {
        follow(&kind.data, &format!("/events/{index}/data"), schemas, faults);
    }
    for (name, schema) in schemas {
        follow(schema, &format!("/schemas/{name}"), schemas, faults);
    }
}

fn follow(schema: &Json, place: &str, schemas: &Map<String, Json>, faults: &mut Faults) {
    match schema {
        Json::Object(members) => {
            for (key, value) in members {
                let place = format!("{place}/{key}");
                match value {
                    Json::String(reference) if key == "$ref" => {
                        let is_known =
                            reference.strip_prefix("#/$defs/").is_some_and(|name| schemas.contains_key(name));
                        faults.expect(is_known, &place, || format!("the reference {reference} names no schema"));
                    }
                    other => follow(other, &place, schemas, faults),
                }
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                follow(item, &format!("{place}/{index}"), schemas, faults);
            }
        }
        _ => {}
    }
}

/// `/word/{parameter}/...`: lower-case words joined by hyphens, camelCase parameters, none twice.
fn is_template(path: &str) -> bool {
    let mut parameters = BTreeSet::new();
    path.strip_prefix('/').is_some_and(|path| {
        path.split('/').all(|segment| match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => {
                name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && parameters.insert(name)
            }
            None => is_name(segment, 64, b"-"),
        })
    })
}

/// Upper-case letters, digits and underscores: a problem code, a resource type.
fn is_constant(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&code.len()) && code.bytes().all(plain)
}

/// camelCase.
fn is_member(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_code(code: &str) -> bool {
    code.len() <= 64 && code.split('.').count() >= 2 && code.split('.').all(|word| is_name(word, 32, b"-_"))
}

/// A lower-case word with digits and the given joiners, a letter first.
pub fn is_name(name: &str, longest: usize, joiners: &[u8]) -> bool {
    name.len() <= longest
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || joiners.contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_begins_with_its_pointer() {
        let route = json!({
            "method": "GET", "path": "/tenants/{tenantId}/notes", "operation": "listNotes", "summary": "Notes",
            "audience": "user", "access": { "all": ["notes.read"] }, "idempotency": "none", "readOnly": true,
            "status": 199, "bodyLimit": 0,
            "response": { "properties": { "items": { "items": { "$ref": "#/$defs/Nope" } } } },
        });
        let mut whole = json!({
            "name": "notes", "version": "1.0.0", "description": "Notes.", "routes": [route],
            "permissions": [
                { "code": "notes.read", "description": "Read." }, { "code": "read", "description": "Read." }
            ],
        });
        let faults = |whole: &Json| find_faults(&serde_json::from_value(whole.clone()).expect("a descriptor"));
        assert_eq!(
            faults(&whole),
            [
                "/permissions/1/code: `read` is no code of lower-case words joined by dots",
                "/routes/0/status: listNotes: the success status is not 2xx: `199`",
                "/routes/0/response/properties/items/items/$ref: the reference #/$defs/Nope names no schema",
            ]
        );
        whole["routes"][0]["status"] = json!(200);
        whole["permissions"][1]["code"] = json!("notes.write");
        whole["schemas"] = json!({ "Nope": true });
        assert_eq!(faults(&whole), Vec::<String>::new());
    }

    #[test]
    fn item_codes_are_declared_once_and_are_no_shared_ones() {
        let named = |code: &str| json!({ "code": code, "description": "It is." });
        let codes = ["NOTES_FULL", "NOTES_FULL", "REQUIRED", "notes-full"].map(named);
        let route = json!({
            "method": "GET", "path": "/tenants/{tenantId}/notes", "operation": "listNotes", "summary": "Notes",
            "audience": "user", "access": { "all": ["notes.read"] }, "idempotency": "none", "readOnly": true,
            "status": 200, "bodyLimit": 0, "response": {}, "itemCodes": ["NOTES_FULL", "notes-full"],
        });
        let whole = json!({
            "name": "notes", "version": "1.0.0", "description": "Notes.", "routes": [route],
            "itemCodes": codes,
        });
        let faults = find_faults(&serde_json::from_value(whole).expect("a descriptor"));
        let places: Vec<&str> = faults.iter().filter_map(|fault| Some(fault.split_once(": ")?.0)).collect();
        assert_eq!(places, ["/itemCodes/1", "/itemCodes/2", "/itemCodes/3", "/routes/0/itemCodes"]);
    }
}
