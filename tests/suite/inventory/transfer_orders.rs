//! Transfer orders: goods leave whole, travel, and end once each; quantities and units alike.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::bookkeeping;
use stoa_tests::{Answer, Company, Database, company, on_both_databases};

on_both_databases![
    e48_without_stock,
    e49_received_lost_and_returned,
    e55_units_are_named_by_people,
    e57_units_arrive_as_the_warehouse_is,
    e58_value_stays_but_for_loss,
    a_draft_is_replaced_however_much_was_taken_out_of_it,
    numbers,
    lists_of_orders,
];

on_both_databases![
    rules:
    e50_above_outstanding,
    e51_cancelled,
    e52_goods_on_an_order_wait_for_it,
    e53_e54_ends_that_do_not_fit,
    drafts_are_replaced_whole,
    api_clients_transfer_without_units,
    an_open_order_keeps_its_warehouses,
    faults_of_bodies,
];

/// A company with a source, a destination and a transit warehouse.
struct Road {
    shop: Company,
    from: String,
    to: String,
    transit: String,
}

impl Road {
    fn new(shop: Company) -> Road {
        let (from, to, transit) = (shop.warehouse("PHYSICAL"), shop.warehouse("PHYSICAL"), shop.transit());
        Road { shop, from, to, transit }
    }

    fn draft(&self, items: Json) -> Answer {
        let body = json!({ "fromWarehouseId": self.from, "toWarehouseId": self.to, "items": items });
        self.shop.post("inventory/transfer-orders", body)
    }

    fn go(&self, id: &str, verb: &str, members: Json) -> Answer {
        let version = self.order(id)["version"].clone();
        let body = with(&json!({ "expectedVersion": version }), members);
        self.shop.post(&format!("inventory/transfer-orders/{id}/{verb}"), body)
    }

    fn order(&self, id: &str) -> Answer {
        self.shop.get(&format!("inventory/transfer-orders/{id}")).is(200)
    }

    /// The id of the only line.
    fn line(&self, id: &str) -> String {
        self.order(id)["items"][0]["id"].as_str().map(str::to_string).unwrap_or_default()
    }
}

fn line(variant: &str, quantity: &str) -> Json {
    json!({ "variantId": variant, "quantity": quantity })
}

fn e48_without_stock(database: Database) {
    let road = Road::new(company(database));
    let (shop, one, two) = (&road.shop, road.shop.counted(0), road.shop.counted(0));
    shop.stock_up(&road.from, &one, "5");
    let order = road.draft(json!([line(&one, "5"), line(&two, "1")])).is(201).id();
    road.go(&order, "approve", json!({})).refused(409, "INSUFFICIENT_STOCK").at("/items/1");
    shop.assert_level(&road.from, &one, json!({ "onHand": 5, "available": 5 }));
    assert_eq!(shop.count("inventory_reservation", "true"), 0);
    road.go(&order, "ship", json!({})).refused(409, "INSUFFICIENT_STOCK");
    assert_eq!(road.order(&order)["status"], "DRAFT");
}

