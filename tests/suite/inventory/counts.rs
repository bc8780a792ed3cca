//! Stock counts: what people find, against what the system holds, while the shop goes on selling.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::bookkeeping;
use stoa_tests::{Answer, Company, Database, company, on_both_databases};

on_both_databases![
    e59_goods_sold_while_counting_stay_sold,
    e60_a_surplus_has_a_cost_with_books,
    e61_posted_once,
    as_many_units_as_a_count_takes_are_found_at_what_they_were_worth,
    lists_of_counts,
];

on_both_databases![
    rules:
    e62_a_shortage_of_held_goods,
    e63_missing_and_found_units,
    units_that_moved_meanwhile_are_left_alone,
    c14_nothing_comes_in_of_an_archived_variant,
    what_cannot_be_counted,
    lines_are_replaced,
];

fn open(shop: &Company, warehouse: &str) -> String {
    shop.post("inventory/counts", json!({ "warehouseId": warehouse })).is(201).id()
}

fn go(shop: &Company, count: &str, verb: &str, members: Json) -> Answer {
    let version = shop.get(&format!("inventory/counts/{count}")).is(200)["version"].clone();
    shop.post(&format!("inventory/counts/{count}/{verb}"), with(&json!({ "expectedVersion": version }), members))
}

fn record(shop: &Company, count: &str, lines: Json) -> Answer {
    go(shop, count, "lines", json!({ "lines": lines }))
}

fn post(shop: &Company, count: &str) -> Answer {
    go(shop, count, "post", json!({ "reason": "Year's end" }))
}

fn line(variant: &str, counted: &str) -> Json {
    json!({ "variantId": variant, "countedQuantity": counted })
}

fn e59_goods_sold_while_counting_stay_sold(database: Database) {
    let shop = company(database);
    let (box_, main) = (shop.counted(0), shop.warehouse("PHYSICAL"));
    shop.stock_up(&main, &box_, "10");
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&box_, "8")])).is(200);
    let out = json!({
        "variantId": box_, "quantity": "1", "movementType": "ADJUSTMENT_OUT", "fromWarehouseId": main, "reason": "Sold",
    });
    shop.post("inventory/adjustments", out).is(201);
    let read = shop.get(&format!("inventory/counts/{count}")).is(200);
    let reported = &read["lines"][0];
    assert_eq!(
        (&reported["expectedQuantity"], &reported["countedQuantity"], &reported["difference"]),
        (&json!("10.000000"), &json!("8.000000"), &json!("-2.000000"))
    );
    let posted = post(&shop, &count).is(200);
    assert_eq!((&posted["status"], &posted["version"]), (&json!("POSTED"), &json!(3)));
    shop.assert_level(&main, &box_, json!({ "onHand": 7, "available": 7 }));
    let movements = shop.all("inventory/movements", &[("documentId", &count)]);
    assert_eq!(movements.len(), 1);
    assert_eq!(
        (&movements[0]["movementType"], &movements[0]["documentType"], &movements[0]["quantity"]),
        (&json!("ADJUSTMENT_OUT"), &json!("STOCK_COUNT"), &json!("2.000000"))
    );
    shop.verified();
}

fn e60_a_surplus_has_a_cost_with_books(database: Database) {
    let shop = bookkeeping(database);
    let (box_, other, main) = (shop.counted(0), shop.counted(0), shop.warehouse("PHYSICAL"));
    shop.stock_up(&main, &box_, "1");
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&box_, "1"), line(&other, "3")])).is(200);
    post(&shop, &count).refused(409, "VALUATION_COST_REQUIRED").at("/lines/1");
    assert_eq!(shop.get(&format!("inventory/counts/{count}")).is(200)["status"], "OPEN");
    let costed = with(&line(&other, "3"), json!({ "unitCost": "2.5" }));
    record(&shop, &count, json!([costed])).is(200);
    post(&shop, &count).is(200);
    shop.assert_level(&main, &other, json!({ "onHand": 3, "available": 3 }));
    let entries = shop.list("ledger/journal-entries", &[("legalEntityId", &shop.entity())]).is(200);
    let last = entries.items().last().cloned().unwrap_or_default();
    assert_eq!(
        (&last["sourceKind"], &last["sourceId"], &last["purpose"], &last["total"]),
        (&json!("STOCK_COUNT"), &json!(count), &json!("POSTING"), &json!("7.500000000000"))
    );
    shop.verified();
}

