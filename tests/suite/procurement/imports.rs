//! Import orders: their header, stages, shipments and receipts by shipment. [E118]..[E121], [E126], [E131]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    an_import_is_an_order_with_a_header,
    e118_goods_enter_stock_once_cleared,
    e119_shipments_up_to_what_was_ordered,
    e120_stages_go_forward,
    e121_two_shipments,
    e126_an_import_is_replaced_as_one,
    e131_what_a_cancelled_shipment_held_is_shipped_anew,
    an_approved_import_keeps_what_was_agreed,
    a_shipment_is_replaced_while_it_is_planned,
    a_receipt_is_of_one_shipment,
    a_cancelled_order_ends_its_shipments,
    imports_are_listed_by_stage_and_arrival,
    keys_follow_shipments,
    faults_of_shipments,
];

const PATH: &str = "purchases/import-orders";

/// Every member of the header.
fn header() -> Json {
    json!({
        "incoterm": "FOB", "transportMode": "SEA", "originCountry": "CN", "originPort": "Shenzhen",
        "destinationPort": "Hamburg", "customsReference": "MRN 23DE1234",
    })
}

fn draft(buyer: &Buyer, items: Json, members: Json) -> Order {
    let made = buyer.shop.post(PATH, with(&buyer.body(items), members));
    buyer.order(&made.is(201).id())
}

fn receive(order: &Order, shipment: &str, lines: &[(usize, &str)]) -> Answer {
    let items: Vec<Json> = lines.iter().map(|(index, quantity)| order.goods(*index, quantity)).collect();
    order.receive_with(json!(items), json!({ "shipmentId": shipment }))
}

/// The shipment of this id as the order shows it.
fn shipment(order: &Order, id: &str) -> Json {
    let read = order.read_import();
    let found = read["shipments"].as_array().into_iter().flatten().find(|shipment| shipment["id"] == id);
    found.unwrap_or_else(|| panic!("no shipment {id}: {read}")).clone()
}

fn an_import_is_an_order_with_a_header(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "3", "10")]);
    let order = draft(&buyer, items.clone(), header());
    let read = order.read_import();
    assert_eq!(read.header("cache-control"), Some("no-store"));
    for (member, value) in header().as_object().into_iter().flatten() {
        assert_eq!(read[member.as_str()], *value, "{member}");
    }
    for (member, value) in [
        ("kind", json!("IMPORT")),
        ("status", json!("DRAFT")),
        ("total", json!("30.000000000000")),
        ("landedTotal", json!("30.000000000000")),
        ("estimatedTotal", json!("30.000000000000")),
        ("shipments", json!([])),
        ("charges", json!([])),
    ] {
        assert_eq!(read[member], value, "{member}: {read}");
    }
    // The same document, by the same id, numbered in the same row.
    assert_eq!(order.read()["kind"], "IMPORT");
    assert_eq!(order.read()["number"], "PO-000001");
    assert_eq!(buyer.draft(items.clone()).read()["number"], "PO-000002");
    let bare = draft(&buyer, items.clone(), json!({}));
    for member in ["incoterm", "transportMode", "originCountry", "originPort", "destinationPort", "customsReference"] {
        assert_eq!(bare.read_import()[member], Json::Null, "{member}");
    }
    let standard = buyer.draft(items.clone());
    shop.get(&standard.import_path()).refused(404, "NOT_FOUND");
    for (member, wrong) in [
        ("incoterm", json!("XXX")),
        ("transportMode", json!("PIPE")),
        ("originCountry", json!("XX")),
        ("originPort", json!("p".repeat(101))),
    ] {
        let refused = shop.post(PATH, with(&buyer.body(items.clone()), json!({ (member): wrong })));
        refused.refused(400, "VALIDATION_FAILED").at(&format!("/{member}"));
    }
    let events: Vec<Json> = shop.events_like("procurement.order.created").into_iter().map(|(.., data)| data).collect();
    assert_eq!(events[0]["kind"], "IMPORT");
    shop.verified();
}

