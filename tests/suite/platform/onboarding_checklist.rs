//! The checklist of a new company: computed live, by every module for itself, and by the host.

use serde_json::{Value as Json, json};
use stoa_tests::company::{onboarding, with};
use stoa_tests::{Company, Database, company, on_both_databases};

use crate::modules::hostile;

on_both_databases![
    codes_are_in_capitals,
    steps_are_done_as_they_are_done,
    modules_come_in_order_and_the_host_last,
    without_defaults_nothing_is_done,
    codes_are_those_of_the_standards,
    whoever_manages_settings_may_look,
    a_module_that_fails_is_one_problem,
];

/// Code and status of every step.
fn steps(shop: &Company) -> Vec<(String, String)> {
    let text = |item: &Json, name: &str| item[name].as_str().unwrap_or_default().to_string();
    shop.get("onboarding").is(200).items().iter().map(|item| (text(item, "code"), text(item, "status"))).collect()
}

/// Checks the state of these steps; other modules have theirs.
#[track_caller]
fn expect(shop: &Company, expected: &[(&str, bool)]) {
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(code, done)| (code.to_string(), if *done { "DONE" } else { "PENDING" }.to_string()))
        .collect();
    let reported = steps(shop).into_iter().filter(|(code, _)| expected.iter().any(|(known, _)| known == code));
    assert_eq!(reported.collect::<Vec<_>>(), expected);
}

fn codes_are_in_capitals(database: Database) {
    let mut codes: Vec<String> = steps(&company(database)).into_iter().map(|(code, _)| code).collect();
    codes.sort();
    let expected =
        "API_CLIENT BOOKS BRANCH CUSTOMER LEGAL_ENTITY PRICE_LIST PRODUCT REGISTER SUPPLIER UNIT WAREHOUSE WEBHOOK";
    assert_eq!(codes.join(" "), expected);
}

fn steps_are_done_as_they_are_done(database: Database) {
    let shop = company(database);
    expect(&shop, &[("UNIT", true), ("PRODUCT", false), ("PRICE_LIST", true), ("API_CLIENT", false)]);
    let product = shop.product("First");
    expect(&shop, &[("UNIT", true), ("PRODUCT", true), ("PRICE_LIST", true), ("API_CLIENT", false)]);
    shop.archive(&format!("catalog/products/{product}")).is(200);
    let list = shop.made("PRICE_LIST").unwrap_or_default();
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    let client = shop.post("api-clients", json!({ "name": "Till", "scopes": ["catalog.read"] })).is(201).id();
    let set = |status: &str| {
        let path = format!("api-clients/{client}/status");
        shop.request("PATCH", &path).json(&json!({ "status": status })).send().is(200)
    };
    set("SUSPENDED");
    expect(&shop, &[("UNIT", true), ("PRODUCT", false), ("PRICE_LIST", false), ("API_CLIENT", false)]);
    set("ACTIVE");
    expect(&shop, &[("UNIT", true), ("PRODUCT", false), ("PRICE_LIST", false), ("API_CLIENT", true)]);
    // Another company has its own.
    expect(&company(database), &[("UNIT", true), ("PRODUCT", false), ("PRICE_LIST", true), ("API_CLIENT", false)]);
}

fn modules_come_in_order_and_the_host_last(database: Database) {
    let answer = company(database).get("onboarding").is(200);
    let modules: Vec<&str> = answer.items().iter().filter_map(|item| item["module"].as_str()).collect();
    let place = |name: &str| modules.iter().position(|module| *module == name);
    assert!(place("catalog") < place("pricing"), "providers before those that use them: {modules:?}");
    assert_eq!(modules.last(), Some(&"platform"));
    assert!(answer.items().iter().all(|item| item["hint"].as_str().is_some_and(|hint| hint.len() > 10)), "{answer}");
}

fn without_defaults_nothing_is_done(database: Database) {
    let host = stoa_tests::host::shared(database);
    let token = host.token("owner@example.test");
    let body = with(&onboarding("Bare"), json!({ "withDefaults": false }));
    let answer = host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201);
    let shop = Company { host, tenant: answer.text("tenantId"), token, created: Vec::new() };
    expect(&shop, &[("UNIT", false), ("PRODUCT", false), ("PRICE_LIST", false), ("API_CLIENT", false)]);
}

fn codes_are_those_of_the_standards(database: Database) {
    let host = stoa_tests::host::shared(database);
    let token = host.token(&format!("codes-{}@example.test", uuid::Uuid::now_v7()));
    let ask = |changes: Json| {
        let body = with(&onboarding("Codes"), changes);
        host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send()
    };
    for (changes, pointer) in [
        (json!({ "countryCode": "ZZ" }), "/countryCode"),
        (json!({ "countryCode": "UK" }), "/countryCode"),
        (json!({ "currencyCode": "ZZZ" }), "/currencyCode"),
        (json!({ "currencyCode": "DEM", "withDefaults": false }), "/currencyCode"),
    ] {
        ask(changes).refused(400, "VALIDATION_FAILED").fault(pointer, "FORMAT");
    }
    let both = ask(json!({ "countryCode": "ZZ", "currencyCode": "ZZZ" })).refused(400, "VALIDATION_FAILED");
    both.fault("/countryCode", "FORMAT").fault("/currencyCode", "FORMAT");
    let me = host.get_with("/v1/auth/me", &token).is(200);
    assert_eq!(me["memberships"], json!([]), "a refusal makes no company");
    ask(json!({ "countryCode": "GB", "currencyCode": "GBP" })).is(201);
}

fn whoever_manages_settings_may_look(database: Database) {
    let shop = company(database);
    let (_, other) = shop.member("other", &[&shop.role("USERS", &["users.manage", "catalog.read"])]);
    other.get("onboarding").refused(403, "PERMISSION_DENIED");
    // The reads of the modules for it need no permission of the caller's.
    let (_, keeper) = shop.member("keeper", &[&shop.role("KEEPER", &["settings.manage"])]);
    assert_eq!(steps(&keeper), steps(&shop));
    shop.list("onboarding", &[("limit", "1")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
}

fn a_module_that_fails_is_one_problem(database: Database) {
    let shop = hostile::host(database).company();
    let pending = shop.get("onboarding").is(200);
    let note = pending.items().iter().find(|item| item["module"] == "hostile").cloned();
    assert_eq!(note.map(|note| note["status"].clone()), Some(json!("PENDING")), "{pending}");
    hostile::commit(&shop, "note-named", "harmless").is(201);
    let items = shop.get("onboarding").is(200).items().to_vec();
    assert!(items.iter().any(|item| item["code"] == "NOTE" && item["status"] == "DONE"), "{items:?}");
    for attack in ["checklist-writes", "checklist-panics"] {
        let shop = hostile::host(database).company();
        hostile::commit(&shop, "note-named", attack).is(201);
        shop.get("onboarding").refused(500, "MODULE_FAILED");
        assert_eq!(hostile::notes(&shop), json!(1), "a checklist writes nothing");
        hostile::well(&shop);
    }
}
