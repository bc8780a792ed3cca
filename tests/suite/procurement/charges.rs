//! Import charges: stated, allocated with the receipt or after it, and dealt exactly over the goods, wherever they are now.
//! [E122]..[E124], [E127]..[E130]

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::services::inventory::{Call, Delivered, DeliveryLine, ReserveLine, Reserved, SalesOrder};
use stoa_tests::services::{self, key, keys, new_key};
use stoa_tests::{Answer, Company, Database, on_both_databases};

on_both_databases![
    e122_ten_over_three_units,
    allocations_with_a_receipt_fit_it,
    without_books_a_charge_is_dealt_to_the_twelfth_digit,
];

on_both_databases![
    rules:
    e123_what_was_sold_takes_its_part,
    e124_never_above_the_rest,
    e127_receipt_items_of_the_order,
    e128_a_charge_over_two_receipts,
    e129_a_charge_known_in_time_is_one_entry,
    e130_a_charge_is_never_below_what_is_allocated,
    charges_begin_and_end,
    totals_tell_what_is_landed,
    a_charge_of_a_shipment_stays_with_it,
    costs_of_charges_are_reported_to_who_may_know,
];

/// Receives lines of a fresh shipment that brings all of them: the receipt.
#[track_caller]
fn land(order: &Order, quantities: &[(usize, &str)], members: Json) -> Answer {
    let shipment = order.clear(quantities);
    let items: Vec<Json> = quantities.iter().map(|(index, quantity)| order.goods(*index, quantity)).collect();
    let fixed = json!({ "shipmentId": shipment });
    order.receive_with(json!(items), with(&fixed, members)).is(201)
}