fn e118_goods_enter_stock_once_cleared(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place_import(json!([line(&box_, "4", "10")]));
    let id = order.ship(&[(0, "4")]);
    order.receive(json!([order.goods(0, "1")])).refused(400, "VALIDATION_FAILED").at("/shipmentId");
    order
        .receive_with(json!([order.goods(0, "1")]), json!({ "shipmentId": null }))
        .refused(400, "VALIDATION_FAILED")
        .at("/shipmentId");
    for stage in ["SHIPPED", "ARRIVED", "CUSTOMS", "CLEARED"] {
        receive(&order, &id, &[(0, "4")]).refused(409, "ILLEGAL_STATE");
        order.advance(&id, stage).is(200);
        assert_eq!(shipment(&order, &id)["stage"], stage);
    }
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "incoming": 4 }));
    let receipt = receive(&order, &id, &[(0, "4")]).is(201).id();
    assert_eq!(buyer.receipt(&receipt)["shipmentId"], json!(id));
    assert_eq!((order.status().as_str(), &shipment(&order, &id)["stage"]), ("RECEIVED", &json!("RECEIVED")));
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "onHand": 4, "available": 4 }));
    buyer.shop.verified();
}

fn e119_shipments_up_to_what_was_ordered(database: Database) {
    let buyer = Buyer::new(database);
    let order =
        buyer.place_import(json!([line(&buyer.shop.counted(1), "4", "10"), line(&buyer.shop.counted(0), "2", "1")]));
    order.ship(&[(0, "3"), (1, "1")]);
    let refused = order.try_ship(&[(1, "1"), (0, "1.1")]).refused(409, "LIMIT_EXCEEDED");
    refused.at("/items/1/quantity");
    order.ship(&[(0, "1"), (1, "1")]);
    order.try_ship(&[(0, "0.1")]).refused(409, "LIMIT_EXCEEDED");
    let listed = buyer.shop.list("purchases/incoming", &[]).is(200);
    let reported: Vec<(&Json, &Json)> =
        listed.items().iter().map(|item| (&item["kind"], &item["shippedQuantity"])).collect();
    // Planned is not under way.
    assert_eq!(reported, [(&json!("IMPORT"), &json!("0.000000")), (&json!("IMPORT"), &json!("0.000000"))]);
    buyer.shop.verified();
}

fn e120_stages_go_forward(database: Database) {
    let buyer = Buyer::new(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "10")]));
    let id = order.ship(&[(0, "4")]);
    order.advance(&id, "PLANNED").refused(409, "ILLEGAL_STATE");
    let version = order.version();
    let answer = order.advance(&id, "ARRIVED").is(200);
    assert_eq!(
        answer["version"].as_i64(),
        version.as_i64().map(|version| version + 1),
        "every write raises the order's"
    );
    for backward in ["ARRIVED", "SHIPPED", "PLANNED"] {
        order.advance(&id, backward).refused(409, "ILLEGAL_STATE");
    }
    // Only a receipt receives.
    let refused = order.advance(&id, "RECEIVED");
    assert!([400, 409].contains(&refused.status), "{refused}");
    order
        .import_post(
            &format!("shipments/{id}/advance"),
            json!({ "stage": "CLEARED", "occurredOn": "2026-02-01", "note": "Ship-side" }),
        )
        .is(200);
    let history = shipment(&order, &id)["history"].clone();
    let reported: Vec<(&Json, &Json, &Json)> = history
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| (&step["stage"], &step["occurredOn"], &step["note"]))
        .collect();
    let reported = reported[reported.len() - 2..].to_vec();
    assert_eq!(
        reported,
        [
            (&json!("ARRIVED"), &json!("2026-01-15"), &Json::Null),
            (&json!("CLEARED"), &json!("2026-02-01"), &json!("Ship-side")),
        ]
    );
    assert!(history[0]["at"].is_string());
    receive(&order, &id, &[(0, "1")]).is(201);
    order.advance(&id, "CANCELLED").refused(409, "ILLEGAL_STATE");
    let absent = uuid::Uuid::now_v7().to_string();
    order.advance(&absent, "SHIPPED").refused(404, "NOT_FOUND");
    let other = buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "10")]));
    let foreign = other.ship(&[(0, "1")]);
    order.advance(&foreign, "SHIPPED").refused(404, "NOT_FOUND");
}

