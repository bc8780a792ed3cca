//! Goods that go back to their supplier. [F67] to [F70]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Office, id};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::{fresh_serials, line, serials};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    f68_only_units_that_are_there_go_back,
    f68_a_damaged_unit_is_worth_nothing,
    a_draft_return_is_replaced,
    quantities_leave_at_the_cost_of_the_oldest,
    keys_read_returns_without_units,
];

on_both_databases![
    rules:
    f67_no_more_goes_back_than_came,
    f69_a_credit_stands_apart_from_the_return,
    f70_a_return_is_shipped_once,
    only_goods_of_the_supplier_go_back,
];

/// A return of these lines.
fn body(office: &Office, lines: Json) -> Json {
    json!({
        "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": office.purchases.party,
        "warehouseId": office.buyer.main, "reason": WHY, "lines": lines,
    })
}

#[track_caller]
fn draft(office: &Office, lines: Json) -> String {
    office.shop.post("purchases/returns", body(office, lines)).is(201).id()
}

fn goods(item: &str, quantity: &str) -> Json {
    json!({ "receiptItemId": item, "quantity": quantity })
}

fn units(item: &str, units: &[String]) -> Json {
    json!({ "receiptItemId": item, "quantity": units.len().to_string(), "unitIds": units })
}

#[track_caller]
fn ship(office: &Office, id: &str) -> Answer {
    office.shop.post(&format!("purchases/returns/{id}/ship"), json!({ "expectedVersion": 1 }))
}

/// Phones that came: the receipt's item, and the units.
#[track_caller]
fn receive_phones(office: &Office, count: usize) -> (String, Vec<String>) {
    let phone = office.shop.phone();
    let order = office.buyer.place(json!([line(&phone, &count.to_string(), "100")]));
    let receipt = order.receive(json!([order.units(0, serials(&fresh_serials(count)))])).is(201).id();
    let item = office.buyer.receipt(&receipt)["items"][0]["id"].as_str().expect("an item").to_string();
    (item, office.shop.list("inventory/units", &[("variantId", &phone)]).is(200).ids())
}

fn f67_no_more_goes_back_than_came(database: Database) {
    let office = Office::with_books(database);
    let variant = office.shop.counted(0);
    let item = office.buyer.stock(&variant, "2", "10");
    office.shop.stock_up(&office.buyer.main, &variant, "5");
    ship(&office, &draft(&office, json!([goods(&item, "3")])))
        .refused(409, "LIMIT_EXCEEDED")
        .fault("/lines/0/quantity", "BEYOND_RECEIVED")
        .bounds("/lines/0/quantity", json!({ "maximum": "2.000000" }));
    ship(&office, &draft(&office, json!([goods(&item, "1")]))).is(200);
    ship(&office, &draft(&office, json!([goods(&item, "2")])))
        .refused(409, "LIMIT_EXCEEDED")
        .bounds("/lines/0/quantity", json!({ "maximum": "1.000000" }));
    ship(&office, &draft(&office, json!([goods(&item, "1")]))).is(200);
    office.shop.assert_level(&office.buyer.main, &variant, json!({ "onHand": 5, "available": 5 }));
    office.sound();
}