/// The items of a receipt.
fn items(order: &Order, receipt: &Answer) -> Vec<String> {
    let read = order.buyer.receipt(&receipt.id());
    let items = read["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["id"].as_str().unwrap_or_default().to_string()).collect()
}

/// The charge of this id as the order shows it.
fn charge(order: &Order, id: &str) -> Json {
    let read = order.read_import();
    let found = read["charges"].as_array().into_iter().flatten().find(|charge| charge["id"] == id);
    found.unwrap_or_else(|| panic!("no charge {id}: {read}")).clone()
}

/// Sells goods through the services of inventory: what they cost.
fn sell(shop: &Company, warehouse: &str, variant: &str, quantity: &str, units: &[String]) -> String {
    let order = SalesOrder { id: new_key(), number: fresh("SO-") };
    let line = ReserveLine {
        line: new_key(),
        variant_id: key(variant),
        quantity: quantity.to_string(),
        unit_ids: keys(units),
    };
    let held: Vec<Reserved> = shop.call_inventory(Call::Reserve(order.clone(), key(warehouse), vec![line]));
    let lines =
        held.iter().map(|held| DeliveryLine { reservation_id: held.reservation_id, sale_allocation_id: new_key() });
    let sold: Vec<Delivered> = shop.call_inventory(Call::Deliver(order, lines.collect()));
    sold[0].cost.clone().unwrap_or_default()
}

fn e122_ten_over_three_units(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (phone, box_) = (shop.phone(), shop.counted(0));
    let order = buyer.place_import(json!([line(&phone, "3", "1"), line(&box_, "3", "1")]));
    let shipment = order.clear(&[(0, "3"), (1, "3")]);
    let lines = json!([order.units(0, serials(&fresh_serials(3))), order.goods(1, "3")]);
    let receipt = order.receive_with(lines, json!({ "shipmentId": shipment })).is(201);
    let charge = order.charge("20");
    let received = items(&order, &receipt);
    order.allocate(&charge, &[(&received[0], "10"), (&received[1], "10")]).is(201);
    let mut costs: Vec<String> = shop
        .all("inventory/cost-layers", &[("variantId", &phone)])
        .iter()
        .map(|layer| layer["unitCost"].as_str().unwrap_or_default().to_string())
        .collect();
    costs.sort();
    assert_eq!(costs, ["4.333333000000", "4.333333000000", "4.333334000000"]);
    // A quantity likewise: one piece bears the millionth that is left over.
    assert_eq!((shop.worth(&phone).as_str(), shop.worth(&box_).as_str()), ("13.000000000000", "13.000000000000"));
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                           debit  credit
        1  1200 Inventory                        6
           2100 Goods received not invoiced              6
        2  1200 Inventory                       20
           2150 Import charges                          20
    ");
    let entries = shop.all("ledger/journal-entries", &[("legalEntityId", &shop.entity())]);
    assert_eq!(
        (&entries[1]["sourceKind"], &entries[1]["purpose"]),
        (&json!("CHARGE_ALLOCATION"), &json!("ALLOCATION"))
    );
    shop.verified();
}

fn e123_what_was_sold_takes_its_part(database: Database) {
    let shop = services::host(database).company_with(json!({ "keepsBooks": true }));
    let buyer = Buyer::from_shop(shop.clone());
    let box_ = shop.counted(0);
    let order = buyer.place_import(json!([line(&box_, "3", "1")]));
    let receipt = land(&order, &[(0, "3")], json!({}));
    assert_eq!(sell(&shop, &buyer.main, &box_, "1", &[]), "1.000000000000");
    let charge_id = order.charge("10");
    order.allocate(&charge_id, &[(&items(&order, &receipt)[0], "10")]).is(201);
    // 10 = 3 x 3.333333 and a millionth, which goes to what is gone. The sale's own entry is the seller's.
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                              debit  credit
        1  1200 Inventory                           3
           2100 Goods received not invoiced                 3
        2  1200 Inventory                    6.666666
           5000 Cost of goods sold           3.333334
           2150 Import charges                             10
    ");
    let reported = charge(&order, &charge_id);
    let destinations = reported["allocations"][0]["destinations"].to_string();
    assert!(
        destinations.contains("SOLD") && destinations.contains("3.333334") && destinations.contains("6.666666"),
        "{reported}"
    );
    assert_eq!(reported["allocations"][0]["amount"], "10.000000");
    // Later sales carry the raised cost.
    assert_eq!(sell(&shop, &buyer.main, &box_, "2", &[]), "8.666666000000");
    assert_eq!(shop.worth(&box_), "0.000000000000");
}

fn e124_never_above_the_rest(database: Database) {
    let buyer = Buyer::with_books(database);
    let order =
        buyer.place_import(json!([line(&buyer.shop.counted(0), "2", "1"), line(&buyer.shop.counted(0), "2", "1")]));
    let receipt = land(&order, &[(0, "2"), (1, "2")], json!({}));
    let received = items(&order, &receipt);
    let charge_id = order.charge("10");
    let refuse = |parts: &[(&str, &str)]| {
        let before = buyer.shop.records();
        order.allocate(&charge_id, parts).refused(409, "LIMIT_EXCEEDED");
        assert_eq!(buyer.shop.records(), before, "nothing was written");
    };
    refuse(&[(&received[0], "10.000001")]);
    refuse(&[(&received[0], "5"), (&received[1], "5.000001")]);
    let part = json!([{ "receiptItemId": received[0], "amount": "1" }]);
    let stale = json!({ "expectedVersion": 1, "allocations": part });
    order.import_post(&format!("charges/{charge_id}/allocations"), stale).refused(409, "VERSION_CONFLICT");
    order.allocate(&charge_id, &[(&received[0], "9.999999")]).is(201);
    assert_eq!(charge(&order, &charge_id)["status"], "PARTIALLY_ALLOCATED");
    refuse(&[(&received[1], "0.000002")]);
    order.allocate(&charge_id, &[(&received[1], "0.000001")]).is(201);
    let reported = charge(&order, &charge_id);
    assert_eq!((&reported["status"], &reported["allocatedAmount"]), (&json!("ALLOCATED"), &json!("10.000000")));
    let twice = order.allocate(&charge_id, &[(&received[0], "1"), (&received[0], "1")]);
    twice.refused(400, "VALIDATION_FAILED").fault("/allocations/1/receiptItemId", "REPEATED");
    for wrong in ["0", "-1", "1.0000001"] {
        order
            .allocate(&charge_id, &[(&received[0], wrong)])
            .refused(400, "VALIDATION_FAILED")
            .at("/allocations/0/amount");
    }
    buyer.shop.verified();
}

fn e127_receipt_items_of_the_order(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (box_, service) = (shop.counted(0), shop.service());
    let order = buyer.place_import(json!([line(&box_, "2", "1"), line(&service, "1", "1")]));
    let other = buyer.place_import(json!([line(&box_, "2", "1")]));
    let receipt = land(&order, &[(0, "2"), (1, "1")], json!({}));
    let foreign = land(&other, &[(0, "2")], json!({}));
    let charge_id = order.charge("10");
    let refuse = |item: &str| {
        order.allocate(&charge_id, &[(item, "1")]).refused(409, "REFERENCE_INVALID").at("/allocations/0/receiptItemId");
    };
    refuse(&items(&other, &foreign)[0]);
    // A service has no stock to bear a cost.
    let read = buyer.receipt(&receipt.id());
    let untracked = read["items"].as_array().into_iter().flatten().find(|item| item["trackingMode"] == "NONE");
    refuse(untracked.and_then(|item| item["id"].as_str()).expect("a line of the service"));
    let absent = uuid::Uuid::now_v7().to_string();
    order.allocate(&charge_id, &[(&absent, "1")]).refused(404, "NOT_FOUND").at("/allocations/0/receiptItemId");
    // A charge is of its order.
    let received = items(&order, &receipt);
    other.allocate(&charge_id, &[(&received[0], "1")]).refused(404, "NOT_FOUND");
    order.allocate(&uuid::Uuid::now_v7().to_string(), &[(&received[0], "1")]).refused(404, "NOT_FOUND");
}

fn e128_a_charge_over_two_receipts(database: Database) {
    let buyer = Buyer::with_books(database);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place_import(json!([line(&box_, "4", "1")]));
    let first = land(&order, &[(0, "1")], json!({}));
    let second = land(&order, &[(0, "3")], json!({}));
    let charge_id = order.charge("7");
    order.allocate(&charge_id, &[(&items(&order, &first)[0], "2.5")]).is(201);
    let reported = charge(&order, &charge_id);
    assert_eq!(
        (&reported["status"], &reported["allocatedAmount"]),
        (&json!("PARTIALLY_ALLOCATED"), &json!("2.500000"))
    );
    order.allocate(&charge_id, &[(&items(&order, &second)[0], "4.5")]).is(201);
    let reported = charge(&order, &charge_id);
    assert_eq!((&reported["status"], reported["allocations"].as_array().map(Vec::len)), (&json!("ALLOCATED"), Some(2)));
    // 1 + 2.5 for the first piece, 3 x (1 + 1.5) for the others.
    assert_eq!(buyer.shop.worth(&box_), "11.000000000000");
    let amounts = [&first, &second].map(|receipt| buyer.receipt(&receipt.id())["items"][0]["chargeAmount"].clone());
    assert_eq!(json!(amounts), json!(["2.500000", "4.500000"]));
    // Final.
    order
        .import_put(&format!("charges/{charge_id}"), json!({ "type": "DUTY", "amount": "9" }))
        .refused(409, "ILLEGAL_STATE");
    order.import_post(&format!("charges/{charge_id}/cancel"), json!({})).refused(409, "ILLEGAL_STATE");
    buyer.shop.verified();
}

fn e129_a_charge_known_in_time_is_one_entry(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let (box_, service) = (shop.counted(0), shop.service());
    let order = buyer.place_import(json!([line(&box_, "3", "1"), line(&service, "1", "5")]));
    let (freight, duty) = (order.charge("10"), order.charge("3"));
    let allocated = |charge: &str, amount: &str| {
        let allocation = json!({ "orderItemId": order.item_id(0), "amount": amount });
        json!({ "chargeId": charge, "allocations": [allocation] })
    };
    let charges = json!({ "charges": [allocated(&freight, "10"), allocated(&duty, "2")] });
    let receipt = land(&order, &[(0, "3"), (1, "1")], charges);
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                           debit  credit
        1  1200 Inventory                       15
           5100 Purchases and services           5
           2100 Goods received not invoiced              8
           2150 Import charges                          12
    ");
    assert_eq!(shop.worth(&box_), "15.000000000000");
    let statuses = [&freight, &duty].map(|id| charge(&order, id)["status"].clone());
    assert_eq!(json!(statuses), json!(["ALLOCATED", "PARTIALLY_ALLOCATED"]));
    let read = buyer.receipt(&receipt.id());
    let goods = read["items"].as_array().into_iter().flatten().find(|item| item["variantId"] == box_.as_str());
    let goods = goods.expect("a line of the goods");
    // Landed cost changes what goods cost, never what is owed for them.
    assert_eq!(
        (&goods["chargeAmount"], &goods["unitCost"], &read["total"]),
        (&json!("12.000000"), &json!("1.000000"), &json!("8.000000000000"))
    );
    order.allocate(&duty, &[(goods["id"].as_str().unwrap_or_default(), "1")]).is(201);
    assert_eq!(shop.worth(&box_), "16.000000000000");
    shop.verified();
}

fn e130_a_charge_is_never_below_what_is_allocated(database: Database) {
    let buyer = Buyer::with_books(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "2", "1")]));
    let receipt = land(&order, &[(0, "2")], json!({}));
    let charge_id = order.charge("10");
    order.allocate(&charge_id, &[(&items(&order, &receipt)[0], "4")]).is(201);
    let put =
        |amount: &str| order.import_put(&format!("charges/{charge_id}"), json!({ "type": "DUTY", "amount": amount }));
    put("3.999999").refused(409, "LIMIT_EXCEEDED").at("/amount");
    put("12").is(200);
    let reported = charge(&order, &charge_id);
    assert_eq!(
        (&reported["type"], &reported["amount"], &reported["status"]),
        (&json!("DUTY"), &json!("12.000000"), &json!("PARTIALLY_ALLOCATED"))
    );
    // Lowered to what is allocated, nothing is left of it.
    put("4").is(200);
    assert_eq!(charge(&order, &charge_id)["status"], "ALLOCATED");
    buyer.shop.verified();
}