fn e121_two_shipments(database: Database) {
    let buyer = Buyer::new(database);
    let (box_, phone) = (buyer.shop.counted(0), buyer.shop.phone());
    let order = buyer.place_import(json!([line(&box_, "10", "1"), line(&phone, "2", "100")]));
    let (first, second) = (order.clear(&[(0, "6")]), order.clear(&[(0, "4"), (1, "2")]));
    receive(&order, &first, &[(0, "7")]).refused(409, "LIMIT_EXCEEDED").at("/items/0/quantity");
    receive(&order, &first, &[(0, "6")]).is(201);
    assert_eq!(
        (order.status().as_str(), &shipment(&order, &first)["stage"]),
        ("PARTIALLY_RECEIVED", &json!("RECEIVED"))
    );
    receive(&order, &first, &[(0, "1")]).refused(409, "ILLEGAL_STATE");
    receive(&order, &second, &[(0, "3")]).is(201);
    assert_eq!(shipment(&order, &second)["stage"], "CLEARED");
    let received = |index: usize| shipment(&order, &second)["items"][index]["receivedQuantity"].clone();
    assert_eq!((received(0), received(1)), (json!("3.000000"), json!("0.000000")));
    receive(&order, &second, &[(0, "2")]).refused(409, "LIMIT_EXCEEDED").at("/items/0/quantity");
    let units = serials(&fresh_serials(2));
    let items = json!([order.goods(0, "1"), order.units(1, units)]);
    order.receive_with(items, json!({ "shipmentId": second })).is(201);
    assert_eq!((order.status().as_str(), &shipment(&order, &second)["stage"]), ("RECEIVED", &json!("RECEIVED")));
    buyer.shop.verified();
}

fn e126_an_import_is_replaced_as_one(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "4", "10")]);
    let order = draft(&buyer, items.clone(), header());
    order.replace(items.clone(), json!({})).refused(409, "ILLEGAL_STATE");
    let number = order.read()["number"].clone();
    let body = with(&buyer.body(json!([line(&buyer.shop.counted(0), "1", "2")])), json!({ "number": number }));
    let body = with(&body, json!({ "expectedVersion": 1, "incoterm": "CIF" }));
    buyer.shop.put(&order.import_path(), body).is(200);
    let read = order.read_import();
    assert_eq!(
        (&read["incoterm"], &read["transportMode"], &read["total"]),
        (&json!("CIF"), &Json::Null, &json!("2.000000000000"))
    );
    let standard = buyer.draft(items.clone());
    let body = with(&buyer.body(items), json!({ "number": standard.read()["number"], "expectedVersion": 1 }));
    buyer.shop.put(&standard.import_path(), body).refused(404, "NOT_FOUND");
}

fn e131_what_a_cancelled_shipment_held_is_shipped_anew(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place_import(json!([line(&box_, "4", "10")]));
    for stage in ["PLANNED", "SHIPPED", "ARRIVED", "CUSTOMS", "CLEARED"] {
        let id = order.ship(&[(0, "4")]);
        if stage != "PLANNED" {
            order.advance(&id, stage).is(200);
        }
        order.try_ship(&[(0, "1")]).refused(409, "LIMIT_EXCEEDED");
        order.advance(&id, "CANCELLED").is(200);
        assert_eq!(shipment(&order, &id)["stage"], "CANCELLED", "from {stage}");
        order.advance(&id, "SHIPPED").refused(409, "ILLEGAL_STATE");
        receive(&order, &id, &[(0, "1")]).refused(409, "ILLEGAL_STATE");
    }
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "incoming": 4 }));
    let id = order.clear(&[(0, "4")]);
    receive(&order, &id, &[(0, "4")]).is(201);
    assert_eq!(order.status(), "RECEIVED");
    buyer.shop.verified();
}