fn e49_received_lost_and_returned(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_) = (&road.shop, road.shop.counted(0));
    shop.stock_up(&road.from, &box_, "10");
    let order = road.draft(json!([line(&box_, "10")])).is(201);
    assert_eq!((&order["status"], &order["version"]), (&json!("DRAFT"), &json!(1)));
    let order = order.id();
    let approved = road.go(&order, "approve", json!({})).is(200);
    assert_eq!((&approved["status"], &approved["version"]), (&json!("APPROVED"), &json!(2)));
    assert_eq!(road.order(&order)["transitWarehouseId"], json!(road.transit), "the entity's only one");
    shop.assert_level(&road.from, &box_, json!({ "onHand": 10, "reserved": 10 }));
    road.go(&order, "ship", json!({})).is(200);
    shop.assert_level(&road.from, &box_, json!({}));
    shop.assert_level(&road.transit, &box_, json!({ "inTransit": 10 }));
    shop.assert_level(&road.to, &box_, json!({ "incoming": 10 }));
    let item = road.line(&order);
    let part = road.go(&order, "receive", json!({ "items": [{ "itemId": item, "quantity": "3" }] })).is(200);
    assert_eq!((&part["status"], &part["version"]), (&json!("PARTIALLY_RECEIVED"), &json!(4)));
    let rest = json!([{ "itemId": item, "quantity": "5", "lostQuantity": "1", "returnedQuantity": "1" }]);
    road.go(&order, "receive", json!({ "items": rest })).refused(400, "VALIDATION_FAILED").fault("/reason", "REQUIRED");
    let done = road.go(&order, "receive", json!({ "items": rest, "reason": "One fell off" })).is(200);
    assert_eq!(done["status"], "RECEIVED");
    shop.assert_level(&road.to, &box_, json!({ "onHand": 8, "available": 8 }));
    shop.assert_level(&road.from, &box_, json!({ "onHand": 1, "available": 1 }));
    shop.assert_level(&road.transit, &box_, json!({}));
    let read = road.order(&order);
    let item = &read["items"][0];
    for (member, figure) in [
        ("quantity", "10.000000"),
        ("receivedQuantity", "8.000000"),
        ("lostQuantity", "1.000000"),
        ("returnedQuantity", "1.000000"),
        ("outstandingQuantity", "0.000000"),
    ] {
        assert_eq!(item[member], figure, "{member}");
    }
    assert!(read["closedAt"].is_string() && read["shippedAt"].is_string());
    let movements = shop.all("inventory/movements", &[("documentId", &order)]);
    assert!(movements.iter().all(|movement| movement["documentType"] == "TRANSFER_ORDER"));
    let kinds: Vec<&Json> = movements.iter().map(|movement| &movement["movementType"]).collect();
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    for verb in ["approve", "ship"] {
        road.go(&order, verb, json!({})).refused(409, "ILLEGAL_STATE");
    }
    road.go(&order, "cancel", json!({ "reason": "Late" })).refused(409, "ILLEGAL_STATE");
    shop.verified();
}

fn e50_above_outstanding(database: Database) {
    let road = Road::new(company(database));
    let box_ = road.shop.counted(0);
    road.shop.stock_up(&road.from, &box_, "2");
    let order = road.draft(json!([line(&box_, "2")])).is(201).id();
    // A draft is approved on the way.
    assert_eq!(road.go(&order, "ship", json!({})).is(200)["version"], 2);
    let item = road.line(&order);
    for (received, returned) in [("2.000001", "0"), ("2", "1"), ("1", "2")] {
        let items = json!([{ "itemId": item, "quantity": received, "returnedQuantity": returned }]);
        road.go(&order, "receive", json!({ "items": items })).refused(409, "LIMIT_EXCEEDED").at("/items/0");
    }
    let items = json!([{ "itemId": item, "quantity": "2" }]);
    road.go(&order, "receive", json!({ "items": items })).is(200);
    road.shop.assert_level(&road.to, &box_, json!({ "onHand": 2, "available": 2 }));
}

