//! Faults of a descriptor that its author finds without a host: `scripted::check` of the SDK in a unit test, and every
//! host. Each begins with the pointer of the member that is wrong.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use crate::console::{
    LAST_POSITION, LONGEST_GROUP, LONGEST_PATH, MOST_COLUMNS, MOST_LISTS, MOST_REFERENCES, MOST_TITLES,
};
use crate::extension::{LEAST_MINUTES, LISTENER, MOST_MINUTES, PACKAGE, POINTS, TIMER, VIEWS};
use crate::{Access, Audience, Console, Descriptor, EventKind, Idempotency, ListHint, Named, Route, names};

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
    find_faults_of_extension(descriptor, &events, &mut faults);
    if let Some(console) = &descriptor.console {
        find_faults_of_console(console, descriptor, &mut faults);
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

    fn expect_constants(&mut self, codes: &[String], what: &str, pointer: impl FnOnce() -> String) {
        if let Some(code) = codes.iter().find(|code| !is_constant(code)) {
            self.0.push(format!("{}: `{code}` is no {what}: a code is [A-Z0-9_]{{1,64}}", pointer()));
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
    let is_reached = |name: &String| is_point(name) || is_code(name);
    let reached = "a name that is neither a point nor an event kind";
    expect(route.reaches.iter().all(is_reached), "reaches", reached, &route.reaches.join(", "));
    let (Access::All(codes) | Access::Any(codes)) = &route.access;
    // An empty `any`: for users, active membership is enough. An empty `all` is a forgotten permission.
    let named = !codes.is_empty() || (route.audience == Audience::User && matches!(route.access, Access::Any(_)));
    let is_access = named && codes.iter().all(|code| is_code(code));
    expect(is_access, "access", "no permission, or one that is no code", &codes.join(", "));
}

/// Faults of the members by which the module extends others or lets others extend it. `events`: the kinds of its own.
fn find_faults_of_extension(descriptor: &Descriptor, events: &BTreeSet<&str>, faults: &mut Faults) {
    let mut called = BTreeSet::new();
    for (index, Named { code, .. }) in descriptor.points.iter().enumerate() {
        faults.expect(is_point(code) && called.insert(code), &format!("/points/{index}/code"), || {
            format!("`{code}` is no point, or is stated twice: a point is {PACKAGE} and a name")
        });
    }
    let mut extended = BTreeSet::new();
    for (index, extension) in descriptor.extends.iter().enumerate() {
        let (interface, place) = (&extension.interface, format!("/extends/{index}"));
        let is_extended = is_point(interface) && interface != VIEWS && extended.insert(interface);
        faults.expect(is_extended, &format!("{place}/interface"), || {
            format!(
                "`{interface}` is no point that a module extends, or is stated twice: a point is {PACKAGE} and a name \
                 other than points, listener, timer and views"
            )
        });
        faults.expect_constants(&extension.problems, "problem code", || format!("{place}/problems"));
        faults.expect_constants(&extension.item_codes, "item code", || format!("{place}/itemCodes"));
    }
    let mut received = BTreeSet::new();
    for (index, receiving) in descriptor.receives.iter().enumerate() {
        let (kind, place) = (&receiving.kind, format!("/receives/{index}"));
        faults.expect_code(kind, || format!("{place}/kind"));
        faults.expect(received.insert((kind, receiving.moment)), &format!("{place}/kind"), || {
            format!("`{kind}` is stated twice with one moment")
        });
        faults.expect(!events.contains(kind.as_str()), &format!("{place}/kind"), || {
            format!("`{kind}`: a module does not receive its own events")
        });
        faults.expect_constants(&receiving.problems, "problem code", || format!("{place}/problems"));
    }
    let mut timers = BTreeSet::new();
    for (index, timer) in descriptor.timers.iter().enumerate() {
        let (code, place) = (&timer.code, format!("/timers/{index}"));
        faults.expect(is_name(code, 32, b"-") && timers.insert(code), &format!("{place}/code"), || {
            format!("timer `{code}`: a code is [a-z][a-z0-9-]{{0,31}}, stated once")
        });
        let is_often_enough = (LEAST_MINUTES..=MOST_MINUTES).contains(&timer.every_minutes);
        faults.expect(is_often_enough, &format!("{place}/everyMinutes"), || {
            format!("timer `{code}`: {} minutes are not from {LEAST_MINUTES} to {MOST_MINUTES}", timer.every_minutes)
        });
    }
    let mut places = BTreeSet::new();
    for (index, shown) in descriptor.shows.iter().enumerate() {
        let (code, place) = (&shown.place, format!("/shows/{index}"));
        faults.expect(is_place(code) && places.insert(code), &format!("{place}/place"), || {
            format!("`{code}`: a place is two lower-case words joined by a dot, stated once")
        });
        faults.expect(is_object(&shown.schema, &descriptor.schemas), &format!("{place}/schema"), || {
            format!("`{code}`: the schema states no type or another than object")
        });
    }
}

/// Faults of the hints for the console. The list of a reference may be of another module, which need not be active.
fn find_faults_of_console(console: &Console, descriptor: &Descriptor, faults: &mut Faults) {
    for (name, count, most) in
        [("lists", console.lists.len(), MOST_LISTS), ("references", console.references.len(), MOST_REFERENCES)]
    {
        faults.expect(count <= most, &format!("/console/{name}"), || format!("{count} hints, at most {most}"));
    }
    let mut lists = BTreeSet::new();
    for (index, hint) in console.lists.iter().enumerate() {
        let (list, place) = (&hint.list, format!("/console/lists/{index}"));
        let is_list =
            |route: &&Route| route.operation == *list && route.method == "GET" && route.audience == Audience::User;
        let members = descriptor.routes.iter().find(is_list);
        let members = members.map(|route| list_members_of_items(&route.response, &descriptor.schemas));
        let is_known = members.as_ref().is_some_and(|members| !members.is_empty()) && lists.insert(list);
        faults.expect(is_known, &format!("{place}/list"), || {
            format!("`{list}` is no GET for users whose response has `items` of objects, or is stated twice")
        });
        if let Some(members) = members {
            find_faults_of_list(hint, &members, &place, faults);
        }
    }
    for (index, hint) in console.references.iter().enumerate() {
        let (member, list, place) = (&hint.member, &hint.list, format!("/console/references/{index}"));
        let is_id = is_member(member) && (member.ends_with("Id") || member.ends_with("Ids"));
        faults.expect(is_id, &format!("{place}/member"), || format!("`{member}` is not camelCase ending in Id or Ids"));
        faults.expect(is_member(list), &format!("{place}/list"), || format!("`{list}` is no operation id"));
        let below = hint.below.as_deref().unwrap_or("/");
        let is_path = below.starts_with('/') && below.len() <= LONGEST_PATH;
        faults.expect(is_path, &format!("{place}/below"), || {
            format!("a path begins with a slash and has at most {LONGEST_PATH} bytes")
        });
    }
}

fn find_faults_of_list(hint: &ListHint, members: &BTreeSet<&str>, place: &str, faults: &mut Faults) {
    for (name, stated, most) in [("title", &hint.title, MOST_TITLES), ("columns", &hint.columns, MOST_COLUMNS)] {
        let mut distinct = BTreeSet::new();
        let is_fit = stated.iter().all(|member| members.contains(member.as_str()) && distinct.insert(member));
        faults.expect(is_fit && stated.len() <= most, &format!("{place}/{name}"), || {
            format!("`{}`: at most {most} distinct members of the items of `{}`", stated.join(", "), hint.list)
        });
    }
    if let Some(group) = &hint.group {
        let is_heading = (1..=LONGEST_GROUP).contains(&group.chars().count()) && !group.trim().is_empty();
        faults.expect(is_heading && !group.chars().any(char::is_control), &format!("{place}/group"), || {
            format!("a heading has 1 to {LONGEST_GROUP} characters and no control characters")
        });
    }
    let position = hint.position.unwrap_or_default();
    faults.expect(position <= LAST_POSITION, &format!("{place}/position"), || {
        format!("{position} is above {LAST_POSITION}")
    });
}

/// Names of the members of the objects in the member `items` of a response.
fn list_members_of_items<'d>(response: &'d Json, schemas: &'d Map<String, Json>) -> BTreeSet<&'d str> {
    let resolve = |schema: &'d Json| {
        let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        name.and_then(|name| schemas.get(name)).unwrap_or(schema)
    };
    let item = resolve(&resolve(&resolve(response)["properties"]["items"])["items"]);
    let branches = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|union| item[union].as_array()).flatten();
    let objects = std::iter::once(item).chain(branches.map(resolve));
    objects.filter_map(|object| object["properties"].as_object()).flat_map(Map::keys).map(String::as_str).collect()
}