fn e61_posted_once(database: Database) {
    let shop = company(database);
    let (box_, main) = (shop.counted(0), shop.warehouse("PHYSICAL"));
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&box_, "2")])).is(200);
    let version = 2;
    let body = json!({ "expectedVersion": version, "reason": "Counted" });
    let answers = stoa_tests::at_once(4, |_| shop.post(&format!("inventory/counts/{count}/post"), body.clone()));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.into_iter().filter(|answer| answer.status != 200) {
        answer.refused(409, "VERSION_CONFLICT");
    }
    shop.assert_level(&main, &box_, json!({ "onHand": 2, "available": 2 }));
    for (verb, members) in [
        ("post", json!({ "reason": "Again" })),
        ("cancel", json!({})),
        ("lines", json!({ "lines": [line(&box_, "1")] })),
    ] {
        go(&shop, &count, verb, members).refused(409, "ILLEGAL_STATE");
    }
    let dropped = open(&shop, &main);
    go(&shop, &dropped, "cancel", json!({})).is(200);
    post(&shop, &dropped).refused(409, "ILLEGAL_STATE");
}

fn e62_a_shortage_of_held_goods(database: Database) {
    let shop = company(database);
    let (box_, other, phone, main) = (shop.counted(0), shop.counted(0), shop.phone(), shop.warehouse("PHYSICAL"));
    shop.stock_up(&main, &box_, "5");
    let hold = json!({ "variantId": box_, "warehouseId": main, "quantity": "4", "reason": "Promised" });
    shop.post("inventory/reservations", hold).is(201);
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&other, "1"), line(&box_, "3")])).is(200);
    post(&shop, &count).refused(409, "INSUFFICIENT_STOCK").at("/lines/1");
    shop.assert_level(&main, &other, json!({}));
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let body = json!({ "expectedVersion": 1, "reason": "For a friend" });
    shop.post(&format!("inventory/units/{unit}/reservations"), body).is(201);
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&phone, "0")])).is(200);
    post(&shop, &count).refused(409, "UNIT_UNAVAILABLE").at("/lines/0");
}

fn e63_missing_and_found_units(database: Database) {
    let shop = company(database);
    let (phone, main, other) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let units = shop.admit(&phone, &main, 3);
    shop.move_unit(&units[2], "LOSS", json!({})).is(201);
    let count = open(&shop, &main);
    let lines = json!([{ "variantId": phone, "countedQuantity": "2", "unitIds": [units[0], units[2]] }]);
    record(&shop, &count, lines).is(200);
    let read = shop.get(&format!("inventory/counts/{count}")).is(200);
    let reported = &read["lines"][0];
    assert_eq!((&reported["expectedQuantity"], &reported["difference"]), (&json!("2.000000"), &json!("0.000000")));
    assert_eq!((&reported["unitCount"], reported["unitIds"].as_array().map(Vec::len)), (&json!(2), Some(2)));
    post(&shop, &count).is(200);
    let statuses: Vec<Json> = units.iter().map(|unit| shop.serial_unit(unit)["status"].clone()).collect();
    assert_eq!(statuses, ["AVAILABLE", "LOST", "AVAILABLE"]);
    assert_eq!(shop.serial_unit(&units[0])["version"], 1, "found where it was");
    shop.assert_level(&main, &phone, json!({ "onHand": 2, "available": 2 }));
    // Elsewhere it cannot be found, unless it is lost.
    let count = open(&shop, &other);
    let found = |unit: &str| json!([{ "variantId": phone, "countedQuantity": "1", "unitIds": [unit] }]);
    record(&shop, &count, found(&units[0])).refused(409, "CUSTODY_CONFLICT").at("/lines/0/unitIds/0");
    record(&shop, &count, found(&units[1])).is(200);
    post(&shop, &count).is(200);
    assert_eq!(shop.serial_unit(&units[1])["warehouseId"], json!(other));
    shop.verified();
}