fn e51_cancelled(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_, phone) = (&road.shop, road.shop.counted(0), road.shop.phone());
    shop.stock_up(&road.from, &box_, "4");
    let units = shop.admit(&phone, &road.from, 2);
    let items = json!([line(&box_, "4"), { "variantId": phone, "quantity": "2", "unitIds": units }]);
    for last in ["DRAFT", "APPROVED", "IN_TRANSIT"] {
        let order = road.draft(items.clone()).is(201).id();
        if last != "DRAFT" {
            road.go(&order, "approve", json!({})).is(200);
        }
        if last == "IN_TRANSIT" {
            road.go(&order, "ship", json!({})).is(200);
            shop.assert_level(&road.transit, &phone, json!({ "inTransit": 2 }));
            shop.assert_level(&road.to, &phone, json!({ "incoming": 2 }));
        }
        let cancelled = road.go(&order, "cancel", json!({ "reason": "Changed our mind" })).is(200);
        assert_eq!(cancelled["status"], "CANCELLED", "from {last}");
        shop.assert_level(&road.from, &box_, json!({ "onHand": 4, "available": 4 }));
        shop.assert_level(&road.from, &phone, json!({ "onHand": 2, "available": 2 }));
        for place in [&road.transit, &road.to] {
            shop.assert_level(place, &box_, json!({}));
            shop.assert_level(place, &phone, json!({}));
        }
        for unit in &units {
            let read = shop.serial_unit(unit);
            assert_eq!((&read["status"], &read["transferOrderId"]), (&json!("AVAILABLE"), &Json::Null));
        }
        road.go(&order, "cancel", json!({ "reason": "Again" })).refused(409, "ILLEGAL_STATE");
    }
    let order = road.draft(items).is(201).id();
    road.go(&order, "ship", json!({})).is(200);
    let items = json!([{ "itemId": road.line(&order), "quantity": "1" }]);
    road.go(&order, "receive", json!({ "items": items })).is(200);
    road.go(&order, "cancel", json!({ "reason": "Too late" })).refused(409, "ILLEGAL_STATE");
    shop.verified();
}

fn e52_goods_on_an_order_wait_for_it(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_, phone) = (&road.shop, road.shop.counted(0), road.shop.phone());
    shop.stock_up(&road.from, &box_, "1");
    let units = shop.admit(&phone, &road.from, 1);
    let items = json!([line(&box_, "1"), { "variantId": phone, "quantity": "1", "unitIds": units }]);
    let order = road.draft(items).is(201).id();
    road.go(&order, "ship", json!({})).is(200);
    let loss = json!({
        "variantId": box_, "quantity": "1", "movementType": "LOSS", "fromWarehouseId": road.transit, "reason": "Gone",
    });
    shop.post("inventory/adjustments", loss).refused(409, "INSUFFICIENT_STOCK");
    for (kind, members) in
        [("LOSS", json!({})), ("DAMAGE", json!({})), ("TRANSFER", json!({ "toWarehouseId": road.to }))]
    {
        shop.move_unit(&units[0], kind, members).refused(409, "UNIT_UNAVAILABLE");
    }
}

fn e53_e54_ends_that_do_not_fit(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_) = (&road.shop, road.shop.counted(0));
    shop.stock_up(&road.from, &box_, "1");
    let entity = shop.other_entity();
    let foreign = shop.warehouse_of("PHYSICAL", &entity);
    let draft = |members: Json| {
        let body = json!({ "fromWarehouseId": road.from, "toWarehouseId": road.to, "items": [line(&box_, "1")] });
        shop.post("inventory/transfer-orders", with(&body, members))
    };
    draft(json!({ "toWarehouseId": foreign })).refused(409, "CUSTODY_CONFLICT").at("/toWarehouseId");
    draft(json!({ "toWarehouseId": road.transit })).refused(409, "CUSTODY_CONFLICT").at("/toWarehouseId");
    draft(json!({ "toWarehouseId": road.from })).refused(400, "VALIDATION_FAILED").at("/toWarehouseId");
    draft(json!({ "fromWarehouseId": shop.warehouse("QUARANTINE") }))
        .refused(409, "CUSTODY_CONFLICT")
        .at("/fromWarehouseId");
    draft(json!({ "transitWarehouseId": road.to })).refused(409, "REFERENCE_INVALID").at("/transitWarehouseId");
    let abroad = shop.warehouse_of("IN_TRANSIT", &entity);
    draft(json!({ "transitWarehouseId": abroad })).refused(409, "REFERENCE_INVALID").at("/transitWarehouseId");
    draft(json!({ "toWarehouseId": uuid::Uuid::now_v7() })).refused(404, "NOT_FOUND").at("/toWarehouseId");
    // [E54]
    let order = draft(json!({})).is(201).id();
    let second = shop.warehouse("IN_TRANSIT");
    road.go(&order, "approve", json!({})).refused(409, "REFERENCE_INVALID").at("/transitWarehouseId");
    shop.archive(&format!("inventory/warehouses/{second}")).is(200);
    road.go(&order, "approve", json!({})).is(200);
    let lone = company(database);
    let (from, to, box_) = (lone.warehouse("PHYSICAL"), lone.warehouse("PHYSICAL"), lone.counted(0));
    lone.stock_up(&from, &box_, "1");
    lone.archive(&format!("inventory/warehouses/{}", lone.transit())).is(200);
    let body = json!({ "fromWarehouseId": from, "toWarehouseId": to, "items": [line(&box_, "1")] });
    let order = lone.post("inventory/transfer-orders", body).is(201).id();
    lone.post(&format!("inventory/transfer-orders/{order}/ship"), json!({ "expectedVersion": 1 }))
        .refused(409, "REFERENCE_INVALID")
        .at("/transitWarehouseId");
}

