//! A code or number that is taken: the rejection names the record that has it to callers who may read it.

use serde_json::{Value as Json, json};
use stoa_tests::{Answer, Database, company, on_both_databases};

on_both_databases![the_record_in_the_way_is_named, not_to_callers_who_may_not_read_it];

/// The record that a rejection names.
fn conflict(refused: Answer, pointer: &str) -> Json {
    refused.refused(409, "DUPLICATE").at(pointer).errors()[0]["conflictsWith"].clone()
}

fn the_record_in_the_way_is_named(database: Database) {
    let shop = company(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("PHYSICAL"), shop.counted(0));
    let warehouse = json!({ "code": "main", "name": "Other", "type": "PHYSICAL", "legalEntityId": shop.entity() });
    assert_eq!(conflict(shop.post("inventory/warehouses", warehouse), "/code"), main.as_str());
    let locations = format!("inventory/warehouses/{main}/locations");
    let location = shop.post(&locations, json!({ "code": "A-1", "name": "A" })).is(201).id();
    assert_eq!(conflict(shop.post(&locations, json!({ "code": "a-1", "name": "B" })), "/code"), location.as_str());
    let count = |number: &str| shop.post("inventory/counts", json!({ "number": number, "warehouseId": main }));
    let first = count("C-1").is(201).id();
    assert_eq!(conflict(count("c-1"), "/number"), first.as_str());
    let order = |number: &str| {
        let items = json!([{ "variantId": variant, "quantity": "1" }]);
        json!({ "number": number, "fromWarehouseId": main, "toWarehouseId": other, "items": items })
    };
    let first = shop.post("inventory/transfer-orders", order("T-1")).is(201).id();
    assert_eq!(conflict(shop.post("inventory/transfer-orders", order("t-1")), "/number"), first.as_str());
    let writer = shop.machine(&["inventory.read", "inventory.write"]);
    assert_eq!(conflict(writer.post("inventory/transfer-orders", order("T-1")), "/number"), first.as_str());
}

fn not_to_callers_who_may_not_read_it(database: Database) {
    let shop = company(database);
    let keeper = shop.colleague(&["inventory.adjust"]);
    let warehouse = json!({ "code": "MAIN", "name": "Other", "type": "PHYSICAL", "legalEntityId": shop.entity() });
    assert_eq!(conflict(keeper.post("inventory/warehouses", warehouse), "/code"), Json::Null);
    let locations = format!("inventory/warehouses/{}/locations", shop.main());
    shop.post(&locations, json!({ "code": "A-1", "name": "A" })).is(201);
    assert_eq!(conflict(keeper.post(&locations, json!({ "code": "A-1", "name": "B" })), "/code"), Json::Null);
    let count = json!({ "number": "C-1", "warehouseId": shop.main() });
    shop.post("inventory/counts", count.clone()).is(201);
    assert_eq!(conflict(keeper.post("inventory/counts", count), "/number"), Json::Null);
}