/// No ceiling: the 500 units that a count may have were worth something so often that one reply of the store does not hold it.
fn as_many_units_as_a_count_takes_are_found_at_what_they_were_worth(database: Database) {
    let shop = company(database);
    let (phone, main) = (shop.phone(), shop.warehouse("PHYSICAL"));
    let mut units = Vec::new();
    for cost in 1..=5 {
        let new: Vec<Json> = (0..100).map(|_| json!({ "serialNumber": fresh("SN-") })).collect();
        units.extend(shop.try_admit(&phone, &main, Some(&cost.to_string()), json!(new)).is(201).ids());
    }
    let count = |found: &[String]| {
        let count = open(&shop, &main);
        let line = with(&line(&phone, &found.len().to_string()), json!({ "unitIds": found }));
        record(&shop, &count, json!([line])).is(200);
        post(&shop, &count).is(200);
    };
    count(&[]);
    assert_eq!(shop.count("inventory_unit", "status = 'LOST'"), 500);
    shop.copy_rows("inventory_cost_layer", "1 = 1", 4, &[]);
    count(&units);
    let worth = shop.all("inventory/cost-layers", &[("variantId", &phone), ("open", "true")]);
    for cost in 1..=5 {
        let unit_cost = json!(format!("{cost}.000000000000"));
        assert_eq!(worth.iter().filter(|layer| layer["unitCost"] == unit_cost).count(), 100, "of {cost}");
    }
    assert_eq!(shop.worth(&phone), "1500.000000000000");
    shop.verified();
}

fn units_that_moved_meanwhile_are_left_alone(database: Database) {
    let shop = company(database);
    let (phone, main, other) = (shop.phone(), shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let units = shop.admit(&phone, &main, 2);
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&phone, "0")])).is(200);
    shop.move_unit(&units[0], "TRANSFER", json!({ "toWarehouseId": other })).is(201);
    post(&shop, &count).is(200);
    let statuses: Vec<Json> = units.iter().map(|unit| shop.serial_unit(unit)["status"].clone()).collect();
    assert_eq!(statuses, ["AVAILABLE", "LOST"]);
    shop.verified();
}

fn c14_nothing_comes_in_of_an_archived_variant(database: Database) {
    let shop = company(database);
    let (box_, other, phone, main) = (shop.counted(0), shop.counted(0), shop.phone(), shop.warehouse("PHYSICAL"));
    shop.stock_up(&main, &box_, "5");
    shop.stock_up(&main, &other, "5");
    let units = shop.admit(&phone, &main, 2);
    shop.move_unit(&units[1], "LOSS", json!({})).is(201);
    // Archived after it was counted: the posting is refused where more would come in, and only there.
    let count = open(&shop, &main);
    let costed = |line: Json| with(&line, json!({ "unitCost": "1" }));
    let lines = json!([line(&other, "4"), costed(line(&box_, "6"))]);
    record(&shop, &count, lines).is(200);
    for variant in [&box_, &other, &phone] {
        shop.archive(&format!("catalog/variants/{variant}")).is(200);
    }
    post(&shop, &count).refused(409, "ARCHIVED").fault("/lines/1/variantId", "ARCHIVED");
    shop.assert_level(&main, &box_, json!({ "onHand": 5, "available": 5 }));
    // Archived before: such a line is not recorded.
    let found = json!({ "variantId": phone, "countedQuantity": "2", "unitIds": units });
    for surplus in [costed(line(&box_, "5.000000")), costed(line(&box_, "6")), found] {
        let exceeds = surplus["countedQuantity"] != "5.000000";
        let answer = record(&shop, &count, json!([surplus]));
        match exceeds {
            true => answer.refused(409, "REFERENCE_INVALID").fault("/lines/0/variantId", "ARCHIVED"),
            false => answer.is(200),
        };
    }
    // Missing goods go out.
    post(&shop, &count).is(200);
    shop.assert_level(&main, &other, json!({ "onHand": 4, "available": 4 }));
    shop.verified();
}