fn charges_begin_and_end(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let lines = json!([line(&shop.counted(0), "2", "1")]);
    let draft = buyer.order(&shop.post("purchases/import-orders", buyer.body(lines.clone())).is(201).id());
    draft.try_charge(json!({ "type": "FREIGHT", "amount": "1" })).refused(409, "ILLEGAL_STATE");
    let order = buyer.place_import(lines);
    let forwarder = shop.new_supplier();
    let members = json!({
        "type": "INSURANCE", "amount": "1.5", "description": "All risks", "supplierId": forwarder, "reference": "P-7",
    });
    let before = order.version();
    let answer = order.try_charge(members.clone()).is(201);
    assert_eq!(answer["version"].as_i64(), before.as_i64().map(|version| version + 1));
    let id = answer.text("chargeId");
    let reported = charge(&order, &id);
    for (member, value) in [
        ("type", json!("INSURANCE")),
        ("amount", json!("1.500000")),
        ("description", json!("All risks")),
        ("supplierId", json!(forwarder)),
        ("reference", json!("P-7")),
        ("shipmentId", Json::Null),
        ("allocatedAmount", json!("0.000000")),
        ("status", json!("ESTIMATED")),
        ("allocations", json!([])),
    ] {
        assert_eq!(reported[member], value, "{member}: {reported}");
    }
    for (changes, pointer) in [
        (json!({ "amount": "0" }), "/amount"),
        (json!({ "amount": "1.0000001" }), "/amount"),
        (json!({ "type": "TIP" }), "/type"),
        (json!({ "description": "d".repeat(201) }), "/description"),
        (json!({ "reference": "r".repeat(121) }), "/reference"),
    ] {
        order.try_charge(with(&members, changes)).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    let absent = json!(uuid::Uuid::now_v7());
    for member in ["supplierId", "shipmentId"] {
        let refused = order.try_charge(with(&members, json!({ (member): absent })));
        refused.refused(404, "NOT_FOUND").at(&format!("/{member}"));
    }
    shop.archive(&format!("purchases/suppliers/{forwarder}")).is(200);
    order.try_charge(members).refused(409, "REFERENCE_INVALID").fault("/supplierId", "ARCHIVED");
    order.import_post(&format!("charges/{id}/cancel"), json!({})).is(200);
    assert_eq!(charge(&order, &id)["status"], "CANCELLED");
    order.import_post(&format!("charges/{id}/cancel"), json!({})).refused(409, "ILLEGAL_STATE");
    order.import_put(&format!("charges/{id}"), json!({ "type": "DUTY", "amount": "9" })).refused(409, "ILLEGAL_STATE");
    let receipt = land(&order, &[(0, "2")], json!({}));
    order.allocate(&id, &[(&items(&order, &receipt)[0], "1")]).refused(409, "ILLEGAL_STATE");
    shop.verified();
}

fn totals_tell_what_is_landed(database: Database) {
    let buyer = Buyer::with_books(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "2", "10")]));
    let (freight, duty, gone) = (order.charge("5"), order.charge("3"), order.charge("100"));
    order.import_post(&format!("charges/{gone}/cancel"), json!({})).is(200);
    let totals = || {
        let read = order.read_import();
        ["total", "landedTotal", "estimatedTotal"].map(|member| read[member].as_str().unwrap_or_default().to_string())
    };
    assert_eq!(totals(), ["20.000000000000", "20.000000000000", "28.000000000000"]);
    let receipt = land(&order, &[(0, "2")], json!({}));
    let received = items(&order, &receipt);
    order.allocate(&freight, &[(&received[0], "5")]).is(201);
    order.allocate(&duty, &[(&received[0], "1")]).is(201);
    assert_eq!(totals(), ["20.000000000000", "26.000000000000", "28.000000000000"]);
    buyer.shop.verified();
}