fn f68_only_units_that_are_there_go_back(database: Database) {
    let office = Office::with_books(database);
    let (item, phones) = receive_phones(&office, 3);
    let read = office.shop.serial_unit(&phones[0]);
    let phone = read["variantId"].as_str().expect("a variant");
    office.counter.price(phone, "300");
    let order = office.counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": phones[..1] }]));
    office.counter.confirm(&order).is(200);
    let (other, strangers) = receive_phones(&office, 1);
    let refused = |item: &str, unit: &String| {
        ship(&office, &draft(&office, json!([units(item, std::slice::from_ref(unit))])))
            .refused(409, "UNIT_UNAVAILABLE")
    };
    refused(&item, &phones[0]);
    office.counter.complete(&order).is(200);
    refused(&item, &phones[0]);
    refused(&item, &strangers[0]);
    refused(&other, &phones[1]);
    let short = draft(&office, json!([{ "receiptItemId": item, "quantity": "2", "unitIds": phones[1..2] }]));
    let reported = ship(&office, &short).refused(409, "UNIT_COUNT_MISMATCH");
    assert_eq!(
        reported.errors()[0],
        json!({ "pointer": "/lines/0/unitIds", "code": "UNITS_DIFFER_FROM_QUANTITY", "required": 2, "identified": 1 })
    );
    let back = draft(&office, json!([units(&item, &phones[1..])]));
    ship(&office, &back).is(200);
    assert_eq!(office.entries(&back), ["SHIPMENT: 5130 +200, 1200 -200"]);
    assert!(phones[1..].iter().all(|unit| office.shop.serial_unit(unit)["status"] == "RMA"));
    office.sound();
}

fn f68_a_damaged_unit_is_worth_nothing(database: Database) {
    let office = Office::with_books(database);
    let (item, phones) = receive_phones(&office, 1);
    office.shop.move_unit(&phones[0], "DAMAGE", json!({})).is(201);
    let back = draft(&office, json!([units(&item, &phones)]));
    ship(&office, &back).is(200);
    assert!(office.entries(&back).is_empty(), "it was worth nothing");
    office.sound();
}

/// W5: goods of cost 40 go back, a credit of 45 comes for them.
fn f69_a_credit_stands_apart_from_the_return(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let item = office.buyer.stock(&office.shop.counted(0), "9", "40");
    let return_of = || draft(&office, json!([goods(&item, "1")]));
    let credit_of = |back: &str| {
        let credit = desk.request("45", json!({ "reasonType": "RETURN", "supplierReturnId": back }));
        desk.recognize(&credit, json!({})).is(200);
        credit
    };
    let (before, after, never) = (return_of(), return_of(), return_of());
    let early = credit_of(&before);
    ship(&office, &before).is(200);
    ship(&office, &after).is(200);
    credit_of(&after);
    credit_of(&never);
    assert_eq!(office.entries(&before), ["SHIPMENT: 5130 +40, 1200 -40"]);
    assert_eq!(office.entries(id(&early)), ["RECOGNITION: 1150 +45, 5130 -45"]);
    let other = json!({ "supplierReturnId": before, "partyId": office.shop.new_supplier() });
    desk.try_request("1", other).refused(409, "REFERENCE_INVALID").at("/supplierReturnId");
    office.sound();
}

fn f70_a_return_is_shipped_once(database: Database) {
    let office = Office::new(database);
    let item = office.buyer.stock(&office.shop.counted(0), "2", "10");
    let back = draft(&office, json!([goods(&item, "1")]));
    ship(&office, &back).is(200);
    ship(&office, &back).refused(409, "VERSION_CONFLICT");
    let step = |id: &str, verb: &str, version: i64| {
        office.shop.post(&format!("purchases/returns/{id}/{verb}"), json!({ "expectedVersion": version }))
    };
    step(&back, "ship", 2).refused(409, "ILLEGAL_STATE");
    step(&back, "cancel", 2).refused(409, "ILLEGAL_STATE");
    let other = draft(&office, json!([goods(&item, "1")]));
    step(&other, "cancel", 1).is(200);
    step(&other, "ship", 2).refused(409, "ILLEGAL_STATE");
    office.shop.verified();
}