fn e55_units_are_named_by_people(database: Database) {
    let road = Road::new(company(database));
    let (shop, phone, box_) = (&road.shop, road.shop.phone(), road.shop.counted(0));
    let units = shop.admit(&phone, &road.from, 3);
    let two = json!([{ "variantId": phone, "quantity": "3", "unitIds": &units[..2] }]);
    let order = road.draft(two).is(201).id();
    let refused = road.go(&order, "approve", json!({})).refused(409, "UNIT_COUNT_MISMATCH").at("/items/0");
    assert_eq!((&refused.errors()[0]["required"], &refused.errors()[0]["identified"]), (&json!(3), &json!(2)));
    let item = json!([{ "variantId": box_, "quantity": "1", "unitIds": &units[..1] }]);
    road.draft(item).refused(409, "UNIT_COUNT_MISMATCH").at("/items/0/unitIds");
    let item = json!([{ "variantId": shop.phone(), "quantity": "1", "unitIds": &units[..1] }]);
    road.draft(item).refused(409, "REFERENCE_INVALID").at("/items/0/unitIds/0");
    let item = json!([{ "variantId": phone, "quantity": "1.5", "unitIds": [] }]);
    road.draft(item).refused(400, "VALIDATION_FAILED").fault("/items/0/quantity", "QUANTITY_SCALE");
    // One that is not free, or elsewhere.
    let order = road.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[2]] }])).is(201).id();
    shop.move_unit(&units[2], "DAMAGE", json!({})).is(201);
    road.go(&order, "approve", json!({})).refused(409, "UNIT_UNAVAILABLE").at("/items/0");
    let order = road.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[1]] }])).is(201).id();
    road.go(&order, "approve", json!({})).is(200);
    let twice = road.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[1]] }])).is(201).id();
    road.go(&twice, "approve", json!({})).refused(409, "UNIT_UNAVAILABLE");
    let held = shop.list("inventory/reservations", &[("documentId", &order)]).is(200);
    assert_eq!(held.items()[0]["source"], "TRANSFER_ORDER");
    // [E25]
    shop.post(&format!("inventory/reservations/{}/release", held.ids()[0]), json!({ "reason": "Mine" }))
        .refused(409, "ILLEGAL_STATE");
}