fn an_approved_import_keeps_what_was_agreed(database: Database) {
    let buyer = Buyer::new(database);
    let variant = buyer.shop.counted(0);
    let items = json!([line(&variant, "4", "10")]);
    let order = draft(&buyer, items.clone(), header());
    let number = order.read()["number"].clone();
    order.approve().is(200);
    let put = |members: Json| {
        let fixed = with(&header(), json!({ "number": number, "expectedVersion": order.version() }));
        buyer.shop.put(&order.import_path(), with(&with(&buyer.body(items.clone()), fixed), members))
    };
    let free = json!({
        "transportMode": "AIR", "originPort": "Guangzhou", "destinationPort": "Leipzig", "customsReference": "MRN 2",
        "notes": "By air", "expectedOn": "2027-05-01",
    });
    put(free.clone()).is(200);
    let read = order.read_import();
    for (member, value) in free.as_object().into_iter().flatten() {
        assert_eq!(read[member.as_str()], *value, "{member}");
    }
    assert_eq!(read["status"], "APPROVED");
    for (members, pointer) in [
        (json!({ "incoterm": "CIF" }), "/incoterm"),
        (json!({ "originCountry": "VN" }), "/originCountry"),
        (json!({ "currencyCode": "USD" }), "/currencyCode"),
        (json!({ "supplierId": buyer.shop.new_supplier() }), "/supplierId"),
        (json!({ "items": [line(&variant, "5", "10")] }), "/items"),
        (json!({ "items": [line(&variant, "4", "11")] }), "/items"),
    ] {
        let refused = put(members).refused(409, "IMMUTABLE_FIELD");
        assert!(refused.pointers().iter().any(|found| found.starts_with(pointer)), "{pointer}: {refused}");
    }
    order.cancel().is(200);
    put(json!({})).refused(409, "ILLEGAL_STATE");
}

fn a_shipment_is_replaced_while_it_is_planned(database: Database) {
    let buyer = Buyer::new(database);
    let order =
        buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "10"), line(&buyer.shop.counted(0), "4", "10")]));
    let full = json!({
        "number": "S-1", "reference": "BL 7", "carrier": "Line", "containers": ["MSKU1234567", "MSKU7654321"],
        "departsOn": "2026-01-01", "arrivesOn": "2026-02-01", "items": [order.goods(0, "2")],
    });
    let answer = order.import_post("shipments", full.clone()).is(201);
    let id = answer.text("shipmentId");
    let made = shipment(&order, &id);
    for member in ["number", "reference", "carrier", "containers", "departsOn", "arrivesOn"] {
        assert_eq!(made[member], full[member], "{member}");
    }
    let item = json!({ "orderItemId": order.item_id(0), "quantity": "2.000000", "receivedQuantity": "0.000000" });
    assert_eq!((&made["stage"], &made["items"]), (&json!("PLANNED"), &json!([item])));
    let path = format!("shipments/{id}");
    order.import_put(&path, json!({ "number": "S-1", "items": [order.goods(1, "4"), order.goods(0, "4")] })).is(200);
    let replaced = shipment(&order, &id);
    assert_eq!((&replaced["carrier"], &replaced["containers"]), (&Json::Null, &json!([])));
    assert_eq!(replaced["items"].as_array().map(Vec::len), Some(2));
    order.import_put(&path, json!({ "number": "S-1", "items": [order.goods(0, "5")] })).refused(409, "LIMIT_EXCEEDED");
    order.advance(&id, "SHIPPED").is(200);
    let same = json!({ "number": "S-1", "carrier": "Other line", "items": [order.goods(1, "4"), order.goods(0, "4")] });
    order.import_put(&path, same.clone()).is(200);
    assert_eq!(shipment(&order, &id)["carrier"], "Other line");
    let other = with(&same, json!({ "items": [order.goods(0, "4")] }));
    let refused = order.import_put(&path, other);
    let code = refused["code"].as_str().unwrap_or_default();
    assert!(refused.status == 409 && ["IMMUTABLE_FIELD", "ILLEGAL_STATE"].contains(&code), "{refused}");
    order.advance(&id, "CANCELLED").is(200);
    order.import_put(&path, same).refused(409, "ILLEGAL_STATE");
    let taken = order.import_post("shipments", json!({ "number": "s-1", "items": [order.goods(0, "1")] }));
    let taken = taken.refused(409, "DUPLICATE").at("/number");
    assert_eq!(taken.errors()[0]["conflictsWith"], json!(id), "{taken}");
}

