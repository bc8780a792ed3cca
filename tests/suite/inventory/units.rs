//! Serial units: permanent identities, the table of their states, what they are worth, and their history without a gap.

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::company::fresh;
use stoa_tests::goods::bookkeeping;
use stoa_tests::serials::imei;
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    e28_identities_that_are_none,
    e36_lost_and_found,
    e38_holds_and_releases,
    e39_damage_and_repair,
    e40_history_has_every_version,
    e44_one_duplicate_among_a_hundred,
    e46_bought_back,
    opening_stock_with_books,
    e65_units_cost_what_they_cost,
    found_units_without_books_cost_what_they_did,
    lists_find_units,
];

on_both_databases![
    rules:
    e29_e30_e31_identities_are_for_ever,
    e32_e33_version_before_state,
    e34_what_a_warehouse_makes_of_a_unit,
    e35_each_movement_has_its_permission,
    e37_places_that_do_not_fit,
    e43_conditions,
    e47_inside_one_warehouse,
    movements_that_say_too_much_or_too_little,
    regrading,
];

fn e28_identities_that_are_none(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let right = imei(49_015_420_323_751);
    assert_eq!(right, "490154203237518");
    for wrong in ["490154203237517", "49015420323751", "4901542032375180", "000000000000000", "49015420323751 8"] {
        for slot in ["imei1", "imei2"] {
            shop.try_admit(&phone, &main, None, json!([{ slot: wrong }]))
                .refused(400, "VALIDATION_FAILED")
                .at(&format!("/units/0/{slot}"));
        }
    }
    for wrong in ["", "-1", " A", "A B", "é", &"A".repeat(101)] {
        shop.try_admit(&phone, &main, None, json!([{ "serialNumber": wrong }]))
            .refused(400, "VALIDATION_FAILED")
            .fault("/units/0/serialNumber", "FORMAT");
    }
    shop.try_admit(&phone, &main, None, json!([{ "imei1": right, "imei2": right }]))
        .refused(400, "VALIDATION_FAILED")
        .fault("/units/0/imei2", "REPEATED");
    shop.try_admit(&phone, &main, None, json!([{ "serialNumber": "A-1" }, { "serialNumber": "a-1" }]))
        .refused(400, "VALIDATION_FAILED")
        .fault("/units/1/serialNumber", "REPEATED");
    shop.try_admit(&phone, &main, None, json!([])).refused(400, "VALIDATION_FAILED").at("/units");
    assert_eq!(shop.count("inventory_unit", "true"), 0);
}

fn e29_e30_e31_identities_are_for_ever(database: Database) {
    let shop = company(database);
    let (phone, other, main) = (shop.phone(), shop.phone(), shop.warehouse("PHYSICAL"));
    let (one, two, three) = (imei(1), imei(2), imei(3));
    let whole = json!([{ "serialNumber": "AB-1", "imei1": one, "imei2": two }]);
    let unit = shop.try_admit(&phone, &main, None, whole).is(201).ids().remove(0);
    shop.try_admit(&phone, &main, None, json!([{}])).refused(400, "VALIDATION_FAILED").at("/units/0");
    let taken = |unit: Json| {
        let units = json!([{ "serialNumber": fresh("FREE-") }, unit]);
        shop.try_admit(&other, &main, None, units).refused(409, "DUPLICATE").at("/units/1");
    };
    taken(json!({ "serialNumber": "ab-1" }));
    taken(json!({ "imei1": two }));
    taken(json!({ "imei2": one, "imei1": three }));
    // A serial number of 15 digits is not an IMEI.
    shop.try_admit(&other, &main, None, json!([{ "serialNumber": one }])).is(201);
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    taken(json!({ "serialNumber": "aB-1" }));
    // Another company may have the same piece.
    let elsewhere = company(database);
    let (phone, main) = (elsewhere.phone(), elsewhere.warehouse("PHYSICAL"));
    elsewhere.try_admit(&phone, &main, None, json!([{ "serialNumber": "AB-1", "imei1": one }])).is(201);
}