fn e57_units_arrive_as_the_warehouse_is(database: Database) {
    let mut road = Road::new(company(database));
    road.to = road.shop.warehouse("QUARANTINE");
    let (shop, phone) = (&road.shop, road.shop.phone());
    let shelf = shop.shelf(&road.to);
    let units = shop.admit(&phone, &road.from, 4);
    let order = road.draft(json!([{ "variantId": phone, "quantity": "4", "unitIds": units }])).is(201).id();
    road.go(&order, "ship", json!({})).is(200);
    for unit in &units {
        let read = shop.serial_unit(unit);
        assert_eq!((&read["status"], &read["warehouseId"]), (&json!("IN_TRANSIT"), &json!(road.transit)));
        assert_eq!((&read["version"], &read["transferOrderId"]), (&json!(3), &json!(order)));
    }
    let item = road.line(&order);
    let receive = |members: Json, extra: Json| {
        let item = with(&json!({ "itemId": item, "quantity": "1" }), members);
        road.go(&order, "receive", with(&json!({ "items": [item] }), extra))
    };
    receive(json!({}), json!({})).refused(409, "UNIT_COUNT_MISMATCH").at("/items/0/unitIds");
    receive(json!({ "unitIds": &units[..2] }), json!({})).refused(409, "UNIT_COUNT_MISMATCH");
    let stranger = shop.admit(&phone, &road.from, 1);
    receive(json!({ "unitIds": stranger }), json!({})).refused(409, "REFERENCE_INVALID").at("/items/0/unitIds/0");
    receive(json!({ "unitIds": &units[..1] }), json!({ "toLocationId": shop.shelf(&road.from) }))
        .refused(409, "REFERENCE_INVALID")
        .at("/toLocationId");
    receive(json!({ "unitIds": &units[..1] }), json!({ "toLocationId": shelf })).is(200);
    let read = shop.serial_unit(&units[0]);
    assert_eq!((&read["status"], &read["locationId"]), (&json!("QUARANTINED"), &json!(shelf)));
    let lost = json!({ "quantity": "0", "lostQuantity": "1", "lostUnitIds": [units[1]] });
    receive(lost, json!({ "reason": "Stolen" })).is(200);
    assert_eq!(shop.serial_unit(&units[1])["status"], "LOST");
    // All that is left, without naming it.
    receive(json!({ "quantity": "0", "returnedQuantity": "2" }), json!({})).is(200);
    assert_eq!(road.order(&order)["status"], "RECEIVED");
    for unit in &units[2..] {
        let read = shop.serial_unit(unit);
        assert_eq!((&read["status"], &read["warehouseId"]), (&json!("AVAILABLE"), &json!(road.from)));
    }
    let reported = road.order(&order)["items"][0]["units"].as_array().cloned().unwrap_or_default();
    let mut outcomes: Vec<&str> = reported.iter().filter_map(|unit| unit["outcome"].as_str()).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["LOST", "RECEIVED", "RETURNED", "RETURNED"]);
    shop.assert_level(&road.to, &phone, json!({ "quarantined": 1 }));
    shop.verified();
}

fn e58_value_stays_but_for_loss(database: Database) {
    let road = Road::new(bookkeeping(database));
    let (shop, box_, phone) = (&road.shop, road.shop.counted(0), road.shop.phone());
    shop.stock_up(&road.from, &box_, "10");
    let units = shop.admit(&phone, &road.from, 2);
    let value = || {
        let trial = shop.list("ledger/trial-balance", &[("legalEntityId", &shop.entity())]).is(200);
        let rows = trial["rows"].as_array().cloned().unwrap_or_default();
        let row = rows.iter().find(|row| row["code"] == "1200").cloned().unwrap_or_default();
        row["closing"].as_str().unwrap_or_default().to_string()
    };
    assert_eq!(value(), "210.000000000000");
    let items = json!([line(&box_, "10"), { "variantId": phone, "quantity": "2", "unitIds": units }]);
    let order = road.draft(items).is(201).id();
    road.go(&order, "ship", json!({})).is(200);
    assert_eq!(value(), "210.000000000000");
    let read = road.order(&order);
    let (boxes, phones) = (&read["items"][0]["id"], &read["items"][1]["id"]);
    let items = json!([
        { "itemId": boxes, "quantity": "6", "lostQuantity": "4" },
        { "itemId": phones, "quantity": "1", "unitIds": [units[0]], "lostQuantity": "1", "lostUnitIds": [units[1]] },
    ]);
    road.go(&order, "receive", json!({ "items": items, "reason": "Shipwreck" })).is(200);
    assert_eq!(value(), "106.000000000000");
    let entries = shop.list("ledger/journal-entries", &[("legalEntityId", &shop.entity())]).is(200);
    assert_eq!(entries.items().len(), 3, "one entry for the loss");
    assert_eq!(entries.items()[2]["total"], "104.000000000000");
    shop.verified();
}