fn a_receipt_is_of_one_shipment(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.counted(0), buyer.shop.counted(0));
    let order = buyer.place_import(json!([line(&one, "4", "10"), line(&two, "4", "10")]));
    let id = order.clear(&[(0, "4")]);
    let stray = receive(&order, &id, &[(1, "1")]);
    // Ordered, and not on this shipment.
    let code = stray["code"].as_str().unwrap_or_default().to_string();
    assert!(stray.status == 409 && ["REFERENCE_INVALID", "LIMIT_EXCEEDED"].contains(&code.as_str()), "{stray}");
    assert!(stray.pointers()[0].starts_with("/items/0"), "{stray}");
    let other = buyer.place_import(json!([line(&one, "4", "10")]));
    let foreign = other.clear(&[(0, "4")]);
    let refused = receive(&order, &foreign, &[(0, "1")]);
    assert!([404, 409].contains(&refused.status), "{refused}");
    refused.at("/shipmentId");
    receive(&order, &uuid::Uuid::now_v7().to_string(), &[(0, "1")]).refused(404, "NOT_FOUND").at("/shipmentId");
    buyer.shop.assert_level(&buyer.main, &one, json!({ "incoming": 8 }));
}

fn a_cancelled_order_ends_its_shipments(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place_import(json!([line(&box_, "10", "10")]));
    let (first, second, third) = (order.clear(&[(0, "3")]), order.clear(&[(0, "3")]), order.ship(&[(0, "2")]));
    receive(&order, &first, &[(0, "3")]).is(201);
    receive(&order, &second, &[(0, "1")]).is(201);
    order.cancel().is(200);
    let stages = [&first, &second, &third].map(|id| shipment(&order, id)["stage"].clone());
    assert_eq!(json!(stages), json!(["RECEIVED", "CANCELLED", "CANCELLED"]));
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "onHand": 4, "available": 4 }));
    order.try_ship(&[(0, "1")]).refused(409, "ILLEGAL_STATE");
    buyer.shop.verified();
}

fn imports_are_listed_by_stage_and_arrival(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let items = json!([line(&shop.counted(0), "4", "10")]);
    let (one, two) = (buyer.place_import(items.clone()), buyer.place_import(items.clone()));
    buyer.place(items);
    let ship = |order: &Order, arrives: &str| {
        let body = json!({ "number": fresh("S-"), "arrivesOn": arrives, "items": [order.goods(0, "4")] });
        order.import_post("shipments", body).is(201).text("shipmentId")
    };
    let (first, _) = (ship(&one, "2027-01-10"), ship(&two, "2027-01-20"));
    one.advance(&first, "CUSTOMS").is(200);
    let found = |query: &[(&str, &str)]| shop.list(PATH, query).is(200).ids();
    assert_eq!(found(&[]), [one.id.clone(), two.id.clone()]);
    assert_eq!(found(&[("stage", "CUSTOMS")]), std::slice::from_ref(&one.id));
    assert_eq!(found(&[("stage", "PLANNED")]), std::slice::from_ref(&two.id));
    assert!(found(&[("stage", "SHIPPED")]).is_empty());
    assert_eq!(found(&[("arrivesFrom", "2027-01-11")]), std::slice::from_ref(&two.id));
    assert_eq!(found(&[("arrivesFrom", "2027-01-01"), ("arrivesTo", "2027-01-10")]), std::slice::from_ref(&one.id));
    assert_eq!(found(&[("status", "APPROVED"), ("supplierId", &buyer.supplier)]).len(), 2);
    let page = shop.list(PATH, &[("limit", "1")]).is(200);
    assert_eq!((&page.items()[0]["itemCount"], page.items()[0].get("shipments")), (&json!(1), None));
}

