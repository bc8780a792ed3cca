//! Units in what other modules do: received, held, sold, brought back and sent back, through the services of stock and units.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::goods::{read_wire, wire, with_porter};
use stoa_tests::serials::imei;
use stoa_tests::{Company, Database, on_both_databases};

on_both_databases![
    a_unit_is_received_sold_and_brought_back,
    e66_a_unit_comes_back_once_at_what_it_cost,
    e105_receipts_take_new_identities_only,
    charges_are_dealt_over_units,
    units_are_never_chosen,
    mixed_orders_are_all_or_nothing,
    released_units_are_free,
    e24_damaged_units_go_back_for_nothing,
    units_are_told_to_who_may_know,
];

fn shop(database: Database) -> Company {
    with_porter(database).company_with(json!({ "keepsBooks": true }))
}

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// A call that receives new units on one line: the call, and the receipt item.
fn receipt(warehouse: &str, variant: &str, cost: &str, charge: Option<&str>, units: &[Json]) -> (Json, String) {
    let item = new_id();
    let from = json!({
        "id": wire(&new_id()), "warehouse_id": wire(warehouse), "location_id": null, "currency_code": "EUR",
        "reason": "Delivery note 7",
    });
    let line = json!({
        "receipt_item_id": wire(&item), "variant_id": wire(variant), "quantity": units.len().to_string(),
        "unit_cost": cost, "charge": charge, "units": units,
    });
    (json!(["receive", from, [line]]), item)
}

fn expect(shop: &Company, warehouse: &str, variant: &str, count: usize) {
    let line = json!({ "variant_id": wire(variant), "warehouse_id": wire(warehouse), "delta": count.to_string() });
    shop.carried(&[json!(["change-incoming", [line]])]);
}

fn unit(serial: &str) -> Json {
    json!({ "serial_number": serial, "imei1": null, "imei2": null, "condition": null, "grade": null })
}

/// Receives units with fresh serial numbers: their ids, and the receipt item.
fn receive(shop: &Company, warehouse: &str, variant: &str, cost: &str, count: usize) -> (Vec<String>, String) {
    expect(shop, warehouse, variant, count);
    let units: Vec<Json> = (0..count).map(|_| unit(&fresh("RC-"))).collect();
    let (call, item) = receipt(warehouse, variant, cost, None, &units);
    let answers = shop.carried(&[call]);
    (answers[0][0]["unit_ids"].as_array().into_iter().flatten().map(read_wire).collect(), item)
}

fn order() -> Json {
    json!({ "id": wire(&new_id()), "number": fresh("SO-") })
}

fn hold(order: &Json, warehouse: &str, variant: &str, units: &[String]) -> Json {
    let ids: Vec<Json> = units.iter().map(|unit| wire(unit)).collect();
    let line = json!({
        "line": wire(&new_id()), "variant_id": wire(variant), "quantity": units.len().to_string(), "unit_ids": ids,
    });
    json!(["reserve", order, wire(warehouse), [line]])
}

/// Holds and delivers units: the order, and what was delivered.
fn sell(shop: &Company, warehouse: &str, variant: &str, units: &[String]) -> (Json, Vec<Json>) {
    let order = order();
    let held = shop.carried(&[hold(&order, warehouse, variant, units)]);
    let lines: Vec<Json> = held[0]
        .as_array()
        .into_iter()
        .flatten()
        .map(|held| json!({ "reservation_id": held["reservation_id"], "sale_allocation_id": wire(&new_id()) }))
        .collect();
    let delivered = shop.carried(&[json!(["deliver", order, lines])]);
    (order, delivered[0].as_array().cloned().unwrap_or_default())
}

fn back(order: &Json, warehouse: &str, sold: &Json, disposition: &str) -> Json {
    let to = json!({
        "id": wire(&new_id()), "order_id": order["id"], "warehouse_id": wire(warehouse), "location_id": null,
        "reason": "Did not like it",
    });
    let line = json!({
        "movement_id": sold["movement_id"], "sale_allocation_id": wire(&new_id()), "unit_id": sold["unit_id"],
        "quantity": "1", "disposition": disposition,
    });
    json!(["return-from-customer", to, [line]])
}