/// Returns whether a schema is of objects: by its own type, or by that of the named schema to which it refers.
fn is_object(schema: &Json, schemas: &Map<String, Json>) -> bool {
    let named = schema["$ref"].as_str().and_then(|reference| schemas.get(reference.strip_prefix("#/$defs/")?));
    named.unwrap_or(schema)["type"] == "object"
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
    for (index, shown) in descriptor.shows.iter().enumerate() {
        follow(&shown.schema, &format!("/shows/{index}/schema"), schemas, faults);
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

/// `commerce:extension/checkout`: an interface that modules call, without a version.
fn is_point(interface: &str) -> bool {
    let is_called = !matches!(interface, POINTS | LISTENER | TIMER);
    is_called && interface.strip_prefix(PACKAGE).is_some_and(|name| is_name(name, 64, b"-"))
}

/// `sales.order`.
fn is_place(place: &str) -> bool {
    place.split_once('.').is_some_and(|(module, document)| is_name(module, 32, b"-") && is_name(document, 32, b"-"))
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

    /// Pointers of the faults of a descriptor that extends others, with these members in the place of its own.
    fn list_places(members: &Json) -> Vec<String> {
        let mut whole = json!({
            "name": "credit-limit", "version": "1.0.0", "description": "Limits.",
            "events": [{
                "code": "credit-limit.passed", "description": "A limit was passed.", "resourceType": "CREDIT_LIMIT",
                "data": {}, "example": {},
            }],
            "points": [{ "code": "commerce:extension/views", "description": "A limit that is read." }],
            "extends": [
                { "interface": "commerce:extension/order-confirmation", "problems": ["CREDIT_LIMIT_EXCEEDED"] },
            ],
            "receives": [{ "kind": "sale.cancelled", "moment": "in-transaction" }],
            "timers": [{ "code": "expire", "description": "Expires limits.", "everyMinutes": 1440 }],
            "shows": [{ "place": "sales.order", "schema": { "$ref": "#/$defs/CreditLimitExposure" } }],
            "schemas": { "CreditLimitExposure": { "type": "object" }, "CreditLimitCode": { "type": "string" } },
        });
        for (name, member) in members.as_object().expect("members") {
            whole[name] = member.clone();
        }
        let faults = find_faults(&serde_json::from_value(whole).expect("a descriptor"));
        faults.iter().filter_map(|fault| Some(fault.split_once(": ")?.0.to_owned())).collect()
    }

    #[test]
    fn a_module_extends_points_by_their_names() {
        assert_eq!(list_places(&json!({})), [""; 0]);
        let interface = |name: &str| json!({ "interface": format!("commerce:{name}") });
        let names = [
            "extension/checkout",
            "extension/checkout",
            "extension/listener",
            "extension/timer",
            "extension/views",
            "extension/points",
            "extension/checkout@0.1.0",
            "sales/orders",
        ];
        assert_eq!(
            list_places(&json!({ "extends": names.map(interface) })),
            [1, 2, 3, 4, 5, 6, 7].map(|index| format!("/extends/{index}/interface"))
        );
        let codes =
            json!([{ "interface": "commerce:extension/checkout", "problems": ["no"], "itemCodes": ["A", "b"] }]);
        assert_eq!(list_places(&json!({ "extends": codes })), ["/extends/0/problems", "/extends/0/itemCodes"]);
    }

    #[test]
    fn a_module_calls_points_but_neither_listeners_nor_timers() {
        let named = |name: &str| json!({ "code": format!("commerce:extension/{name}"), "description": "Before it." });
        let names = ["checkout", "views", "checkout", "listener", "timer", "points", "Checkout"];
        assert_eq!(
            list_places(&json!({ "points": names.map(named) })),
            [2, 3, 4, 5, 6].map(|index| format!("/points/{index}/code"))
        );
    }

    #[test]
    fn a_module_receives_kinds_of_others_once_for_each_moment() {
        let receives = json!([
            { "kind": "sale.completed", "moment": "in-transaction" },
            { "kind": "sale.completed", "moment": "after-commit" },
            { "kind": "sale.completed", "moment": "after-commit" },
            { "kind": "credit-limit.passed", "moment": "after-commit" },
            { "kind": "sale", "moment": "after-commit", "problems": ["late"] },
        ]);
        assert_eq!(
            list_places(&json!({ "receives": receives })),
            ["/receives/2/kind", "/receives/3/kind", "/receives/4/kind", "/receives/4/problems"]
        );
    }

    #[test]
    fn timers_are_bounded_and_places_are_shown_once() {
        let timer = |code: &str, minutes: u32| json!({ "code": code, "description": "It.", "everyMinutes": minutes });
        let timers = [timer("a", 5), timer("b", 10_080), timer("a", 4), timer("C", 10_081)];
        assert_eq!(
            list_places(&json!({ "timers": timers })),
            ["/timers/2/code", "/timers/2/everyMinutes", "/timers/3/code", "/timers/3/everyMinutes"]
        );
        let shown = |place: &str, schema: Json| json!({ "place": place, "schema": schema });
        let object = || json!({ "type": "object" });
        let shows = [
            shown("sales.order", object()),
            shown("sales.order", object()),
            shown("sales", object()),
            shown("pos.receipt", json!({ "$ref": "#/$defs/CreditLimitCode" })),
            shown("catalog.product", json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/Nope" } } })),
        ];
        assert_eq!(
            list_places(&json!({ "shows": shows })),
            ["/shows/1/place", "/shows/2/place", "/shows/3/schema", "/shows/4/schema/properties/a/$ref"]
        );
    }

    #[test]
    fn a_route_reaches_points_and_kinds_of_events() {
        let route = |reaches: Json| {
            json!([{
                "method": "GET", "path": "/tenants/{tenantId}/limits", "operation": "listLimits", "summary": "Limits",
                "audience": "user", "access": { "all": ["limits.read"] }, "idempotency": "none", "readOnly": true,
                "status": 200, "bodyLimit": 0, "response": {}, "reaches": reaches,
            }])
        };
        let reached = |reaches: Json| list_places(&json!({ "routes": route(reaches) }));
        assert_eq!(
            reached(json!(["commerce:extension/checkout", "commerce:extension/views", "sale.completed"])),
            [""; 0]
        );
        for wrong in ["commerce:extension/listener", "commerce:sales/orders", "checkout", ""] {
            assert_eq!(reached(json!([wrong])), ["/routes/0/reaches"], "{wrong}");
        }
    }

    #[test]
    fn hints_name_lists_and_members_of_the_module() {
        let route = |method: &str, audience: &str, operation: &str, response: Json| {
            let path = if audience == "user" { "/tenants/{tenantId}/limits" } else { "/api-client/limits" };
            json!({
                "method": method, "path": path, "operation": operation, "summary": "Limits",
                "audience": audience, "access": { "all": ["limits.read"] }, "idempotency": "none", "readOnly": true,
                "status": 200, "bodyLimit": 0, "response": response,
            })
        };
        let page = json!({ "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/Limit" } } } });
        let limit = json!({ "type": "object", "properties": { "name": {}, "amount": {}, "status": {} } });
        let with = |console: Json| {
            list_places(&json!({
                "routes": [
                    route("GET", "user", "listLimits", json!({ "$ref": "#/$defs/LimitPage" })),
                    route("GET", "user", "getLimit", json!({ "$ref": "#/$defs/Limit" })),
                    route("POST", "user", "findLimits", json!({ "$ref": "#/$defs/LimitPage" })),
                    route("GET", "api-client", "apiListLimits", json!({ "$ref": "#/$defs/LimitPage" })),
                ],
                "schemas": { "Limit": limit, "LimitPage": page, "CreditLimitExposure": { "type": "object" } },
                "console": console,
            }))
        };
        let list = |name: &str, member: &str, value: Json| with(json!({ "lists": [{ "list": name, member: value }] }));
        assert_eq!(with(json!({})), [""; 0]);
        for (member, value) in [
            ("title", json!(["name", "amount"])),
            ("columns", json!(["status", "name"])),
            ("group", json!("Größe und Gewicht")),
            ("position", json!(999)),
        ] {
            assert_eq!(list("listLimits", member, value.clone()), [""; 0], "{member} {value}");
        }
        for name in ["getLimit", "findLimits", "apiListLimits", "listOthers"] {
            assert_eq!(list(name, "position", json!(1)), ["/console/lists/0/list"], "{name}");
        }
        for (member, value) in [
            ("title", json!(["name", "amount", "status"])),
            ("title", json!(["name", "name"])),
            ("title", json!(["nothing"])),
            ("columns", json!(["name", "amount", "status", "name", "name", "name", "name", "name"])),
            ("columns", json!(["nothing"])),
            ("group", json!("")),
            ("group", json!(" ")),
            ("group", json!("g".repeat(41))),
            ("group", json!("a\nb")),
            ("position", json!(1000)),
        ] {
            let place = format!("/console/lists/0/{member}");
            assert_eq!(list("listLimits", member, value.clone()), [place], "{value}");
        }
        let twice = json!({ "lists": [{ "list": "listLimits" }, { "list": "listLimits" }] });
        assert_eq!(with(twice), ["/console/lists/1/list"]);
    }

    #[test]
    fn hints_of_references_are_bounded_and_may_name_lists_of_others() {
        let with = |references: Json| list_places(&json!({ "console": { "references": references } }));
        let one =
            |member: &str, list: &str, below: &str| with(json!([{ "member": member, "list": list, "below": below }]));
        assert_eq!(one("partyId", "listCustomers", "/sales/"), [""; 0]);
        assert_eq!(one("unitIds", "listUnits", "/"), [""; 0]);
        for member in ["party", "PartyId", "party_Id", "Id", ""] {
            assert_eq!(one(member, "listCustomers", "/"), ["/console/references/0/member"], "{member}");
        }
        assert_eq!(one("partyId", "list-customers", "/"), ["/console/references/0/list"]);
        for below in ["sales/", "", &"/a".repeat(101)] {
            assert_eq!(one("partyId", "listCustomers", below), ["/console/references/0/below"], "{below}");
        }
        let many = |count| with(Json::Array(vec![json!({ "member": "partyId", "list": "listCustomers" }); count]));
        assert_eq!((many(100), many(101)), (Vec::new(), vec!["/console/references".to_owned()]));
    }
}
