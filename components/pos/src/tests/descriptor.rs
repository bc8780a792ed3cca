//! The module's descriptor.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stoa_sdk::Module;
use stoa_sdk::descriptor::{Audience, Route};

use crate::Pos;

/// Every name of a member in a schema and in what it refers to.
fn members(schema: &Json, schemas: &Json, names: &mut BTreeSet<String>) {
    match schema {
        Json::Object(parts) => {
            if let Some(properties) = parts.get("properties").and_then(Json::as_object) {
                names.extend(properties.keys().cloned());
            }
            if let Some(to) = parts.get("$ref").and_then(Json::as_str).and_then(|to| to.strip_prefix("#/$defs/")) {
                members(&schemas[to], schemas, names);
            }
            parts.values().for_each(|part| members(part, schemas, names));
        }
        Json::Array(parts) => parts.iter().for_each(|part| members(part, schemas, names)),
        _ => {}
    }
}

fn routes(audience: Audience) -> Vec<(Route, BTreeSet<String>)> {
    let descriptor = Pos::descriptor();
    let schemas = serde_json::to_value(&descriptor.schemas).unwrap();
    let audience_routes = descriptor.routes.into_iter().filter(|route| route.audience == audience);
    audience_routes
        .map(|route| {
            let mut names = BTreeSet::new();
            members(&route.response, &schemas, &mut names);
            (route, names)
        })
        .collect()
}

#[test]
fn machines_read_five_things_without_the_companys_own() {
    let routes = routes(Audience::ApiClient);
    let mut operations: Vec<&str> = routes.iter().map(|(route, _)| route.operation.as_str()).collect();
    operations.sort_unstable();
    let expected =
        ["apiGetPosReceipt", "apiGetPosSession", "apiGetPosSessionReport", "apiListPosReceipts", "apiListPosSessions"];
    assert_eq!(operations, expected);
    for (route, names) in &routes {
        for secret in ["tenantId", "requestId", "accountId", "cashAccountId", "notes"] {
            assert!(!names.contains(secret), "{} tells {secret}", route.operation);
        }
    }
}

#[test]
fn a_list_of_receipts_shows_no_payments() {
    let routes = routes(Audience::User);
    let has = |operation: &str| {
        let (_, names) = routes.iter().find(|(route, _)| route.operation == operation).unwrap();
        names.contains("payments")
    };
    assert!(!has("listPosReceipts") && has("getPosReceipt") && has("checkoutPosSession"));
}

#[test]
fn every_answer_is_stored_nowhere() {
    for route in Pos::descriptor().routes {
        assert_eq!(route.cache_control.as_deref(), Some("no-store"), "{}", route.operation);
    }
}