fn a_unit_is_received_sold_and_brought_back(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, item) = receive(&shop, &main, &phone, "100", 2);
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    let read = shop.serial_unit(&units[0]);
    assert_eq!((&read["purchaseReceiptItemId"], &read["condition"]), (&json!(item), &json!("NEW")));
    let (order, sold) = sell(&shop, &main, &phone, &units[..1]);
    assert_eq!((&sold[0]["cost"], &sold[0]["currency_code"]), (&json!("100.000000000000"), &json!("EUR")));
    let read = shop.serial_unit(&units[0]);
    assert_eq!((&read["status"], &read["warehouseId"]), (&json!("SOLD"), &Json::Null));
    assert!(read["saleAllocationId"].is_string());
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
    // [E33]
    for kind in ["DAMAGE", "LOSS"] {
        shop.move_unit(&units[0], kind, json!({})).refused(409, "UNIT_UNAVAILABLE");
    }
    let returned = shop.carried(&[back(&order, &main, &sold[0], "Inspect")]);
    assert_eq!(returned[0][0]["cost"], "100.000000000000");
    assert_eq!(shop.serial_unit(&units[0])["status"], "RETURNED");
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1, "returned": 1 }));
    // [E47] An inspected unit goes on sale by a transfer into its own warehouse.
    shop.move_unit(&units[0], "TRANSFER", json!({ "toWarehouseId": main })).is(201);
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    assert_eq!(shop.worth(&phone), "200.000000000000");
    let movements = shop.all(&format!("inventory/units/{}/movements", units[0]), &[]);
    let told: Vec<(&Json, &Json)> = movements.iter().map(|row| (&row["movementType"], &row["documentType"])).collect();
    assert_eq!(
        told,
        [
            (&json!("PURCHASE_RECEIPT"), &Json::Null),
            (&json!("SALE"), &Json::Null),
            (&json!("ADJUSTMENT_IN"), &json!("CUSTOMER_RETURN")),
            (&json!("TRANSFER"), &Json::Null),
        ]
    );
    assert_eq!(movements[1]["reason"], json!(format!("SALES_ORDER {}", order["number"].as_str().unwrap_or(""))));
}

fn e66_a_unit_comes_back_once_at_what_it_cost(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 3);
    let (first, sold) = sell(&shop, &main, &phone, &units[..1]);
    shop.carried(&[back(&first, &main, &sold[0], "Restock")]);
    assert_eq!(shop.worth(&phone), "300.000000000000", "as before");
    shop.carry(&[back(&first, &main, &sold[0], "Restock")]).is(409);
    // Damaged ones are worth nothing.
    let (order, sold) = sell(&shop, &main, &phone, &units[1..2]);
    let returned = shop.carried(&[back(&order, &main, &sold[0], "Damaged")]);
    assert_eq!(returned[0][0]["cost"], Json::Null);
    assert_eq!(shop.worth(&phone), "200.000000000000");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2, "damaged": 1 }));
    // Sold, bought back, sold again: it comes back by the second sale only.
    let (first, one) = sell(&shop, &main, &phone, &units[2..]);
    let version = shop.serial_unit(&units[2])["version"].clone();
    let body = json!({ "expectedVersion": version, "toWarehouseId": main, "unitCost": "40", "reason": "Bought back" });
    shop.post(&format!("inventory/units/{}/readmissions", units[2]), body).is(201);
    assert_eq!(shop.worth(&phone), "140.000000000000");
    let (second, two) = sell(&shop, &main, &phone, &units[2..]);
    assert_eq!(two[0]["cost"], "40.000000000000");
    shop.carry(&[back(&first, &main, &one[0], "Restock")]).refused(409, "UNIT_UNAVAILABLE").at("/lines/0/unitId");
    shop.carried(&[back(&second, &main, &two[0], "Restock")]);
    assert_eq!(shop.worth(&phone), "140.000000000000");
}

fn e105_receipts_take_new_identities_only(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let same = imei(42);
    let with_imei = |serial: &str| {
        json!({
            "serial_number": serial, "imei1": same, "imei2": null, "condition": null, "grade": null,
        })
    };
    expect(&shop, &main, &phone, 20);
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("KNOWN"), with_imei("WITH")]);
    shop.carried(&[call]);
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("NEW-1"), unit("known")]);
    shop.carry(&[call]).refused(409, "DUPLICATE").at("/lines/0/units/1");
    let (call, _) = receipt(&main, &phone, "100", None, &[with_imei("NEW-2")]);
    shop.carry(&[call]).refused(409, "DUPLICATE").at("/lines/0/units/0");
    let (call, _) = receipt(&main, &phone, "100", None, &[unit("TWICE"), unit("twice")]);
    shop.carry(&[call]).refused(400, "VALIDATION_FAILED").at("/lines/0/units/1/serialNumber");
    let used = json!({ "serial_number": "USED", "imei1": null, "imei2": null, "condition": "USED", "grade": null });
    let (call, _) = receipt(&main, &phone, "100", None, &[used]);
    shop.carry(&[call]).refused(409, "UNIT_CONDITION_MISMATCH");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2, "incoming": 18 }));
    // The same identity received by two at once: one wins.
    let answers = stoa_tests::at_once(4, |n| {
        let (call, _) = receipt(&main, &phone, "100", None, &[unit(&format!("RACE-{n}")), unit("RACE")]);
        shop.carry(&[call])
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "DUPLICATE");
    }
    shop.assert_level(&main, &phone, json!({ "onHand": 4, "available": 4, "incoming": 16 }));
}