fn a_charge_of_a_shipment_stays_with_it(database: Database) {
    let buyer = Buyer::with_books(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "4", "1")]));
    let (first, second) = (order.clear(&[(0, "2")]), order.clear(&[(0, "2")]));
    let receive = |shipment: &str| {
        let receipt = order.receive_with(json!([order.goods(0, "2")]), json!({ "shipmentId": shipment })).is(201);
        items(&order, &receipt).remove(0)
    };
    let (of_first, of_second) = (receive(&first), receive(&second));
    let members = json!({ "type": "HANDLING", "amount": "4", "shipmentId": first });
    let id = order.try_charge(members).is(201).text("chargeId");
    assert_eq!(charge(&order, &id)["shipmentId"], json!(first));
    order.allocate(&id, &[(&of_second, "1")]).refused(409, "REFERENCE_INVALID").at("/allocations/0/receiptItemId");
    order.allocate(&id, &[(&of_first, "4")]).is(201);
    buyer.shop.verified();
}

fn allocations_with_a_receipt_fit_it(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let order = buyer.place_import(json!([
        line(&shop.counted(0), "3", "1"),
        line(&shop.counted(0), "3", "1"),
        line(&shop.service(), "1", "1")
    ]));
    let charge_id = order.charge("10");
    let shipment = order.clear(&[(0, "3"), (1, "3"), (2, "1")]);
    let lines = json!([order.goods(0, "3"), order.goods(2, "1")]);
    let receive = |allocations: Json| {
        let charges = json!([{ "chargeId": charge_id, "allocations": allocations }]);
        order.receive_with(lines.clone(), json!({ "shipmentId": shipment, "charges": charges }))
    };
    let allocation = |index: usize, amount: &str| json!({ "orderItemId": order.item_id(index), "amount": amount });
    let pointer = "/charges/0/allocations/0/orderItemId";
    // Not in this receipt; in it, and nothing that bears a cost.
    receive(json!([allocation(1, "1")])).refused(409, "REFERENCE_INVALID").at(pointer);
    receive(json!([allocation(2, "1")])).refused(409, "REFERENCE_INVALID").at(pointer);
    receive(json!([allocation(0, "10.000001")])).refused(409, "LIMIT_EXCEEDED");
    receive(json!([allocation(0, "1"), allocation(0, "1")]))
        .refused(400, "VALIDATION_FAILED")
        .at("/charges/0/allocations/1/orderItemId");
    assert_eq!(shop.count("inventory_movement", "1 = 1"), 0);
    receive(json!([allocation(0, "4")])).is(201);
    assert_eq!(charge(&order, &charge_id)["allocatedAmount"], "4.000000");
    shop.verified();
}