fn e32_e33_version_before_state(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    let damage = |version: i64| {
        let body = json!({ "movementType": "DAMAGE", "expectedVersion": version, "reason": "Dropped" });
        shop.post(&format!("inventory/units/{unit}/movements"), body)
    };
    damage(1).refused(409, "VERSION_CONFLICT");
    damage(2).refused(409, "UNIT_UNAVAILABLE");
    let held = shop.admit(&phone, &main, 1).remove(0);
    let body = json!({ "expectedVersion": 1, "reason": "For a friend" });
    shop.post(&format!("inventory/units/{held}/reservations"), body).is(201);
    for kind in ["DAMAGE", "LOSS"] {
        shop.move_unit(&held, kind, json!({})).refused(409, "UNIT_UNAVAILABLE");
    }
    shop.move_unit(&held, "TRANSFER", json!({ "toWarehouseId": shop.warehouse("PHYSICAL") }))
        .refused(409, "UNIT_UNAVAILABLE");
    let unknown = uuid::Uuid::now_v7();
    let body = json!({ "movementType": "LOSS", "expectedVersion": 1, "reason": "Gone" });
    shop.post(&format!("inventory/units/{unknown}/movements"), body.clone()).refused(404, "NOT_FOUND");
    company(database).post(&format!("inventory/units/{unit}/movements"), body).refused(404, "NOT_FOUND");
}

fn e34_what_a_warehouse_makes_of_a_unit(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let mut place = main.clone();
    for (kind, status, figure) in [
        ("QUARANTINE", "QUARANTINED", "quarantined"),
        ("IN_TRANSIT", "IN_TRANSIT", "inTransit"),
        ("PHYSICAL", "AVAILABLE", "onHand"),
        ("THIRD_PARTY", "AVAILABLE", "onHand"),
        ("VIRTUAL", "AVAILABLE", "onHand"),
    ] {
        let to = shop.warehouse(kind);
        shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": to })).is(201);
        let read = shop.serial_unit(&unit);
        assert_eq!((&read["status"], &read["warehouseId"]), (&json!(status), &json!(to)));
        let mut expected = json!({ figure: 1 });
        if figure == "onHand" {
            expected["available"] = json!(1);
        }
        shop.assert_level(&to, &phone, expected);
        shop.assert_level(&place, &phone, json!({}));
        place = to;
    }
    shop.move_unit(&unit, "DAMAGE", json!({})).is(201);
    let quarantine = shop.warehouse("QUARANTINE");
    shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": quarantine })).is(201);
    assert_eq!(shop.serial_unit(&unit)["status"], "DAMAGED", "damage stays");
    shop.assert_level(&quarantine, &phone, json!({ "damaged": 1 }));
    // Units are born as they would arrive.
    let born = shop.admit(&phone, &quarantine, 1).remove(0);
    assert_eq!(shop.serial_unit(&born)["status"], "QUARANTINED");
    shop.verified();
}

fn e35_each_movement_has_its_permission(database: Database) {
    for (gone, kept, refused) in
        [("inventory.transfer", "DAMAGE", "TRANSFER"), ("inventory.adjust", "TRANSFER", "DAMAGE")]
    {
        let shop = company(database);
        let (phone, main, to) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
        let unit = shop.admit(&phone, &main, 1).remove(0);
        let shop = shop.colleague_without(gone);
        let members = |kind: &str| if kind == "TRANSFER" { json!({ "toWarehouseId": to }) } else { json!({}) };
        shop.move_unit(&unit, refused, members(refused)).refused(403, "PERMISSION_DENIED");
        shop.move_unit(&unit, kept, members(kept)).is(201);
    }
}

