//! Components that the host rejects at the start: imports of what is not theirs, garbage, and descriptors that lie. The
//! refusal names the item, so that an operator can fix it.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::modules::replace_name;
use stoa_tests::puppet::{descriptor, puppet, puppet_of_text, route};
use stoa_tests::{Database, Stoa, eventually, modules, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    lawful_puppet_is_let_in,
    foreign_imports_are_refused_by_name,
    missing_service_is_refused_by_name,
    garbage_files_are_refused,
    routes_must_be_distinct,
    a_problem_code_has_one_meaning,
    descriptors_must_be_lawful,
    a_new_descriptor_is_judged_by_another_process
];

fn event(code: &str) -> Json {
    json!({
        "code": code,
        "description": "Something was done.",
        "resourceType": "THING",
        "data": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string", "format": "uuid" } } },
        "example": { "id": "01890a5d-ac96-774b-bcce-b302099a8057" },
    })
}

/// Starts a host with only these modules and returns what it said when it rejected them.
#[track_caller]
fn refusal(database: Database, files: &[(&str, &[u8])]) -> String {
    let folder = modules::empty_with(files);
    match Stoa::try_start(database, Settings::default().modules(folder.path())) {
        Ok(_) => panic!("the host started with {:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>()),
        Err(said) => {
            assert!(said.starts_with("exit status: ") && !said.contains("panicked at"), "no refusal: {said}");
            said
        }
    }
}

#[track_caller]
fn named(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "the refusal does not name {word:?}: {said}");
    }
}