/// 2,101 lines that were taken out, which is more than one reply of the store holds. The line that comes back is among
/// those behind.
fn a_draft_is_replaced_however_much_was_taken_out_of_it(database: Database) {
    let road = Road::new(company(database));
    let shop = &road.shop;
    let (kept, other) = (shop.counted(0), shop.counted(0));
    let id = road.draft(json!([line(&other, "1")])).is(201).id();
    let path = format!("inventory/transfer-orders/{id}");
    let body = |version: i64, items: Json| json!({ "fromWarehouseId": road.from, "toWarehouseId": road.to, "items": items, "expectedVersion": version });
    shop.put(&path, body(1, json!([line(&kept, "1")]))).is(200);
    let (row, variant) = (shop.numbered_id("s.n"), shop.numbered_id("s.n"));
    shop.copy_rows("inventory_transfer_item", "line_no is null", 2_100, &[("id", &row), ("variant_id", &variant)]);
    let line_of = |variant: &str| {
        let shown = road.order(&id);
        let items = shown["items"].as_array().cloned().unwrap_or_default();
        items.into_iter().find(|item| item["variantId"] == variant).map(|item| item["id"].clone())
    };
    let before = line_of(&kept);
    shop.put(&path, body(2, json!([line(&kept, "1"), line(&other, "1")]))).is(200);
    assert_eq!(line_of(&kept), before, "it is the same line still");
    let lines =
        shop.count("inventory_transfer_item", &format!("order_id = {} and line_no is not null", shop.literal(&id)));
    assert_eq!(lines, 2, "the line that comes back is the one of before");
}

fn drafts_are_replaced_whole(database: Database) {
    let road = Road::new(company(database));
    let (shop, one, two, phone) = (&road.shop, road.shop.counted(0), road.shop.counted(0), road.shop.phone());
    let units = shop.admit(&phone, &road.from, 2);
    let items = json!([line(&one, "1"), { "variantId": phone, "quantity": "1", "unitIds": [units[0]] }]);
    let order = road.draft(items).is(201).id();
    let first = road.order(&order);
    let path = format!("inventory/transfer-orders/{order}");
    let body = |version: i64, items: Json| {
        json!({
            "expectedVersion": version, "number": first["number"], "fromWarehouseId": road.from,
            "toWarehouseId": road.to, "expectedOn": "2027-01-31", "notes": "Fragile", "items": items,
        })
    };
    shop.put(&path, body(2, json!([line(&two, "2")]))).refused(409, "VERSION_CONFLICT");
    shop.put(&path, with(&body(1, json!([line(&two, "2")])), json!({ "number": "OTHER" })))
        .refused(409, "IMMUTABLE_FIELD")
        .at("/number");
    shop.put(&path, with(&body(1, json!([line(&two, "2")])), json!({ "fromWarehouseId": shop.warehouse("PHYSICAL") })))
        .refused(409, "IMMUTABLE_FIELD")
        .at("/fromWarehouseId");
    shop.put(&path, body(1, json!([line(&two, "2")]))).is(200);
    let second = road.order(&order);
    assert_eq!(second["items"].as_array().map(Vec::len), Some(1));
    assert_eq!((&second["notes"], &second["expectedOn"]), (&json!("Fragile"), &json!("2027-01-31")));
    let again = json!([{ "variantId": phone, "quantity": "2", "unitIds": units }, line(&one, "3")]);
    shop.put(&path, with(&body(2, again), json!({ "notes": null }))).is(200);
    let third = road.order(&order);
    assert_eq!(third["items"][1]["id"], first["items"][0]["id"], "a line that comes back keeps its id");
    assert_eq!(third["items"][0]["unitCount"], 2);
    assert_eq!(third["notes"], Json::Null);
    shop.stock_up(&road.from, &one, "3");
    road.go(&order, "approve", json!({})).is(200);
    shop.put(&path, body(4, json!([line(&two, "2")]))).refused(409, "ILLEGAL_STATE");
}