fn e36_lost_and_found(database: Database) {
    let shop = bookkeeping(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let before = shop.serial_unit(&unit);
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    let lost = shop.serial_unit(&unit);
    assert_eq!((&lost["status"], &lost["warehouseId"]), (&json!("LOST"), &Json::Null));
    shop.assert_level(&main, &phone, json!({}));
    let back =
        |cost: Json, to: &str| shop.move_unit(&unit, "ADJUSTMENT_IN", json!({ "toWarehouseId": to, "unitCost": cost }));
    back(Json::Null, &main).refused(409, "VALUATION_COST_REQUIRED").at("/unitCost");
    back(json!("80"), &shop.warehouse_of("PHYSICAL", &shop.other_entity())).refused(409, "CUSTODY_CONFLICT");
    back(json!("80"), &main).is(201);
    let found = shop.serial_unit(&unit);
    assert_eq!(found["version"], 3);
    for same in ["id", "serialNumber", "condition", "legalEntityId"] {
        assert_eq!(found[same], before[same], "{same}");
    }
    assert_table!(shop.layers_table(&phone), @r"
    quantity  unit cost  remaining  value  currency
           1        100          0      0  EUR
           1         80          1     80  EUR
    ");
    assert_eq!(inventory_value(&shop), "80.000000000000");
    shop.verified();
}

/// The balance of the account of goods, 1200 of the standard chart.
fn inventory_value(shop: &Company) -> String {
    let trial = shop.list("ledger/trial-balance", &[("legalEntityId", &shop.entity())]).is(200);
    let row = trial["rows"].as_array().into_iter().flatten().find(|row| row["code"] == "1200").cloned();
    row.map_or_else(|| "0.000000000000".to_string(), |row| row["closing"].as_str().unwrap_or_default().to_string())
}

fn e37_places_that_do_not_fit(database: Database) {
    let shop = company(database);
    let (phone, main, other) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let (here, there) = (shop.shelf(&main), shop.shelf(&other));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let to = |warehouse: &str, location: Option<&str>| {
        shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": warehouse, "toLocationId": location }))
    };
    to(&main, Some(&there)).refused(409, "REFERENCE_INVALID").at("/toLocationId");
    to(&uuid::Uuid::now_v7().to_string(), None).refused(404, "NOT_FOUND").at("/toWarehouseId");
    to(&main, Some(&uuid::Uuid::now_v7().to_string())).refused(404, "NOT_FOUND").at("/toLocationId");
    to(&main, Some(&here)).is(201);
    shop.archive(&format!("inventory/warehouses/{main}/locations/{here}")).refused(409, "CUSTODY_CONFLICT");
    to(&main, None).is(201);
    shop.archive(&format!("inventory/warehouses/{main}/locations/{here}")).is(200);
    to(&main, Some(&here)).refused(409, "REFERENCE_INVALID").fault("/toLocationId", "ARCHIVED");
    shop.archive(&format!("inventory/warehouses/{main}")).refused(409, "CUSTODY_CONFLICT");
    let gone = shop.warehouse("PHYSICAL");
    shop.archive(&format!("inventory/warehouses/{gone}")).is(200);
    to(&gone, None).refused(409, "REFERENCE_INVALID").fault("/toWarehouseId", "ARCHIVED");
    to(&shop.warehouse_of("PHYSICAL", &shop.other_entity()), None).refused(409, "CUSTODY_CONFLICT");
    // [E3] A damaged unit is custody.
    shop.move_unit(&unit, "DAMAGE", json!({})).is(201);
    shop.archive(&format!("inventory/warehouses/{main}")).refused(409, "CUSTODY_CONFLICT");
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    shop.archive(&format!("inventory/warehouses/{main}")).is(200);
    shop.try_admit(&phone, &main, None, json!([{ "serialNumber": "X" }])).refused(409, "REFERENCE_INVALID");
}

fn e38_holds_and_releases(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let reference = uuid::Uuid::now_v7().to_string();
    let hold = |version: i64| {
        let body = json!({ "expectedVersion": version, "reason": "For a friend", "referenceId": reference });
        shop.post(&format!("inventory/units/{unit}/reservations"), body)
    };
    let held = hold(1).is(201);
    assert_eq!(
        (&held["inventoryUnitId"], &held["quantity"], &held["status"], &held["unitVersion"]),
        (&json!(unit), &json!("1.000000"), &json!("ACTIVE"), &json!(2))
    );
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "reserved": 1 }));
    hold(1).refused(409, "VERSION_CONFLICT");
    hold(2).refused(409, "UNIT_UNAVAILABLE");
    assert_eq!(shop.serial_unit(&unit)["reservationId"], held["id"]);
    let release = |version: Json| {
        let body = json!({ "reason": "Not wanted", "expectedVersion": version });
        shop.post(&format!("inventory/reservations/{}/release", held.id()), body)
    };
    release(json!(1)).refused(409, "VERSION_CONFLICT");
    let released = release(json!(2)).is(200);
    assert_eq!((&released["status"], &released["unitVersion"]), (&json!("RELEASED"), &json!(3)));
    release(Json::Null).refused(409, "ILLEGAL_STATE");
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
    let quarantined = shop.admit(&phone, &shop.warehouse("QUARANTINE"), 1).remove(0);
    let body = json!({ "expectedVersion": 1, "reason": "Why not" });
    shop.post(&format!("inventory/units/{quarantined}/reservations"), body).refused(409, "UNIT_UNAVAILABLE");
    shop.verified();
}