fn keys_follow_shipments(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let machine = shop.machine(&["purchases.read", "purchases.write", "inventory.write"]);
    let body = with(&buyer.body(json!([line(&shop.counted(0), "4", "10")])), header());
    let order = buyer.order(&machine.post(PATH, body).is(201).id());
    order.approve().is(200);
    let post = |path: &str, members: Json| {
        machine.post(
            &format!("{}/{path}", order.import_path()),
            with(&json!({ "expectedVersion": order.version() }), members),
        )
    };
    let id = post("shipments", json!({ "number": "S-1", "items": [order.goods(0, "4")] })).is(201).text("shipmentId");
    post(&format!("shipments/{id}/advance"), json!({ "stage": "CLEARED", "occurredOn": "2026-01-15" })).is(200);
    let body = with(&order.receipt_body(json!([order.goods(0, "1")])), json!({ "shipmentId": id }));
    machine.post(&format!("{}/receipts", order.path()), body).is(201);
    let read = machine.get(&order.import_path()).is(200);
    for hidden in ["tenantId", "createdBy", "approvedBy", "billedQuantity", "destinations"] {
        assert!(!read.body.to_string().contains(hidden), "{hidden}: {read}");
    }
    assert_eq!(read["shipments"][0]["stage"], "CLEARED");
    // Charges are a person's.
    post("charges", json!({ "type": "FREIGHT", "amount": "1" })).refused(404, "NOT_FOUND");
}

fn faults_of_shipments(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "4", "10")]);
    let undecided = draft(&buyer, items.clone(), json!({}));
    undecided.try_ship(&[(0, "1")]).refused(409, "ILLEGAL_STATE");
    let order = buyer.place_import(items.clone());
    let goods = order.goods(0, "1");
    for (members, pointer) in [
        (json!({ "items": [] }), "/items"),
        (json!({ "items": [goods, goods] }), "/items/1/orderItemId"),
        (json!({ "number": "" }), "/number"),
        (json!({ "containers": ["c".repeat(21)] }), "/containers/0"),
        (json!({ "containers": vec!["c"; 51] }), "/containers"),
        (json!({ "carrier": "c".repeat(121) }), "/carrier"),
        (json!({ "departsOn": "2026-13-01" }), "/departsOn"),
    ] {
        let body = with(&json!({ "number": fresh("S-"), "items": [goods] }), members);
        order.import_post("shipments", body).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    let other = buyer.place_import(items);
    let foreign = json!({ "number": "S-9", "items": [other.goods(0, "1")] });
    order.import_post("shipments", foreign).refused(409, "REFERENCE_INVALID").at("/items/0/orderItemId");
    let stale = json!({ "expectedVersion": 1, "number": "S-9", "items": [goods] });
    order.import_post("shipments", stale).refused(409, "VERSION_CONFLICT");
    let standard = buyer.place(json!([line(&buyer.shop.counted(0), "4", "10")]));
    standard
        .import_post("shipments", json!({ "number": "S-9", "items": [standard.goods(0, "1")] }))
        .refused(404, "NOT_FOUND");
}