fn costs_of_charges_are_reported_to_who_may_know(database: Database) {
    let buyer = Buyer::with_books(database);
    let order = buyer.place_import(json!([line(&buyer.shop.counted(0), "2", "1")]));
    let receipt = land(&order, &[(0, "2")], json!({}));
    let charge_id = order.charge("10");
    order.allocate(&charge_id, &[(&items(&order, &receipt)[0], "4")]).is(201);
    let clerk = buyer.as_person(&buyer.shop.colleague(&["purchases.read"]));
    let read = clerk.order(&order.id).read_import();
    assert!(read["charges"][0]["allocations"][0].get("destinations").is_none_or(Json::is_null), "{read}");
    assert_eq!(read["charges"][0]["allocations"][0]["amount"], "4.000000");
    let read = clerk.receipt(&receipt.id());
    assert!(read["items"][0].get("chargeAmount").is_none_or(Json::is_null), "{read}");
    let clerk = buyer.as_person(&buyer.shop.colleague(&["purchases.read", "reports.cost.read"]));
    assert_eq!(clerk.receipt(&receipt.id())["items"][0]["chargeAmount"], "4.000000");
    // Allocating moves costs of stock: who only buys may not.
    let buying = buyer.as_person(&buyer.shop.colleague(&["purchases.read", "purchases.create"]));
    let item = items(&order, &receipt).remove(0);
    buying.order(&order.id).allocate(&charge_id, &[(&item, "1")]).refused(403, "PERMISSION_DENIED");
}

fn without_books_a_charge_is_dealt_to_the_twelfth_digit(database: Database) {
    let buyer = Buyer::new(database);
    let phone = buyer.shop.phone();
    let order = buyer.place_import(json!([line(&phone, "3", "1")]));
    let charge_id = order.charge("10");
    let shipment = order.clear(&[(0, "3")]);
    let charges =
        json!([{ "chargeId": charge_id, "allocations": [{ "orderItemId": order.item_id(0), "amount": "10" }] }]);
    let lines = json!([order.units(0, serials(&fresh_serials(3)))]);
    order.receive_with(lines, json!({ "shipmentId": shipment, "charges": charges })).is(201);
    let mut costs: Vec<String> = buyer
        .shop
        .all("inventory/cost-layers", &[("variantId", &phone)])
        .iter()
        .map(|layer| layer["unitCost"].as_str().unwrap_or_default().to_string())
        .collect();
    costs.sort();
    assert_eq!(costs, ["4.333333333333", "4.333333333333", "4.333333333334"]);
    assert_eq!(buyer.shop.worth(&phone), "13.000000000000");
    assert_eq!(buyer.shop.count("ledger_entry", "1 = 1"), 0);
    buyer.shop.verified();
}
