//! Descriptions of everything in the contract: each member of each schema, each parameter.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::contract::contract_of_modules;

stoa_tests::tests![nothing_is_without_a_description];

fn nothing_is_without_a_description() {
    let document = contract_of_modules();
    let mut bare = BTreeSet::new();
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        find_bare_members(document, name, schema, &mut bare);
    }
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if !describes(document, parameter) {
                    bare.insert(format!("{method} {path}: {}", parameter["name"]));
                }
            }
        }
    }
    assert!(bare.is_empty(), "{} without a description: {bare:#?}", bare.len());
}

fn find_bare_members(document: &Json, place: &str, schema: &Json, bare: &mut BTreeSet<String>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        if !describes(document, member) {
            bare.insert(place.clone());
        }
        find_bare_members(document, &place, member, bare);
    }
    for one in ["items", "additionalProperties"].iter().filter_map(|keyword| schema.get(keyword)) {
        find_bare_members(document, place, one, bare);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for one in schema[keyword].as_array().into_iter().flatten() {
            find_bare_members(document, place, one, bare);
        }
    }
}

/// Returns whether it says what it is, itself or by what it refers to.
fn describes(document: &Json, node: &Json) -> bool {
    let referred = node["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#')));
    let says = |object: &Json| object["description"].as_str().is_some_and(|text| !text.trim().is_empty());
    says(node) || referred.is_some_and(says)
}