fn charges_are_dealt_over_units(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    expect(&shop, &main, &phone, 3);
    let units = ["A", "B", "C"].map(|_| unit(&fresh("CH-")));
    let (call, item) = receipt(&main, &phone, "1", Some("10"), &units);
    let answers = shop.carried(&[call]);
    assert_eq!(answers[0][0]["movement_ids"].as_array().map(Vec::len), Some(3));
    let layers = shop.all("inventory/cost-layers", &[("purchaseReceiptItemId", &item)]);
    let mut costs: Vec<&str> = layers.iter().filter_map(|layer| layer["unitCost"].as_str()).collect();
    costs.sort_unstable();
    assert_eq!(costs, ["4.333333000000", "4.333333000000", "4.333334000000"]);
    assert!(layers.iter().all(|layer| layer["inventoryUnitId"].is_string()));
    assert_eq!(shop.worth(&phone), "13.000000000000");
}

fn units_are_never_chosen(database: Database) {
    let shop = shop(database);
    let (phone, other, main, away) = (shop.phone(), shop.phone(), shop.main(), shop.warehouse("PHYSICAL"));
    let (units, _) = receive(&shop, &main, &phone, "100", 2);
    let order = order();
    let line =
        json!({ "line": wire(&new_id()), "variant_id": wire(&phone), "quantity": "2", "unit_ids": [wire(&units[0])] });
    let refused = shop.carry(&[json!(["reserve", order, wire(&main), [line]])]).refused(409, "UNIT_COUNT_MISMATCH");
    assert_eq!((&refused.errors()[0]["required"], &refused.errors()[0]["identified"]), (&json!(2), &json!(1)));
    shop.carry(&[hold(&order, &main, &other, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    shop.carry(&[hold(&order, &away, &phone, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    shop.carry(&[hold(&order, &main, &phone, &[new_id()])]).refused(409, "UNIT_UNAVAILABLE");
    shop.carry(&[hold(&order, &shop.warehouse("QUARANTINE"), &phone, &units[..1])]).refused(409, "CUSTODY_CONFLICT");
    let answers = stoa_tests::at_once(4, |_| shop.carry(&[hold(&self::order(), &main, &phone, &units)]));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "UNIT_UNAVAILABLE");
    }
}

fn mixed_orders_are_all_or_nothing(database: Database) {
    let shop = shop(database);
    let (phone, box_, main) = (shop.phone(), shop.counted(0), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 2);
    shop.bring(&box_, &main, "3", Some("2")).is(201);
    let order = order();
    let lines = |boxes: &str| {
        json!([
            { "line": wire(&new_id()), "variant_id": wire(&box_), "quantity": boxes, "unit_ids": [] },
            { "line": wire(&new_id()), "variant_id": wire(&phone), "quantity": "2",
              "unit_ids": units.iter().map(|unit| wire(unit)).collect::<Vec<_>>() },
        ])
    };
    shop.carry(&[json!(["reserve", order, wire(&main), lines("4")])]).refused(409, "INSUFFICIENT_STOCK");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    let held = shop.carried(&[json!(["reserve", order, wire(&main), lines("3")])]);
    let held = held[0].as_array().cloned().unwrap_or_default();
    assert_eq!(held.iter().filter(|row| row["unit_id"].is_array()).count(), 2);
    assert_eq!(held.len(), 3);
    let deliveries: Vec<Json> = held
        .iter()
        .map(|row| json!({ "reservation_id": row["reservation_id"], "sale_allocation_id": wire(&new_id()) }))
        .collect();
    let delivered = shop.carried(&[json!(["deliver", order, deliveries])]);
    let costs: Vec<&Json> = delivered[0].as_array().into_iter().flatten().map(|row| &row["cost"]).collect();
    assert_eq!(costs, ["6.000000000000", "100.000000000000", "100.000000000000"]);
    shop.assert_level(&main, &phone, json!({}));
    shop.assert_level(&main, &box_, json!({}));
    shop.carry(&[json!(["deliver", order, deliveries])]).refused(409, "ILLEGAL_STATE");
}

fn released_units_are_free(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, _) = receive(&shop, &main, &phone, "100", 1);
    let order = order();
    let held = shop.carried(&[hold(&order, &main, &phone, &units)]);
    let reservation = held[0][0]["reservation_id"].clone();
    // [E25]
    shop.release(&read_wire(&reservation)).refused(409, "ILLEGAL_STATE");
    shop.carry(&[json!(["release", wire(&new_id()), [reservation], "No"])]).refused(409, "ILLEGAL_STATE");
    shop.carried(&[json!(["release", order["id"], [reservation], "Cancelled"])]);
    assert_eq!(shop.serial_unit(&units[0])["status"], "AVAILABLE");
    shop.carry(&[json!(["release", order["id"], [reservation], "Again"])]).refused(409, "ILLEGAL_STATE");
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
}

/// Units go back to their supplier and may come back from there.
fn e24_damaged_units_go_back_for_nothing(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    let (units, item) = receive(&shop, &main, &phone, "100", 3);
    let (_, other_item) = receive(&shop, &main, &phone, "100", 1);
    shop.move_unit(&units[0], "DAMAGE", json!({})).is(201);
    let send = |item: &str, units: &[String]| {
        let to = json!({ "id": wire(&new_id()), "warehouse_id": wire(&main), "reason": "Faulty" });
        let ids: Vec<Json> = units.iter().map(|unit| wire(unit)).collect();
        let line = json!({
            "receipt_item_id": wire(item), "receipt_id": wire(&new_id()), "variant_id": wire(&phone),
            "quantity": units.len().to_string(), "unit_ids": ids,
        });
        json!(["return-to-supplier", to, [line]])
    };
    shop.carry(&[send(&other_item, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    let sent = shop.carried(&[send(&item, &units[..1])]);
    assert_eq!(sent[0][0]["cost"], "0.000000000000", "a damaged unit is worth nothing");
    let sent = shop.carried(&[send(&item, &units[1..])]);
    assert_eq!(sent[0][0]["cost"], "200.000000000000");
    for unit in &units {
        let read = shop.serial_unit(unit);
        assert_eq!((&read["status"], &read["warehouseId"]), (&json!("RMA"), &Json::Null));
    }
    shop.carry(&[send(&item, &units[..1])]).refused(409, "UNIT_UNAVAILABLE");
    assert_eq!(shop.worth(&phone), "100.000000000000");
    let readmit = |to: &str| {
        let version = shop.serial_unit(&units[1])["version"].clone();
        let body = json!({ "expectedVersion": version, "toWarehouseId": to, "unitCost": "90", "reason": "Exchanged" });
        shop.post(&format!("inventory/units/{}/readmissions", units[1]), body)
    };
    readmit(&shop.warehouse_of("PHYSICAL", &shop.other_entity())).refused(409, "CUSTODY_CONFLICT");
    readmit(&main).is(201);
    assert_eq!(shop.worth(&phone), "190.000000000000");
}

fn units_are_told_to_who_may_know(database: Database) {
    let shop = shop(database);
    let (phone, main) = (shop.phone(), shop.main());
    expect(&shop, &main, &phone, 1);
    let same = imei(77);
    let whole = json!({ "serial_number": "Tell-Me", "imei1": same, "imei2": null, "condition": null, "grade": null });
    let (call, item) = receipt(&main, &phone, "100", None, &[whole]);
    let id = shop.carried(&[call])[0][0]["unit_ids"][0].clone();
    let asked = [
        json!(["units", [id]]),
        json!(["find", ["TELL-ME", same, "nobody"]]),
        json!(["of-receipt-items", [wire(&item), wire(&new_id())]]),
        json!(["of-allocations", [wire(&new_id())]]),
    ];
    let told = shop.carried(&asked);
    assert_eq!((&told[0][0]["serial_number"], &told[0][0]["status"]), (&json!("Tell-Me"), &json!("AVAILABLE")));
    assert_eq!(
        told[1],
        json!([
            { "identity": "TELL-ME", "unit_id": id }, { "identity": same, "unit_id": id },
            { "identity": "nobody", "unit_id": null },
        ])
    );
    assert_eq!(told[2], json!([{ "id": wire(&item), "unit_ids": [id] }]));
    assert_eq!(told[3], json!([]));
    let shop = shop.colleague(&["porter.call", "inventory.read"]);
    let told = shop.carried(&asked[..1]);
    for hidden in ["serial_number", "imei1", "imei2"] {
        assert_eq!(told[0][0][hidden], Json::Null, "{hidden}");
    }
    shop.carry(&asked[1..2]).refused(403, "PERMISSION_DENIED");
}