fn numbers(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_) = (&road.shop, road.shop.counted(0));
    let draft = |number: Json| {
        let body = json!({
            "number": number, "fromWarehouseId": road.from, "toWarehouseId": road.to, "items": [line(&box_, "1")],
        });
        shop.post("inventory/transfer-orders", body)
    };
    let number = |id: &str| road.order(id).text("number");
    assert_eq!(number(&draft(Json::Null).is(201).id()), "TO-000001");
    assert_eq!(number(&draft(json!("Spring.move")).is(201).id()), "Spring.move");
    draft(json!("SPRING.MOVE")).refused(409, "DUPLICATE").at("/number");
    draft(json!("TO-000002")).is(201);
    assert_eq!(number(&draft(Json::Null).is(201).id()), "TO-000003");
    for wrong in ["", "1A", "A B", &"A".repeat(65)] {
        draft(json!(wrong)).refused(400, "VALIDATION_FAILED").at("/number");
    }
    let parallel = stoa_tests::at_once(8, |_| draft(Json::Null).is(201).id());
    let mut made: Vec<String> = parallel.iter().map(|id| number(id)).collect();
    made.sort();
    made.dedup();
    assert_eq!(made.len(), 8);
}

fn api_clients_transfer_without_units(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_, phone) = (&road.shop, road.shop.counted(0), road.shop.phone());
    shop.stock_up(&road.from, &box_, "2");
    let units = shop.admit(&phone, &road.from, 3);
    let machine = shop.machine(&["inventory.read", "inventory.write"]);
    let body = |items: Json| json!({ "fromWarehouseId": road.from, "toWarehouseId": road.to, "items": items });
    let named = json!([{ "variantId": phone, "quantity": "1", "unitIds": &units[..1] }]);
    machine.post("inventory/transfer-orders", body(named)).refused(400, "VALIDATION_FAILED").at("/items/0/unitIds");
    let items = json!([line(&box_, "2"), line(&phone, "2")]);
    let order = machine.post("inventory/transfer-orders", body(items)).is(201).id();
    let path = format!("inventory/transfer-orders/{order}");
    machine.post(&format!("{path}/approve"), json!({ "expectedVersion": 1 })).refused(409, "UNIT_COUNT_MISMATCH");
    // A person names them; the client's replacement keeps what fits.
    let items = json!([line(&box_, "2"), { "variantId": phone, "quantity": "3", "unitIds": units }]);
    shop.put(&path, with(&body(items), json!({ "expectedVersion": 1 }))).is(200);
    let items = json!([line(&phone, "2"), line(&box_, "1")]);
    machine.put(&path, with(&body(items), json!({ "expectedVersion": 2 }))).is(200);
    let read = machine.get(&path).is(200);
    assert_eq!(read["items"][0]["unitCount"], 2);
    assert!(read.body.get("tenantId").is_none());
    assert!(read["items"][0].get("units").is_none());
    machine.post(&format!("{path}/ship"), json!({ "expectedVersion": 3 })).is(200);
    let lines = [("2", 0), ("1", 1)]
        .map(|(quantity, index)| json!({ "itemId": read["items"][index]["id"], "quantity": quantity }));
    machine.post(&format!("{path}/receive"), json!({ "expectedVersion": 4, "items": lines })).is(200);
    assert_eq!(machine.get(&path).is(200)["status"], "RECEIVED");
    let reader = shop.machine(&["inventory.read"]);
    reader.get(&path).is(200);
    reader
        .post(&format!("{path}/cancel"), json!({ "expectedVersion": 5, "reason": "No" }))
        .refused(403, "SCOPE_DENIED");
    shop.verified();
}

