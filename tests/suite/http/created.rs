//! An answer of 201 says where the record is; and rules of the whole contract that a generator of clients or of
//! requests depends on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, host, on_both_databases, on_one_database};
use uuid::Uuid;

on_both_databases![a_record_is_where_its_answer_says, an_api_client_finds_what_it_made, a_replay_says_it_too];

on_one_database![
    an_answer_without_a_record_says_nothing,
    every_location_has_a_get,
    summaries_differ,
    patterns_are_drawable,
    no_list_of_values_is_in_place_twice,
    no_client_has_to_send_a_default,
];

fn a_record_is_where_its_answer_says(database: Database) {
    let shop = company(database);
    shop.entitle();
    for (path, body) in [
        ("catalog/products", product("Located")),
        ("catalog/lookups/brands", json!({ "code": "LOCATED", "name": "Located" })),
        ("pricing/price-lists", json!({ "code": "LOCATED", "name": "Located", "currencyCode": "EUR" })),
        ("api-clients", json!({ "name": "Located", "scopes": ["catalog.read"] })),
    ] {
        let made = shop.post(path, body).is(201);
        let expected = format!("/v1/tenants/{}/{path}/{}", shop.tenant, made.id());
        assert_eq!(made.header("location"), Some(expected.as_str()), "{made}");
        let read = shop.host.request("GET", &expected).token(&shop.token).send().is(200);
        assert_eq!(read.id(), made.id());
    }
}

fn an_api_client_finds_what_it_made(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read", "catalog.write"]);
    let body = json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "LOCATED" }] });
    let made = machine.post("catalog/products", with(&product("Located"), body)).is(201);
    let location = made.header("location").unwrap_or_default();
    assert_eq!(location, format!("/v1/api-client/catalog/products/{}", made.id()));
    let read = machine.host.request("GET", location).token(&machine.key).send().is(200);
    assert_eq!(read.id(), made.id());
}

fn a_replay_says_it_too(database: Database) {
    let shop = company(database);
    let key = Uuid::new_v4().to_string();
    let send = || shop.request("POST", "catalog/products").key(&key).json(&product("Twice")).send().is(201);
    let (first, again) = (send(), send());
    assert!(again.replayed());
    assert!(first.header("location").is_some());
    assert_eq!(again.header("location"), first.header("location"));
}

/// No operation reads one price below the path of a batch, and a batch has no id.
fn an_answer_without_a_record_says_nothing(database: Database) {
    let shop = company(database);
    let (_, variant) = shop.article("UNLOCATED");
    let list = shop.price_list("UNLOCATED");
    let prices = json!({ "prices": [{ "variantId": variant, "currencyCode": "EUR", "amount": "1" }] });
    let batch = shop.post(&format!("pricing/price-lists/{list}/prices/batch"), prices).is(201);
    assert_eq!(batch.header("location"), None, "{batch}");
}

fn every_location_has_a_get(database: Database) {
    let contract = host::shared(database).contract();
    let mut located = 0;
    for operation in &contract.operations {
        let responses = operation.document["responses"].as_object().into_iter().flatten();
        let shown: Vec<&String> =
            responses.filter(|(_, one)| !one["headers"]["Location"].is_null()).map(|(status, _)| status).collect();
        if shown.is_empty() {
            continue;
        }
        assert_eq!(shown, ["201"], "{}", operation.id);
        let below = format!("{}/{{", operation.path);
        let reads = |other: &&stoa_tests::contract::Operation| {
            let name = other.path.strip_prefix(&below).and_then(|rest| rest.strip_suffix('}'));
            other.method == "GET" && name.is_some_and(|name| !name.contains('/'))
        };
        assert!(contract.operations.iter().any(|other| reads(&other)), "{}", operation.id);
        located += 1;
    }
    assert!(located >= 30, "{located} operations");
}

fn summaries_differ(database: Database) {
    let contract = host::shared(database).contract();
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in &contract.operations {
        let summary = operation.document["summary"].as_str().unwrap_or_default();
        assert!(!summary.is_empty() && !summary.ends_with('.'), "{}: {summary:?}", operation.id);
        seen.entry(summary).or_default().push(&operation.id);
    }
    seen.retain(|_, ids| ids.len() > 1);
    assert!(seen.is_empty(), "summaries of several operations: {seen:#?}");
}

/// Every object of the document, with its pointer.
fn visit<'a>(value: &'a Json, pointer: &str, seen: &mut impl FnMut(&str, &'a Json)) {
    match value {
        Json::Object(members) => {
            seen(pointer, value);
            members.iter().for_each(|(name, member)| visit(member, &format!("{pointer}/{name}"), seen));
        }
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(nth, item)| visit(item, &format!("{pointer}/{nth}"), seen));
        }
        _ => {}
    }
}

/// Generators of requests draw texts from ranges of characters, and not from Unicode's classes.
fn patterns_are_drawable(database: Database) {
    let contract = host::shared(database).contract();
    let mut classes = BTreeSet::new();
    visit(&contract.document, "", &mut |pointer, schema| {
        if schema["pattern"].as_str().is_some_and(|pattern| pattern.contains("\\p") || pattern.contains("\\P")) {
            classes.insert(pointer.to_string());
        }
    });
    assert!(classes.is_empty(), "patterns with classes: {classes:#?}");
}

fn no_list_of_values_is_in_place_twice(database: Database) {
    let contract = host::shared(database).contract();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Two components may have the same values: they are named.
    let is_component =
        |pointer: &str| pointer.strip_prefix("/components/schemas/").is_some_and(|name| !name.contains('/'));
    visit(&contract.document, "", &mut |pointer, schema| {
        if schema["enum"].as_array().is_some_and(|values| values.len() > 1) && !is_component(pointer) {
            places.entry(schema["enum"].to_string()).or_default().push(pointer.to_string());
        }
    });
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "lists without a name: {places:#?}");
}

/// A generator makes a member that has a default a member that every caller has to send.
fn no_client_has_to_send_a_default(database: Database) {
    let contract = host::shared(database).contract();
    let mut defaults = BTreeSet::new();
    visit(&contract.document["components"]["schemas"], "", &mut |pointer, schema| {
        let members = schema["properties"].as_object().filter(|_| schema["additionalProperties"] == json!(false));
        let stated = members.into_iter().flatten().filter(|(_, member)| !member["default"].is_null());
        defaults.extend(stated.map(|(name, _)| format!("{pointer}/{name}")));
    });
    assert!(defaults.is_empty(), "members with a default: {defaults:#?}");
}