fn what_cannot_be_counted(database: Database) {
    let shop = company(database);
    let (phone, box_, main) = (shop.phone(), shop.counted(0), shop.warehouse("PHYSICAL"));
    let untracked = shop.article(&fresh("NONE-")).1;
    let unit = shop.admit(&phone, &main, 1).remove(0);
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&untracked, "1")])).refused(409, "ILLEGAL_STATE").at("/lines/0/variantId");
    let finer = record(&shop, &count, json!([line(&box_, "1.5")])).refused(400, "VALIDATION_FAILED");
    let digits = json!({ "maximum": 0, "counted": "FRACTION_DIGITS" });
    finer.fault("/lines/0/countedQuantity", "QUANTITY_SCALE").bounds("/lines/0/countedQuantity", digits);
    let below_zero = record(&shop, &count, json!([line(&box_, "-1")]));
    below_zero.refused(400, "VALIDATION_FAILED").fault("/lines/0/countedQuantity", "FORMAT");
    let twice = record(&shop, &count, json!([line(&box_, "1"), line(&box_, "1")]));
    twice.refused(400, "VALIDATION_FAILED").fault("/lines/1/variantId", "REPEATED");
    let short = record(&shop, &count, json!([line(&phone, "1")])).refused(409, "UNIT_COUNT_MISMATCH");
    let short = short.at("/lines/0/unitIds");
    assert_eq!((&short.errors()[0]["required"], &short.errors()[0]["identified"]), (&json!(1), &json!(0)));
    let named = with(&line(&box_, "1"), json!({ "unitIds": [unit] }));
    record(&shop, &count, json!([named])).refused(409, "UNIT_COUNT_MISMATCH").at("/lines/0/unitIds");
    let foreign = with(&line(&shop.phone(), "1"), json!({ "unitIds": [unit] }));
    record(&shop, &count, json!([foreign])).refused(409, "CUSTODY_CONFLICT").at("/lines/0/unitIds/0");
    let unknown = with(&line(&phone, "1"), json!({ "unitIds": [uuid::Uuid::now_v7()] }));
    record(&shop, &count, json!([unknown])).refused(404, "NOT_FOUND").at("/lines/0/unitIds/0");
    record(&shop, &count, json!([line(&uuid::Uuid::now_v7().to_string(), "1")])).refused(404, "NOT_FOUND");
    shop.post("inventory/counts", json!({ "warehouseId": uuid::Uuid::now_v7() }))
        .refused(404, "NOT_FOUND")
        .at("/warehouseId");
    let gone = shop.warehouse("PHYSICAL");
    shop.archive(&format!("inventory/warehouses/{gone}")).is(200);
    shop.post("inventory/counts", json!({ "warehouseId": gone })).refused(409, "REFERENCE_INVALID").at("/warehouseId");
    let empty = open(&shop, &shop.warehouse("PHYSICAL"));
    post(&shop, &empty).is(200);
}

fn lines_are_replaced(database: Database) {
    let shop = company(database);
    let (one, two, main) = (shop.counted(0), shop.counted(0), shop.warehouse("PHYSICAL"));
    let count = open(&shop, &main);
    record(&shop, &count, json!([line(&one, "1"), line(&two, "2")])).is(200);
    shop.stock_up(&main, &one, "5");
    record(&shop, &count, json!([line(&one, "6")])).is(200);
    let read = shop.get(&format!("inventory/counts/{count}")).is(200);
    let lines = read["lines"].as_array().cloned().unwrap_or_default();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["expectedQuantity"], &lines[0]["difference"]), (&json!("5.000000"), &json!("1.000000")));
    assert_eq!(lines[1]["difference"], "2.000000");
}

fn lists_of_counts(database: Database) {
    let shop = company(database);
    let (main, other) = (shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"));
    let (first, second) = (open(&shop, &main), open(&shop, &other));
    let found = |query: &[(&str, &str)]| shop.list("inventory/counts", query).is(200).ids();
    assert_eq!(found(&[]), [first.clone(), second.clone()]);
    assert_eq!(found(&[("warehouseId", &other)]), std::slice::from_ref(&second));
    assert_eq!(found(&[("number", "sc-000001")]), std::slice::from_ref(&first));
    go(&shop, &first, "cancel", json!({})).is(200);
    assert_eq!(found(&[("status", "OPEN")]), [second]);
    assert_eq!(shop.get(&format!("inventory/counts/{first}")).is(200)["number"], "SC-000001");
}
