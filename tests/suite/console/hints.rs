//! Hints of a descriptor for the console: the gate rejects those that name nothing, and the contract publishes the others.

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::puppet::{descriptor, puppet, route};
use stoa_tests::{Database, Stoa, modules, on_one_database};

// Judged before a database is asked.
on_one_database![
    each_fault_is_named_by_its_pointer,
    a_hint_may_name_a_list_that_is_not_active,
    hints_are_published_with_the_tag_of_the_module,
    another_hint_is_no_change,
];

/// The puppet with a list of things, a read of one, and these hints.
fn describe(console: Json) -> Json {
    let page = json!({
        "type": "object",
        "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/Thing" } } },
    });
    let thing = json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "name": { "type": "string" }, "status": { "type": "string" } },
    });
    let list = with(&route("puppet", "GET", "things", "listThings"), json!({ "response": page }));
    let one = with(&route("puppet", "GET", "things/{id}", "getThing"), json!({ "response": thing }));
    let parts = json!({ "routes": [list, one], "schemas": { "Thing": thing }, "console": console });
    with(&descriptor("puppet"), parts)
}

fn host(database: Database) -> Stoa {
    Stoa::start_with(database, Settings::default().modules(modules::none()))
}

fn each_fault_is_named_by_its_pointer(database: Database) {
    let host = host(database);
    let console = host.console();
    let list = |members: Json| json!({ "lists": [with(&json!({ "list": "listThings" }), members)] });
    let reference =
        |members: Json| json!({ "references": [with(&json!({ "member": "thingId", "list": "listThings" }), members)] });
    let many: Vec<Json> = (0..101).map(|_| json!({ "member": "thingId", "list": "listThings" })).collect();
    for (hints, pointer) in [
        (list(json!({ "list": "getThing" })), "/console/lists/0/list"),
        (list(json!({ "list": "listOthers" })), "/console/lists/0/list"),
        (json!({ "lists": [{ "list": "listThings" }, { "list": "listThings" }] }), "/console/lists/1/list"),
        (list(json!({ "title": ["name", "status", "id"] })), "/console/lists/0/title"),
        (list(json!({ "title": ["nothing"] })), "/console/lists/0/title"),
        (list(json!({ "columns": ["name", "name"] })), "/console/lists/0/columns"),
        (list(json!({ "group": "" })), "/console/lists/0/group"),
        (list(json!({ "group": "a\u{7}b" })), "/console/lists/0/group"),
        (list(json!({ "position": 1000 })), "/console/lists/0/position"),
        (reference(json!({ "member": "thing" })), "/console/references/0/member"),
        (reference(json!({ "list": "list-things" })), "/console/references/0/list"),
        (reference(json!({ "below": "things" })), "/console/references/0/below"),
        (json!({ "references": many }), "/console/references"),
    ] {
        let answer = console.push(&host.signed(&puppet(&describe(hints.clone())))).refused(400, "DESCRIPTOR_INVALID");
        assert!(answer.text("detail").contains(pointer), "no {pointer} for {hints}: {answer}");
    }
}

fn a_hint_may_name_a_list_that_is_not_active(database: Database) {
    let host = host(database);
    let console = host.console();
    let hints =
        json!({ "references": [{ "member": "customerId", "list": "listCustomersOfAnother", "below": "/puppet/" }] });
    let digest = console.pushed(&puppet(&describe(hints)));
    console.activate(&digest, json!({})).is(200);
    assert_eq!(console.version("puppet").as_deref(), Some("1.0.0"));
}

fn hints_are_published_with_the_tag_of_the_module(database: Database) {
    let host = host(database);
    let console = host.console();
    let hints = json!({
        "lists": [{ "list": "listThings", "title": ["name"], "columns": ["name", "status"], "group": "Goods", "position": 7 }],
        "references": [{ "member": "thingIds", "list": "listThings" }],
    });
    let digest = console.pushed(&puppet(&describe(hints.clone())));
    console.activate(&digest, json!({})).is(200);
    let contract = host.request("GET", "/v1/openapi.json").send().is(200);
    let tags = contract["tags"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| tags.iter().find(|tag| tag["name"] == name).map(|tag| tag["x-stoa-console"].clone());
    assert_eq!(of("puppet"), Some(hints));
    assert_eq!(of("platform"), Some(Json::Null));
}

/// They promise callers nothing: nothing has to be allowed.
fn another_hint_is_no_change(database: Database) {
    let host = host(database);
    let console = host.console();
    let hints = |group: &str| json!({ "lists": [{ "list": "listThings", "group": group }] });
    let first = console.pushed(&puppet(&describe(hints("Goods"))));
    console.activate(&first, json!({})).is(200);
    let second = with(&describe(hints("Stock")), json!({ "version": "1.0.1" }));
    let pushed = console.push(&host.signed(&puppet(&second))).is(201);
    let codes: Vec<&str> =
        pushed["changes"].as_array().into_iter().flatten().filter_map(|change| change["code"].as_str()).collect();
    assert_eq!(codes, ["MODULE_VERSION_RAISED"], "{pushed}");
    console.activate(&pushed.text("digest"), json!({})).is(200);
}