fn lawful_puppet_is_let_in(database: Database) {
    let folder = modules::empty_with(&[("puppet.wasm", &puppet(&descriptor("puppet")))]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    let shop = host.company();
    assert_eq!(shop.get("puppet/things").is(200).body, json!({ "operation": "listThings" }));
    shop.get("catalog/products").refused(404, "NOT_FOUND");
}

/// Components of the text format; imports that they must not have are reported before the parts of a module that they lack.
const FOREIGN: &[(&str, &str)] = &[
    (
        "wasi:cli/environment@0.2.0",
        r#"(component (import "wasi:cli/environment@0.2.0" (instance (export "get-arguments" (func (result (list string)))))))"#,
    ),
    ("wasi:filesystem/preopens@0.2.0", r#"(component (import "wasi:filesystem/preopens@0.2.0" (instance)))"#),
    (
        "wasi:clocks/wall-clock@0.2.3",
        r#"(component (import "wasi:clocks/wall-clock@0.2.3" (instance (export "now" (func (result u64))))))"#,
    ),
    ("evil:thing/x", r#"(component (import "evil:thing/x" (instance (export "f" (func)))))"#),
    ("evil:thing/x@1.2.3", r#"(component (import "evil:thing/x@1.2.3" (instance (export "f" (func)))))"#),
    ("take-it", r#"(component (import "take-it" (func (param "sql" string))))"#),
    (
        "commerce:platform/sql@0.1.0",
        r#"(component (import "commerce:platform/sql@0.1.0" (instance (export "run" (func)))))"#,
    ),
    (
        "commerce:platform/store@2.0.0",
        r#"(component (import "commerce:platform/store@2.0.0" (instance (export "run" (func)))))"#,
    ),
];

fn foreign_imports_are_refused_by_name(database: Database) {
    for (import, text) in FOREIGN {
        let component = wat::parse_str(text).unwrap_or_else(|error| panic!("{import}: {error}"));
        let said = refusal(database, &[("foreign.wasm", &component)]);
        named(&said, &[import, "foreign"]);
    }
}

/// Pricing without the catalog, or with one of another version or with other types: a service that no module provides.
fn missing_service_is_refused_by_name(database: Database) {
    let read =
        |name: &str| std::fs::read(modules::folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (catalog, pricing) = (read("catalog.wasm"), read("pricing.wasm"));
    let service = "commerce:catalog/articles@0.1.0";
    named(&refusal(database, &[("pricing.wasm", &pricing)]), &[service, "pricing"]);
    let other = "commerce:catalog/articles@9.0.0";
    let newer = replace_name(&pricing, service, other);
    named(&refusal(database, &[("catalog.wasm", &catalog), ("pricing.wasm", &newer)]), &[other, "pricing"]);
    let renamed = replace_name(&pricing, "variant-active", "variant-archiv");
    named(&refusal(database, &[("catalog.wasm", &catalog), ("pricing.wasm", &renamed)]), &[service, "pricing"]);
}

fn garbage_files_are_refused(database: Database) {
    let core = wat::parse_str("(module (func (export \"describe\")))").expect("a core module");
    let empty = wat::parse_str("(component)").expect("an empty component");
    let whole = puppet(&descriptor("puppet"));
    let cut = &whole[..whole.len() / 2];
    for (name, bytes) in [
        ("empty.wasm", &b""[..]),
        ("text.wasm", b"not wasm at all"),
        ("magic.wasm", b"\0asm\x0d\0\x01\0"),
        ("core.wasm", &core),
        ("bare.wasm", &empty),
        ("cut.wasm", cut),
    ] {
        let said = refusal(database, &[(name, bytes)]);
        named(&said, &[name.trim_end_matches(".wasm")]);
    }
}

fn routes_must_be_distinct(database: Database) {
    let twice = |routes: Json| puppet(&with(&descriptor("puppet"), json!({ "routes": routes })));
    let one = route("puppet", "GET", "things", "listThings");
    let same_path = twice(json!([one, route("puppet", "GET", "things", "listOthers")]));
    named(&refusal(database, &[("puppet.wasm", &same_path)]), &["/puppet/things"]);
    let same_shape =
        json!([route("puppet", "GET", "things/{a}", "readThing"), route("puppet", "GET", "things/{b}", "readOther"),]);
    named(&refusal(database, &[("puppet.wasm", &twice(same_shape))]), &["/puppet/things/"]);
    let same_operation = twice(json!([one, route("puppet", "GET", "others", "listThings")]));
    named(&refusal(database, &[("puppet.wasm", &same_operation)]), &["listThings"]);
    // Two modules with one name, or with one path.
    let (first, second) = (puppet(&descriptor("puppet")), puppet(&descriptor("puppet")));
    named(&refusal(database, &[("a.wasm", &first), ("b.wasm", &second)]), &["puppet"]);
    let mut thief = descriptor("thief");
    thief["routes"][0]["path"] = json!("/tenants/{tenantId}/puppet/things");
    let said = refusal(database, &[("puppet.wasm", &first), ("thief.wasm", &puppet(&thief))]);
    named(&said, &["/puppet/things"]);
    // And whatever else a module introduces is introduced by one.
    let code = |code: &str| json!([{ "code": code, "description": "Of both." }]);
    let of_both = |name: &str, member: &str, value: &Json| {
        let mut whole = with(&descriptor(name), json!({ member: value }));
        if member == "permissions" {
            whole["permissions"] = json!([value[0], descriptor(name)["permissions"][0]]);
        }
        puppet(&whole)
    };
    for (member, value, claimed) in [
        ("permissions", code("both.read"), "both.read"),
        ("scopes", code("both.call"), "both.call"),
        ("events", json!([event("both.done")]), "both.done"),
        ("auditFilters", code("bothId"), "bothId"),
        (
            "onboarding",
            json!({ "type": "object", "properties": { "bothMembers": { "type": "boolean" } } }),
            "bothMembers",
        ),
    ] {
        let (one, other) = (of_both("puppet", member, &value), of_both("thief", member, &value));
        named(&refusal(database, &[("puppet.wasm", &one), ("thief.wasm", &other)]), &[claimed, "claimed twice"]);
    }
}

/// Two modules may respond with one rejection, as long as it is the same: a caller cannot see which module it is from.
fn a_problem_code_has_one_meaning(database: Database) {
    let declaring = |name: &str, problem: Json| {
        let routes = [route(name, "GET", "things", &format!("list{}Things", name.len()))];
        puppet(&with(&descriptor(name), json!({ "problems": [problem], "routes": routes })))
    };
    let both = json!({ "code": "BOTH", "status": 409, "detail": "Of both." });
    let (one, other) = (declaring("puppet", both.clone()), declaring("thief", both.clone()));
    let folder = modules::empty_with(&[("puppet.wasm", &one), ("thief.wasm", &other)]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()));
    let codes = host.get("/v1/openapi.json").is(200)["components"]["schemas"]["ProblemCode"]["enum"].clone();
    let both_times = codes.as_array().into_iter().flatten().filter(|code| **code == "BOTH").count();
    assert_eq!(both_times, 1, "{codes}");
    for changes in [json!({ "status": 404 }), json!({ "detail": "Of one." })] {
        let other = declaring("thief", with(&both, changes));
        named(&refusal(database, &[("puppet.wasm", &one), ("thief.wasm", &other)]), &["BOTH", "two meanings"]);
    }
    let redefined = declaring("puppet", json!({ "code": "DUPLICATE", "status": 409, "detail": "Something else." }));
    named(&refusal(database, &[("puppet.wasm", &redefined)]), &["DUPLICATE", "two meanings"]);
}

/// It is short, and takes megabytes when it is compiled.
const LARGE_PATTERN: &str = "^(([a-z]{1,50}|[0-9]{2,60}xN){1,40}){1,20}$";

/// (what is changed in the lawful descriptor, what the refusal must name)
fn unlawful() -> Vec<(Json, &'static str)> {
    let collection = |changes: Json| {
        let base = json!({ "name": "thing", "kind": "record", "columns": [{ "name": "label", "type": "text" }] });
        json!({ "collections": [with(&base, changes)] })
    };
    let with_event = |changes: Json| json!({ "events": [with(&event("puppet.noted"), changes)] });
    let with_route =
        |changes: Json| json!({ "routes": [with(&route("puppet", "GET", "things", "listThings"), changes)] });
    vec![
        (json!({ "name": "" }), "name"),
        (json!({ "name": "Puppet" }), "Puppet"),
        (json!({ "name": "stoa" }), "stoa"),
        (json!({ "name": "a b" }), "a b"),
        (json!({ "name": "x".repeat(33) }), "xxx"),
        (json!({ "version": "one" }), "one"),
        (json!({ "bogus": 1 }), "bogus"),
        (json!({ "permissions": [] }), "puppet.read"),
        (with_route(json!({ "method": "STEAL" })), "listThings"),
        (with_route(json!({ "path": "/elsewhere" })), "listThings"),
        (with_route(json!({ "path": "/tenants/{tenantId}/../iam" })), "listThings"),
        (with_route(json!({ "path": "/tenants/{tenantId}/x/{" })), "listThings"),
        (with_route(json!({ "path": "/tenants/{tenantId}/x/{a}/{a}" })), "listThings"),
        (with_route(json!({ "path": "/tenants/{tenantId}/context" })), "listThings"),
        (with_route(json!({ "status": 99 })), "listThings"),
        (with_route(json!({ "status": 404 })), "listThings"),
        (with_route(json!({ "access": { "all": ["no.such"] } })), "no.such"),
        (with_route(json!({ "access": { "all": [] } })), "listThings"),
        (
            with_route(json!({ "access": { "any": [] }, "audience": "api-client", "path": "/api-client/x" })),
            "listThings",
        ),
        (with_route(json!({ "response": { "type": "nothing" } })), "listThings"),
        (with_route(json!({ "response": { "$ref": "#/$defs/Missing" } })), "Missing"),
        (with_route(json!({ "query": { "type": "object", "properties": { "q": { "pattern": "(" } } } })), "listThings"),
        (
            with_route(json!({ "query": { "type": "object", "properties": { "q": { "pattern": LARGE_PATTERN } } } })),
            "65536",
        ),
        (with_route(json!({ "problems": ["NO_SUCH_PROBLEM"] })), "NO_SUCH_PROBLEM"),
        (with_route(json!({ "events": ["no.such.event"] })), "listThings"),
        (with_event(json!({ "code": "noted" })), "noted"),
        (with_event(json!({ "resourceType": "note" })), "puppet.noted"),
        (with_event(json!({ "resourceType": "" })), "puppet.noted"),
        (with_event(json!({ "data": { "type": "string" }, "example": "x" })), "puppet.noted"),
        (with_event(json!({ "data": { "$ref": "#/$defs/Missing" } })), "Missing"),
        (with_event(json!({ "example": {} })), "\"/id\" REQUIRED"),
        (json!({ "events": [event("puppet.noted"), event("puppet.noted")] }), "puppet.noted"),
        (with_route(json!({ "readOnly": false, "method": "POST" })), "listThings"),
        (with_route(json!({ "bodyLimit": 1_u64 << 40 })), "listThings"),
        (json!({ "problems": [{ "code": "NOT_FOUND", "status": 409, "detail": "x" }] }), "NOT_FOUND"),
        (json!({ "problems": [{ "code": "puppet", "status": 409, "detail": "x" }] }), "puppet"),
        (json!({ "problems": [{ "code": "PUPPET_OK", "status": 200, "detail": "x" }] }), "PUPPET_OK"),
        (collection(json!({ "name": "Thing" })), "Thing"),
        (collection(json!({ "name": "thing; drop table x" })), "thing; drop"),
        (collection(json!({ "kind": "heap" })), "heap"),
        (collection(json!({ "columns": [{ "name": "tenant_id", "type": "uuid" }] })), "tenant_id"),
        (collection(json!({ "columns": [{ "name": "version", "type": "integer" }] })), "version"),
        (collection(json!({ "columns": [{ "name": "a\"b", "type": "text" }] })), "a\"b"),
        (collection(json!({ "columns": [{ "name": "a", "type": "float" }] })), "float"),
        (collection(json!({ "columns": [{ "name": "a", "type": "text" }, { "name": "a", "type": "text" }] })), "a"),
        (
            collection(json!({ "columns": [{ "name": "a", "type": { "decimal": { "precision": 39, "scale": 6 } } }] })),
            "thing",
        ),
        (
            collection(json!({ "columns": [{ "name": "a", "type": { "decimal": { "precision": 6, "scale": 7 } } }] })),
            "thing",
        ),
        (collection(json!({ "unique": [{ "name": "key", "columns": ["missing"] }] })), "missing"),
        (collection(json!({ "indexes": [["missing"]] })), "missing"),
        (collection(json!({ "search": [{ "name": "text", "columns": ["missing"] }] })), "missing"),
        (collection(json!({ "counters": ["label"] })), "label"),
        (collection(json!({ "lockOrder": ["missing"] })), "missing"),
    ]
}

fn descriptors_must_be_lawful(database: Database) {
    let base = descriptor("puppet");
    for text in ["", "{", "[]", "null", "{}", "\"x\"", "{\"name\":\"puppet\"}", "{\"name\":\"a\",\"name\":\"b\"}"] {
        let said = refusal(database, &[("puppet.wasm", &puppet_of_text(text))]);
        named(&said, &["puppet"]);
    }
    let mut accepted = Vec::new();
    for (change, item) in unlawful() {
        let folder = modules::empty_with(&[("puppet.wasm", &puppet(&with(&base, change.clone())))]);
        match Stoa::try_start(database, Settings::default().modules(folder.path())) {
            Ok(_) => accepted.push(change.to_string()),
            Err(said) if said.contains("panicked at") || !said.contains(item) => {
                accepted.push(format!("{change}: refused without naming {item:?}: {said}"));
            }
            Err(_) => {}
        }
    }
    assert!(accepted.is_empty(), "let in, or refused without a name:\n{}", accepted.join("\n"));
}

/// Its schemas are compiled there first, and again at each push: a rejected module is not kept.
fn a_new_descriptor_is_judged_by_another_process(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let console = host.console();
    let mut unlawful = with(&descriptor("puppet"), json!({ "description": uuid::Uuid::new_v4().to_string() }));
    unlawful["routes"][0]["query"] = json!({ "type": "object", "properties": { "q": { "pattern": LARGE_PATTERN } } });
    let signed = host.signed(&puppet(&unlawful));
    for pushes in 1..=2 {
        let answer = console.push(&signed).refused(400, "DESCRIPTOR_INVALID");
        assert!(answer.text("detail").contains("listThings"), "{answer}");
        let count_rejected = || host.log().matches("another process rejected the descriptor").count();
        eventually(|| (count_rejected() == pushes).then_some(()));
    }
}