fn only_goods_of_the_supplier_go_back(database: Database) {
    let office = Office::new(database);
    let (box_, service) = (office.shop.counted(0), office.shop.service());
    let (item, served) = (office.buyer.stock(&box_, "2", "10"), office.buyer.stock(&service, "2", "10"));
    let send = |lines: Json, members: Json| office.shop.post("purchases/returns", with(&body(&office, lines), members));
    let refused = |item: &str, members: Json| {
        send(json!([goods(item, "1")]), members)
            .refused(409, "REFERENCE_INVALID")
            .fault("/lines/0/receiptItemId", "REFERENCE_INVALID");
    };
    refused(&served, json!({}));
    refused(&item, json!({ "partyId": office.shop.new_supplier() }));
    let entity = office.shop.other_entity();
    let place = office.shop.warehouse_of("PHYSICAL", &entity);
    refused(&item, json!({ "legalEntityId": entity, "warehouseId": place }));
    send(json!([goods(&item, "1")]), json!({ "warehouseId": place }))
        .refused(409, "REFERENCE_INVALID")
        .at("/warehouseId");
    send(json!([goods(&item, "1"), goods(&item, "1")]), json!({})).refused(400, "VALIDATION_FAILED");
    send(json!([goods(&item, "0.5")]), json!({})).refused(400, "VALIDATION_FAILED").at("/lines/0/quantity");
    send(json!([]), json!({})).refused(400, "VALIDATION_FAILED").at("/lines");
    let gone = uuid::Uuid::now_v7().to_string();
    send(json!([goods(&gone, "1")]), json!({})).refused(404, "NOT_FOUND").at("/lines/0/receiptItemId");
}

fn a_draft_return_is_replaced(database: Database) {
    let office = Office::new(database);
    let item = office.buyer.stock(&office.shop.counted(0), "5", "10");
    let made = with(&body(&office, json!([goods(&item, "1")])), json!({ "notes": "broken" }));
    let back = office.shop.post("purchases/returns", made.clone()).is(201).id();
    office.shop.post("purchases/returns", made.clone()).refused(409, "DUPLICATE").at("/number");
    let path = format!("purchases/returns/{back}");
    let put = |members: Json| office.shop.put(&path, with(&with(&made, json!({ "expectedVersion": 1 })), members));
    put(json!({ "number": "ANOTHER" })).refused(409, "IMMUTABLE_FIELD").at("/number");
    put(json!({ "lines": [goods(&item, "2")], "notes": null })).is(200);
    let read = office.shop.get(&path).is(200);
    assert_eq!((&read["lines"][0]["quantity"], &read["notes"]), (&json!("2.000000"), &Json::Null));
    assert_eq!(read["lines"].as_array().map(Vec::len), Some(1));
    put(json!({})).refused(409, "VERSION_CONFLICT");
    let found = office.shop.list("purchases/returns", &[("status", "DRAFT"), ("partyId", &office.purchases.party)]);
    assert_eq!(found.is(200).ids(), [back]);
}

fn quantities_leave_at_the_cost_of_the_oldest(database: Database) {
    let office = Office::with_books(database);
    let variant = office.shop.counted(0);
    office.buyer.stock(&variant, "1", "7");
    let newer = office.buyer.stock(&variant, "2", "10");
    let back = draft(&office, json!([goods(&newer, "2")]));
    ship(&office, &back).is(200);
    assert_eq!(office.entries(&back), ["SHIPMENT: 5130 +17, 1200 -17"], "7 of the oldest and 10 of the next");
    let movements = office.shop.all("inventory/movements", &[("variantId", &variant)]);
    let out = movements.iter().find(|movement| movement["movementType"] == "ADJUSTMENT_OUT").expect("goods went out");
    assert_eq!((&out["referenceType"], &out["purchaseReceiptItemId"]), (&json!("GOODS_RECEIPT"), &json!(newer)));
    office.sound();
}

fn keys_read_returns_without_units(database: Database) {
    let office = Office::new(database);
    let (item, phones) = receive_phones(&office, 1);
    let back = draft(&office, json!([units(&item, &phones)]));
    let read = office.shop.machine(&["purchases.read"]).get(&format!("purchases/returns/{back}")).is(200);
    assert_eq!(read["lines"][0]["unitCount"], 1);
    assert!(!read.tells(&phones[0]) && read.body.get("tenantId").is_none(), "{read}");
    let read = office.shop.get(&format!("purchases/returns/{back}")).is(200);
    assert_eq!(read["lines"][0]["units"][0]["unitId"], json!(phones[0]));
}