fn an_open_order_keeps_its_warehouses(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_) = (&road.shop, road.shop.counted(0));
    shop.stock_up(&road.from, &box_, "1");
    let order = road.draft(json!([line(&box_, "1")])).is(201).id();
    road.go(&order, "approve", json!({})).is(200);
    // [E3]
    for place in [&road.to, &road.transit] {
        shop.archive(&format!("inventory/warehouses/{place}")).refused(409, "ILLEGAL_STATE");
    }
    road.go(&order, "cancel", json!({ "reason": "No" })).is(200);
    let draft = road.draft(json!([line(&box_, "1")])).is(201).id();
    shop.archive(&format!("inventory/warehouses/{}", road.to)).is(200);
    road.go(&draft, "approve", json!({})).refused(409, "ARCHIVED").at("/toWarehouseId");
    road.draft(json!([line(&box_, "1")])).refused(409, "REFERENCE_INVALID").at("/toWarehouseId");
}

fn faults_of_bodies(database: Database) {
    let road = Road::new(company(database));
    let (shop, box_) = (&road.shop, road.shop.counted(0));
    let untracked = shop.article(&fresh("NONE-")).1;
    road.draft(json!([])).refused(400, "VALIDATION_FAILED").at("/items");
    road.draft(json!([line(&box_, "1"), line(&box_, "2")])).refused(400, "VALIDATION_FAILED").at("/items/1/variantId");
    for wrong in ["0", "-1", "1e2", "1.0000001", "1000000000000"] {
        road.draft(json!([line(&box_, wrong)])).refused(400, "VALIDATION_FAILED").at("/items/0/quantity");
    }
    road.draft(json!([line(&untracked, "1")])).refused(409, "ILLEGAL_STATE").at("/items/0/variantId");
    road.draft(json!([line(&uuid::Uuid::now_v7().to_string(), "1")]))
        .refused(404, "NOT_FOUND")
        .at("/items/0/variantId");
    let too_many: Vec<Json> = (0..101).map(|_| line(&box_, "1")).collect();
    road.draft(json!(too_many)).refused(400, "VALIDATION_FAILED").at("/items");
    shop.stock_up(&road.from, &box_, "1");
    let order = road.draft(json!([line(&box_, "1")])).is(201).id();
    road.go(&order, "ship", json!({})).is(200);
    let zeros = json!([{ "itemId": road.line(&order), "quantity": "0" }]);
    road.go(&order, "receive", json!({ "items": zeros })).refused(400, "VALIDATION_FAILED").at("/items/0");
    let unknown = json!([{ "itemId": uuid::Uuid::now_v7(), "quantity": "1" }]);
    road.go(&order, "receive", json!({ "items": unknown })).refused(404, "NOT_FOUND").at("/items/0/itemId");
    let other = road.draft(json!([line(&box_, "1")])).is(201).id();
    let foreign = json!([{ "itemId": road.line(&other), "quantity": "1" }]);
    road.go(&order, "receive", json!({ "items": foreign })).refused(409, "REFERENCE_INVALID").at("/items/0/itemId");
    shop.get(&format!("inventory/transfer-orders/{}", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
    company(database).get(&format!("inventory/transfer-orders/{order}")).refused(404, "NOT_FOUND");
}

fn lists_of_orders(database: Database) {
    let road = Road::new(company(database));
    let (shop, one, two) = (&road.shop, road.shop.counted(0), road.shop.counted(0));
    let first = road.draft(json!([line(&one, "1")])).is(201).id();
    let second = road.draft(json!([line(&two, "1"), line(&one, "1")])).is(201).id();
    let found = |query: &[(&str, &str)]| shop.list("inventory/transfer-orders", query).is(200).ids();
    assert_eq!(found(&[]), [first.clone(), second.clone()]);
    assert_eq!(found(&[("variantId", &two)]), std::slice::from_ref(&second));
    assert_eq!(found(&[("number", "0002")]), std::slice::from_ref(&second));
    assert_eq!(found(&[("fromWarehouseId", &road.from), ("limit", "1")]), [first]);
    assert!(found(&[("toWarehouseId", &road.from)]).is_empty());
    road.go(&second, "cancel", json!({ "reason": "No" })).is(200);
    let cancelled = shop.list("inventory/transfer-orders", &[("status", "CANCELLED")]).is(200);
    assert_eq!(cancelled.ids(), [second]);
    assert_eq!(cancelled.items()[0]["itemCount"], 2);
}