fn e39_damage_and_repair(database: Database) {
    let shop = bookkeeping(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let units = shop.admit(&phone, &main, 2);
    assert_eq!(inventory_value(&shop), "200.000000000000");
    for unit in &units {
        shop.move_unit(unit, "DAMAGE", json!({})).is(201);
        shop.move_unit(unit, "DAMAGE", json!({})).refused(409, "UNIT_UNAVAILABLE");
        assert_eq!(shop.serial_unit(unit)["warehouseId"], json!(main));
    }
    shop.assert_level(&main, &phone, json!({ "damaged": 2 }));
    assert_eq!(inventory_value(&shop), "0.000000000000");
    let entries = || shop.count("ledger_entry", "true");
    let before = entries();
    shop.move_unit(&units[0], "LOSS", json!({})).is(201);
    assert_eq!(entries(), before, "a damaged unit is worth nothing");
    let readmit = |cost: Json, members: Json| {
        let version = shop.serial_unit(&units[1])["version"].clone();
        let body = json!({ "expectedVersion": version, "unitCost": cost, "reason": "Repaired" });
        shop.post(&format!("inventory/units/{}/readmissions", units[1]), stoa_tests::company::with(&body, members))
    };
    readmit(Json::Null, json!({})).refused(409, "VALUATION_COST_REQUIRED").at("/unitCost");
    readmit(json!("60.5"), json!({ "toWarehouseId": main })).refused(400, "VALIDATION_FAILED").at("/toWarehouseId");
    readmit(json!("60.5"), json!({})).is(201);
    readmit(json!("60.5"), json!({})).refused(409, "UNIT_UNAVAILABLE");
    assert_eq!(shop.serial_unit(&units[1])["status"], "AVAILABLE");
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
    assert_eq!(inventory_value(&shop), "60.500000000000");
    shop.verified();
}

fn e40_history_has_every_version(database: Database) {
    let shop = company(database);
    let (phone, main, other) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let body = json!({ "expectedVersion": 1, "reason": "For a friend" });
    let held = shop.post(&format!("inventory/units/{unit}/reservations"), body).is(201).id();
    shop.post(&format!("inventory/reservations/{held}/release"), json!({ "reason": "No" })).is(200);
    shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": other })).is(201);
    let body = json!({ "expectedVersion": 4, "condition": "NEW", "grade": "B", "reason": "Scratch" });
    shop.post(&format!("inventory/units/{unit}/regrade"), body).is(200);
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    let history = shop.all(&format!("inventory/units/{unit}/history"), &[("limit", "2")]);
    let reported: Vec<(i64, &str)> = history
        .iter()
        .map(|entry| (entry["unitVersion"].as_i64().unwrap_or(0), entry["event"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        reported,
        [(1, "CREATED"), (2, "RESERVED"), (3, "RELEASED"), (4, "MOVED"), (5, "REGRADED"), (6, "MOVED")]
    );
    assert_eq!(history[1]["reservationId"], json!(held));
    assert_eq!(history[4]["grade"], "B");
    let movements = shop.all(&format!("inventory/units/{unit}/movements"), &[("limit", "1")]);
    let reported: Vec<&Json> = movements.iter().map(|movement| &movement["movementType"]).collect();
    assert_eq!(reported, ["ADJUSTMENT_IN", "TRANSFER", "LOSS"], "physical movements only");
    for (movement, version) in movements.iter().zip([1, 4, 6]) {
        assert_eq!((&movement["quantity"], &movement["unitVersion"]), (&json!("1.000000"), &json!(version)));
    }
    shop.verified();
}

fn e43_conditions(database: Database) {
    let shop = company(database);
    let main = shop.warehouse("PHYSICAL");
    let variants =
        shop.serialized(json!([{ "sku": fresh("C-"), "condition": "USED", "grade": "B" }, { "sku": fresh("C-") }]));
    let (used, open) = (&variants[0], &variants[1]);
    let admit = |variant: &str, condition: Json, grade: Json| {
        let unit = json!({ "serialNumber": fresh("SN-"), "condition": condition, "grade": grade });
        shop.try_admit(variant, &main, None, json!([unit]))
    };
    admit(used, json!("NEW"), Json::Null).refused(409, "UNIT_CONDITION_MISMATCH").at("/units/0/condition");
    admit(open, Json::Null, Json::Null).refused(409, "UNIT_CONDITION_REQUIRED").at("/units/0/condition");
    let taken = admit(used, Json::Null, Json::Null).is(201).ids().remove(0);
    let read = shop.serial_unit(&taken);
    assert_eq!((&read["condition"], &read["grade"]), (&json!("USED"), &json!("B")));
    let stated = admit(open, json!("AS_IS"), json!("C")).is(201).ids().remove(0);
    let read = shop.serial_unit(&stated);
    assert_eq!((&read["condition"], &read["grade"]), (&json!("AS_IS"), &json!("C")));
}

fn e44_one_duplicate_among_a_hundred(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    shop.try_admit(&phone, &main, None, json!([{ "serialNumber": "TAKEN" }])).is(201);
    let before = shop.digest();
    let mut units: Vec<Json> =
        (0..99).map(|n| json!({ "serialNumber": format!("S-{n}"), "imei1": imei(n + 1) })).collect();
    units.push(json!({ "serialNumber": "taken" }));
    shop.try_admit(&phone, &main, None, json!(units)).refused(409, "DUPLICATE").at("/units/99");
    assert_eq!(shop.digest(), before, "nothing was written");
    units.pop();
    units.push(json!({ "serialNumber": "FREE" }));
    assert_eq!(shop.try_admit(&phone, &main, None, json!(units)).is(201).items().len(), 100);
    shop.assert_level(&main, &phone, json!({ "onHand": 101, "available": 101 }));
    units.push(json!({ "serialNumber": "ONE-TOO-MANY" }));
    shop.try_admit(&phone, &main, None, json!(units)).refused(400, "VALIDATION_FAILED").at("/units");
    shop.verified();
}

/// A unit that a sale took away: what sales will do, until then done behind the host's back.
fn sell(shop: &Company, unit: &str) {
    let read = shop.serial_unit(unit);
    let (version, warehouse, variant) =
        (read["version"].as_i64().unwrap_or(0), &read["warehouseId"], &read["variantId"]);
    assert!(version > 0 && warehouse.is_string() && variant.is_string());
    shop.move_unit(unit, "LOSS", json!({})).is(201);
    let id = match shop.host.database() {
        Database::Sqlite => format!("x'{}'", unit.replace('-', "")),
        Database::Postgres => format!("'{unit}'"),
    };
    shop.change(&format!("update inventory_unit set status = 'SOLD' where {{tenant}} and id = {id}"));
}

fn e46_bought_back(database: Database) {
    let shop = bookkeeping(database);
    let main = shop.warehouse("PHYSICAL");
    let variants = shop.serialized(json!([
        { "sku": fresh("N-"), "condition": "NEW" }, { "sku": fresh("U-"), "condition": "USED" },
    ]));
    let (new, used) = (&variants[0], &variants[1]);
    let unit = shop.admit(new, &main, 1).remove(0);
    let back = |unit: &str, variant: &str, members: Json| {
        let version = shop.serial_unit(unit)["version"].clone();
        let body = json!({
            "expectedVersion": version, "toWarehouseId": main, "variantId": variant, "unitCost": "40", "reason": "Bought back",
        });
        shop.post(&format!("inventory/units/{unit}/readmissions"), stoa_tests::company::with(&body, members))
    };
    back(&unit, used, json!({})).refused(409, "UNIT_UNAVAILABLE");
    sell(&shop, &unit);
    back(&unit, &shop.phone(), json!({})).refused(409, "REFERENCE_INVALID").at("/variantId");
    back(&unit, used, json!({ "toWarehouseId": null })).refused(400, "VALIDATION_FAILED").at("/toWarehouseId");
    back(&unit, used, json!({ "condition": "NEW" })).refused(409, "UNIT_CONDITION_MISMATCH").at("/condition");
    back(&unit, used, json!({ "unitCost": null })).refused(409, "VALUATION_COST_REQUIRED");
    let receipt = back(&unit, used, json!({})).is(201);
    assert_eq!((&receipt["id"], &receipt["variantId"]), (&json!(unit), &json!(used)));
    let read = shop.serial_unit(&unit);
    assert_eq!((&read["status"], &read["condition"]), (&json!("AVAILABLE"), &json!("USED")));
    shop.assert_level(&main, used, json!({ "onHand": 1, "available": 1 }));
    shop.assert_level(&main, new, json!({}));
    assert_eq!(inventory_value(&shop), "40.000000000000");
    back(&unit, used, json!({})).refused(409, "UNIT_UNAVAILABLE");
}

fn e47_inside_one_warehouse(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let shelf = shop.shelf(&main);
    let unit = shop.admit(&phone, &main, 1).remove(0);
    shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": main })).refused(409, "CUSTODY_CONFLICT");
    shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": main, "toLocationId": shelf })).is(201);
    shop.move_unit(&unit, "TRANSFER", json!({ "toWarehouseId": main, "toLocationId": shelf }))
        .refused(409, "CUSTODY_CONFLICT");
    assert_eq!(shop.serial_unit(&unit)["locationId"], json!(shelf));
    shop.assert_level(&main, &phone, json!({ "onHand": 1, "available": 1 }));
}

fn movements_that_say_too_much_or_too_little(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    for (kind, members, pointer, code) in [
        ("TRANSFER", json!({}), "/toWarehouseId", "REQUIRED"),
        ("ADJUSTMENT_IN", json!({}), "/toWarehouseId", "REQUIRED"),
        ("DAMAGE", json!({ "toWarehouseId": main }), "/toWarehouseId", "NOT_ALLOWED"),
        ("LOSS", json!({ "toLocationId": main }), "/toLocationId", "NOT_ALLOWED"),
        ("LOSS", json!({ "unitCost": "1" }), "/unitCost", "NOT_ALLOWED"),
        ("TRANSFER", json!({ "toWarehouseId": main, "unitCost": "1" }), "/unitCost", "NOT_ALLOWED"),
        ("SALE", json!({}), "/movementType", "FORMAT"),
        ("LOSS", json!({ "quantity": "1" }), "", "NOT_ALLOWED"),
        ("LOSS", json!({ "status": "SOLD" }), "", "NOT_ALLOWED"),
        ("LOSS", json!({ "reason": " " }), "/reason", "RANGE"),
        ("LOSS", json!({ "expectedVersion": 0 }), "/expectedVersion", "RANGE"),
        ("LOSS", json!({ "expectedVersion": 2_147_483_647_i64 }), "/expectedVersion", "RANGE"),
        ("ADJUSTMENT_IN", json!({ "toWarehouseId": main, "unitCost": "1.0000001" }), "/unitCost", "FORMAT"),
    ] {
        shop.move_unit(&unit, kind, members).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
    assert_eq!(shop.serial_unit(&unit)["version"], 1);
    let box_ = shop.counted(0);
    shop.try_admit(&box_, &main, None, json!([{ "serialNumber": "B" }])).refused(409, "ILLEGAL_STATE").at("/variantId");
    let unknown = uuid::Uuid::now_v7().to_string();
    shop.try_admit(&unknown, &main, None, json!([{ "serialNumber": "B" }])).refused(404, "NOT_FOUND").at("/variantId");
    shop.try_admit(&phone, &unknown, None, json!([{ "serialNumber": "B" }]))
        .refused(404, "NOT_FOUND")
        .at("/warehouseId");
}

fn regrading(database: Database) {
    let shop = company(database);
    let main = shop.warehouse("PHYSICAL");
    let open = shop.serialized(json!([{ "sku": fresh("R-") }])).remove(0);
    let units = json!([{ "serialNumber": fresh("SN-"), "condition": "USED", "grade": "A" }]);
    let unit = shop.try_admit(&open, &main, None, units).is(201).ids().remove(0);
    let regrade = |version: i64, members: Json| {
        let body = json!({ "expectedVersion": version, "reason": "Inspected" });
        shop.post(&format!("inventory/units/{unit}/regrade"), stoa_tests::company::with(&body, members))
    };
    regrade(1, json!({})).refused(409, "UNIT_CONDITION_REQUIRED");
    regrade(1, json!({ "condition": "REFURBISHED" })).is(200);
    let read = shop.serial_unit(&unit);
    assert_eq!((&read["condition"], &read["grade"], &read["version"]), (&json!("REFURBISHED"), &Json::Null, &json!(2)));
    regrade(1, json!({ "condition": "USED" })).refused(409, "VERSION_CONFLICT");
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    regrade(3, json!({ "condition": "USED" })).refused(409, "UNIT_UNAVAILABLE");
}

fn opening_stock_with_books(database: Database) {
    let shop = bookkeeping(database);
    let (phone, box_, main) = (shop.phone(), shop.counted(0), shop.warehouse("PHYSICAL"));
    shop.try_admit(&phone, &main, None, json!([{ "serialNumber": "A" }]))
        .refused(409, "VALUATION_COST_REQUIRED")
        .at("/unitCost");
    shop.try_admit(&phone, &main, Some("250.25"), json!([{ "serialNumber": "A" }, { "serialNumber": "B" }])).is(201);
    shop.try_admit(&phone, &main, Some("0"), json!([{ "serialNumber": "GIFT" }])).is(201);
    shop.stock_up(&main, &box_, "7");
    assert_eq!(inventory_value(&shop), "507.500000000000");
    let entries = shop.list("ledger/journal-entries", &[("legalEntityId", &shop.entity())]).is(200);
    let kinds: Vec<&Json> = entries.items().iter().map(|entry| &entry["sourceKind"]).collect();
    assert_eq!(kinds, ["INVENTORY_MOVEMENT", "INVENTORY_MOVEMENT"], "a gift posts nothing");
    shop.verified();
}

fn e65_units_cost_what_they_cost(database: Database) {
    let shop = bookkeeping(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let mut units = Vec::new();
    for cost in ["100", "130"] {
        let unit = json!([{ "serialNumber": fresh("SN-") }]);
        units.push(shop.try_admit(&phone, &main, Some(cost), unit).is(201).ids().remove(0));
    }
    shop.move_unit(&units[1], "LOSS", json!({})).is(201);
    assert_eq!(inventory_value(&shop), "100.000000000000", "the second one's own cost left");
    shop.verified();
}

fn found_units_without_books_cost_what_they_did(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    shop.move_unit(&unit, "LOSS", json!({})).is(201);
    shop.move_unit(&unit, "ADJUSTMENT_IN", json!({ "toWarehouseId": main })).is(201);
    assert_eq!(shop.count("inventory_cost_layer", "unit_cost is not null and not spent"), 1);
    let unknown = shop.try_admit(&phone, &main, None, json!([{ "serialNumber": "U" }])).is(201).ids().remove(0);
    assert_eq!(shop.count("inventory_cost_layer", "unit_cost is null and not spent"), 1, "unknown, not zero");
    shop.move_unit(&unknown, "LOSS", json!({})).is(201);
    shop.verified();
}

fn lists_find_units(database: Database) {
    let shop = company(database);
    let (phone, main, other) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let (one, two) = (imei(71), imei(72));
    let units = json!([
        { "serialNumber": "Find-Me", "imei1": one, "imei2": two, "grade": "A" }, { "serialNumber": "OTHER" },
    ]);
    let ids = shop.try_admit(&phone, &main, None, units).is(201).ids();
    shop.move_unit(&ids[1], "TRANSFER", json!({ "toWarehouseId": other })).is(201);
    let found = |query: &[(&str, &str)]| shop.list("inventory/units", query).is(200).ids();
    for identity in ["find-me", "FIND-ME", &one, &two] {
        assert_eq!(found(&[("identity", identity)]), ids[..1], "{identity}");
    }
    assert!(found(&[("identity", "find")]).is_empty(), "exact, no part");
    assert_eq!(found(&[("warehouseId", &other)]), ids[1..]);
    assert_eq!(found(&[("variantId", &phone), ("grade", "A")]), ids[..1]);
    assert_eq!(found(&[("status", "AVAILABLE"), ("condition", "NEW")]), ids);
    assert!(found(&[("status", "SOLD")]).is_empty());
    shop.list("inventory/units", &[("serialNumber", "x")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
}
