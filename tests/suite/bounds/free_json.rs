//! Free JSON is bounded by the published schema, and judged before a transaction begins: a stranger's lawful 5 MiB once
//! held the writer for five seconds.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![junk_is_refused_before_a_module_is_asked, every_free_value_of_a_body_has_bounds];

/// Three bodies that each ended the catalog's module, by its time or its memory.
fn junk_is_refused_before_a_module_is_asked(database: Database) {
    let shop = company(database);
    let put = |attributes: Json| {
        shop.post("catalog/products", with(&product("Junk"), json!({ "attributes": attributes })))
            .refused(400, "VALIDATION_FAILED")
    };
    // Far more values than the schema can allow are not even read; their places are unknown then.
    put(json!({ "a": vec![json!({ "a": {} }); 600_000] })).fault("", "TOO_MANY");
    put(json!({ "a": vec![json!({}); 10_000] })).fault("/attributes", "TOO_MANY");
    put(json!({ "a": "x".repeat(4 << 20) })).fault("/attributes", "RANGE");
}

/// Walks the contract as a generator would: whatever a body holds of any shape says how much of it there may be.
fn every_free_value_of_a_body_has_bounds(database: Database) {
    let shop = company(database);
    let contract = shop.host.request("GET", "/v1/openapi.json").anonymous().unchecked().send().body;
    let mut free = Vec::new();
    for (path, operations) in contract["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if !schema.is_null() {
                find_free(&contract, schema, &format!("{method} {path}"), &mut Vec::new(), &mut free);
            }
        }
    }
    assert_eq!(free, [""; 0]);
}

/// Adds the places below a schema that take a value of any shape and do not say how large.
fn find_free(contract: &Json, schema: &Json, place: &str, open: &mut Vec<String>, free: &mut Vec<String>) {
    if ["x-maxValues", "x-maxDepth", "x-maxCharacters"].iter().all(|keyword| schema[keyword].is_u64()) {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        if !open.iter().any(|known| known == reference) {
            open.push(reference.to_string());
            find_free(contract, contract.pointer(&reference[1..]).unwrap(), place, open, free);
            open.pop();
        }
        return;
    }
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema[keyword].as_array()).flatten();
    let parts: Vec<&Json> = parts.collect();
    let is_of = |kind: &str| match &schema["type"] {
        Json::String(one) => one == kind,
        Json::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    };
    let says_nothing =
        schema["type"].is_null() && parts.is_empty() && schema["const"].is_null() && schema["enum"].is_null();
    let takes_any_member = is_of("object") && parts.is_empty() && schema["additionalProperties"] != json!(false);
    let takes_any_item = is_of("array") && (schema["items"].is_null() || schema["maxItems"].is_null());
    if says_nothing || takes_any_member || takes_any_item {
        free.push(place.to_string());
    }
    parts.iter().for_each(|part| find_free(contract, part, place, open, free));
    if is_of("array") && !schema["items"].is_null() {
        find_free(contract, &schema["items"], &format!("{place}/*"), open, free);
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        find_free(contract, member, &format!("{place}/{name}"), open, free);
    }
}
