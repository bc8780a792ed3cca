//! The module's descriptor.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stoa_sdk::Module;
use stoa_sdk::descriptor::Audience;

use crate::Sales;

/// Every name of a member in a schema and in what it refers to.
fn members(schema: &Json, schemas: &Json, seen: &mut BTreeSet<String>, names: &mut BTreeSet<String>) {
    match schema {
        Json::Object(parts) => {
            if let Some(properties) = parts.get("properties").and_then(Json::as_object) {
                names.extend(properties.keys().cloned());
            }
            let refers = parts.get("$ref").and_then(Json::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
            if let Some(to) = refers.filter(|to| seen.insert((*to).to_owned())) {
                members(&schemas[to], schemas, seen, names);
            }
            parts.values().for_each(|part| members(part, schemas, seen, names));
        }
        Json::Array(parts) => parts.iter().for_each(|part| members(part, schemas, seen, names)),
        _ => {}
    }
}

#[test]
fn e254_no_machine_answer_names_a_unit() {
    let descriptor = Sales::descriptor();
    let schemas = serde_json::to_value(&descriptor.schemas).unwrap();
    let mut checked = 0;
    for route in descriptor.routes.iter().filter(|route| route.audience == Audience::ApiClient) {
        let mut names = BTreeSet::new();
        members(&route.response, &schemas, &mut BTreeSet::new(), &mut names);
        let reported: Vec<_> =
            ["units", "unitId", "unitIds", "chosenUnitIds", "serialNumber", "imei1", "tenantId", "notes"]
                .into_iter()
                .filter(|name| names.contains(*name))
                .collect();
        assert!(reported.is_empty(), "{} reports {reported:?}", route.operation);
        assert!(!route.discloses_identifiers, "{}", route.operation);
        checked += 1;
    }
    assert!(checked >= 20, "{checked} operations of API clients");
}
