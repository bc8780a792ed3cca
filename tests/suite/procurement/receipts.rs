//! Goods receipts: quantities and units, all or nothing, and what is refused. [E100]..[E104], [E107], [E109], [E112], [E113]

use serde_json::{Value as Json, json};
use stoa_tests::assert_table;
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::serials::imei;
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![
    e104_an_identity_stands_once_in_a_request,
    e107_a_condition_is_never_assumed,
    e109_the_answer_names_no_unit,
    e112_a_location_is_of_the_orders_warehouse,
    e113_a_hundred_units_are_one_event,
    identities_are_whole,
    imei_slots_are_one_space,
    receipts_are_listed_by_what_they_are,
];

on_both_databases![
    rules:
    e100_drafts_and_ended_orders_receive_nothing,
    e101_up_to_the_outstanding,
    e102_as_many_units_as_the_quantity,
    e103_one_known_unit_among_a_hundred_aborts_all,
    a_receipt_is_what_was_received,
    a_receipt_names_lines_of_its_order_once,
    at_most_a_hundred_units,
    an_archived_variant_is_received_and_an_archived_product_is_not,
    a_shipment_or_charge_is_of_imports,
    units_start_as_the_warehouse_is,
];

/// An approved order of that many phones.
fn order_phones(buyer: &Buyer, count: usize) -> Order {
    buyer.place(json!([line(&buyer.shop.phone(), &count.to_string(), "100")]))
}

fn e100_drafts_and_ended_orders_receive_nothing(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let draft = buyer.draft(json!([line(&box_, "1", "1")]));
    draft.receive(json!([draft.goods(0, "1")])).refused(409, "ILLEGAL_STATE");
    draft.cancel().is(200);
    draft.receive(json!([draft.goods(0, "1")])).refused(409, "ILLEGAL_STATE");
    let whole = buyer.place(json!([line(&box_, "1", "1")]));
    whole.receive(json!([whole.goods(0, "1")])).is(201);
    whole.receive(json!([whole.goods(0, "1")])).refused(409, "ILLEGAL_STATE");
    let stale = with(&whole.receipt_body(json!([whole.goods(0, "1")])), json!({ "expectedVersion": 2 }));
    whole.post_receipt(stale).refused(409, "VERSION_CONFLICT");
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "onHand": 1, "available": 1 }));
}

fn e101_up_to_the_outstanding(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (fine, box_) = (shop.counted(6), shop.counted(0));
    let order = buyer.place(json!([line(&fine, "2.5", "4"), line(&box_, "3", "2")]));
    let above = order.receive(json!([order.goods(1, "1"), order.goods(0, "2.500001")]));
    above.refused(409, "LIMIT_EXCEEDED").at("/items/1/quantity");
    order.receive(json!([order.goods(0, "1.000001"), order.goods(1, "3")])).is(201);
    assert_eq!(order.status(), "PARTIALLY_RECEIVED");
    assert_table!(shop.stock_table(&[(&fine, "fine"), (&box_, "box"), (&buyer.main, "MAIN")]), @r"
    article  warehouse   on hand  available  incoming
    fine     MAIN       1.000001   1.000001  1.499999
    box      MAIN              3          3         0
    ");
    for above in ["1.5", "1.500000", "2.5"] {
        order.receive(json!([order.goods(0, above)])).refused(409, "LIMIT_EXCEEDED").at("/items/0/quantity");
    }
    order.receive(json!([order.goods(1, "1")])).refused(409, "LIMIT_EXCEEDED").at("/items/0/quantity");
    let last = order.receive(json!([order.goods(0, "1.499999")])).is(201);
    // Created 1, approved 2, and twice received.
    assert_eq!((last["orderVersion"].clone(), order.status().as_str()), (json!(4), "RECEIVED"));
    let layers = shop.layers_table(&fine);
    assert_table!(layers, @r"
    quantity  unit cost  remaining     value  currency
    1.000001          4   1.000001  4.000004  EUR
    1.499999          4   1.499999  5.999996  EUR
    ");
    shop.verified();
}

fn e102_as_many_units_as_the_quantity(database: Database) {
    let buyer = Buyer::new(database);
    let (phone, box_, service) = (buyer.shop.phone(), buyer.shop.counted(0), buyer.shop.service());
    let order = buyer.place(json!([line(&phone, "3", "100"), line(&box_, "2", "1"), line(&service, "1", "1")]));
    let refuse = |index: usize, quantity: &str, units: usize| {
        let units = serials(&fresh_serials(units));
        let short = with(&order.goods(index, quantity), json!({ "units": units }));
        let first = if index == 1 { 0 } else { 1 };
        let items = if first == 0 { json!([short]) } else { json!([order.goods(1, "1"), short]) };
        let refused = order.receive(items).refused(409, "UNIT_COUNT_MISMATCH");
        let pointer = format!("/items/{first}/units");
        let refused = refused.fault(&pointer, "UNITS_DIFFER_FROM_QUANTITY");
        (refused.errors()[0]["required"].clone(), refused.errors()[0]["identified"].clone())
    };
    assert_eq!(refuse(0, "3", 2), (json!(3), json!(2)));
    assert_eq!(refuse(0, "1", 2), (json!(1), json!(2)));
    assert_eq!(refuse(0, "3", 0), (json!(3), json!(0)));
    assert_eq!(refuse(1, "2", 1), (json!(0), json!(1)));
    assert_eq!(refuse(2, "1", 1), (json!(0), json!(1)));
    buyer.shop.assert_level(&buyer.main, &phone, json!({ "incoming": 3 }));
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "incoming": 2 }));
    assert_eq!(order.version(), json!(2));
}

fn e103_one_known_unit_among_a_hundred_aborts_all(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (phone, box_) = (shop.phone(), shop.counted(0));
    let known = fresh_serials(1).remove(0);
    shop.try_admit(&phone, &buyer.main, Some("1"), serials(&[&known])).is(201);
    let items = json!([line(&box_, "5", "2"), line(&phone, "100", "100"), line(&shop.service(), "1", "1")]);
    let order = buyer.place(items);
    let mut numbers = fresh_serials(100);
    numbers[57] = known.to_lowercase();
    // Inventory does not have the service: its places are those of the request all the same.
    let items = json!([order.goods(2, "1"), order.goods(0, "5"), order.units(1, serials(&numbers))]);
    let body = order.receipt_body(items);
    let before = shop.records();
    let refused = order.post_receipt(body).refused(409, "DUPLICATE");
    assert_eq!(refused.pointers().len(), 1, "{refused}");
    assert!(refused.pointers()[0].starts_with("/items/2/units/57"), "{refused}");
    assert!(!refused.body.to_string().contains(&numbers[57]), "a refusal repeats nothing that was typed");
    assert_eq!(shop.records(), before, "nothing was written");
    assert_eq!((order.version(), order.status().as_str()), (json!(2), "APPROVED"));
    // One bad IMEI is one too.
    let mut units: Vec<Json> = (0..99).map(|n| json!({ "imei1": imei(71_000 + n) })).collect();
    units.push(json!({ "imei1": wrong_check_digit(71_999) }));
    let items = json!([order.units(1, json!(units))]);
    order.receive(items).refused(400, "VALIDATION_FAILED").at("/items/0/units/99/imei1");
    assert_eq!(shop.records(), before);
    numbers[57] = fresh_serials(1).remove(0);
    order.receive(json!([order.goods(0, "5"), order.units(1, serials(&numbers))])).is(201);
    shop.assert_level(&buyer.main, &phone, json!({ "onHand": 101, "available": 101 }));
    shop.verified();
}

/// An IMEI whose last digit is one too many.
fn wrong_check_digit(stem: u64) -> String {
    let good = imei(stem);
    let last = good.as_bytes()[14] - b'0';
    format!("{}{}", &good[..14], (last + 1) % 10)
}

fn e104_an_identity_stands_once_in_a_request(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.phone(), buyer.shop.phone());
    let order = buyer.place(json!([line(&one, "2", "100"), line(&two, "2", "100")]));
    let (a, b) = (imei(72_001), imei(72_002));
    let twice = json!([{ "imei1": a, "imei2": b }, { "serialNumber": "E104", "imei2": a }]);
    let refused = order.receive(json!([order.units(0, twice)])).refused(400, "VALIDATION_FAILED");
    refused.fault("/items/0/units/1", "REPEATED");
    // Over the lines of the request as well, serial numbers ignoring case.
    let (first, second) = (json!([{ "serialNumber": "Same" }]), json!([{ "imei1": a }, { "serialNumber": "sAME" }]));
    let refused = order.receive(json!([order.units(0, first), order.units(1, second)]));
    refused.refused(400, "VALIDATION_FAILED").fault("/items/1/units/1", "REPEATED");
    let both = json!([{ "imei1": a, "imei2": a }]);
    order
        .receive(json!([order.units(0, both)]))
        .refused(400, "VALIDATION_FAILED")
        .fault("/items/0/units/0", "REPEATED");
    assert_eq!(buyer.shop.count("inventory_unit", "1 = 1"), 0);
}

fn e107_a_condition_is_never_assumed(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let variants = shop.serialized(json!([
        { "sku": fresh("OPEN-") }, { "sku": fresh("USED-"), "condition": "USED", "grade": "B" }
    ]));
    let order = buyer.place(json!([line(&variants[0], "2", "100"), line(&variants[1], "2", "80")]));
    let receive = |index: usize, units: Json| order.receive(json!([order.units(index, units)]));
    let unit = |members: Json| with(&serials(&fresh_serials(1))[0], members);
    let refused = receive(0, json!([unit(json!({ "condition": "NEW" })), unit(json!({}))]));
    refused.refused(409, "UNIT_CONDITION_REQUIRED").at("/items/0/units/1/condition");
    let refused = receive(1, json!([unit(json!({ "condition": "NEW" }))]));
    refused.refused(409, "UNIT_CONDITION_MISMATCH").at("/items/0/units/0/condition");
    assert_eq!(order.version(), json!(2));
    receive(0, json!([unit(json!({ "condition": "AS_IS", "grade": "C" }))])).is(201);
    receive(1, json!([unit(json!({})), unit(json!({ "condition": "USED" }))])).is(201);
    let reported = |variant: &str| {
        let units = shop.all("inventory/units", &[("variantId", variant)]);
        units.iter().map(|unit| (unit["condition"].clone(), unit["grade"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(reported(&variants[0]), [(json!("AS_IS"), json!("C"))]);
    assert!(reported(&variants[1]).iter().all(|(condition, _)| condition == "USED"), "the SKU's is taken");
}

fn e109_the_answer_names_no_unit(database: Database) {
    let buyer = Buyer::new(database);
    let order = order_phones(&buyer, 2);
    let numbers = fresh_serials(2);
    let answer = order.receive(json!([order.units(0, serials(&numbers))])).is(201);
    let mut reported: Vec<&String> = answer.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    reported.sort();
    assert_eq!(reported, ["createdAt", "id", "items", "orderId", "orderVersion"]);
    for hidden in ["unit", "serial", numbers[0].as_str()] {
        assert!(!answer.tells(hidden), "{hidden}: {answer}");
    }
    assert_eq!((answer.text("orderId"), &answer["orderVersion"]), (order.id.clone(), &json!(3)));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

fn e112_a_location_is_of_the_orders_warehouse(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let order = order_phones(&buyer, 2);
    let (here, there, closed) =
        (shop.shelf(&buyer.main), shop.shelf(&shop.warehouse("PHYSICAL")), shop.shelf(&buyer.main));
    shop.archive(&format!("inventory/warehouses/{}/locations/{closed}", buyer.main)).is(200);
    let receive = |location: &str| {
        let items = json!([order.units(0, serials(&fresh_serials(1)))]);
        order.receive_with(items, json!({ "warehouseLocationId": location }))
    };
    receive(&there).refused(409, "REFERENCE_INVALID").at("/warehouseLocationId");
    receive(&closed).refused(409, "REFERENCE_INVALID").fault("/warehouseLocationId", "ARCHIVED");
    receive(&uuid::Uuid::now_v7().to_string()).refused(404, "NOT_FOUND").at("/warehouseLocationId");
    let receipt = receive(&here).is(201).id();
    assert_eq!(buyer.receipt(&receipt)["warehouseLocationId"], json!(here));
    assert_eq!(shop.list("inventory/units", &[("locationId", &here)]).is(200).items().len(), 1);
}

fn e113_a_hundred_units_are_one_event(database: Database) {
    let buyer = Buyer::with_books(database);
    let shop = &buyer.shop;
    let order = order_phones(&buyer, 100);
    let phone = order.item(0)["variantId"].as_str().expect("a variant").to_string();
    let receipt = order.receive(json!([order.units(0, serials(&fresh_serials(100)))])).is(201).id();
    let movements = shop.all("inventory/movements", &[("referenceId", &receipt), ("limit", "100")]);
    assert_eq!(movements.len(), 100);
    let item = buyer.receipt(&receipt)["items"][0]["id"].clone();
    for movement in &movements {
        assert_eq!(movement["movementType"], "PURCHASE_RECEIPT");
        assert_eq!((&movement["referenceType"], &movement["purchaseReceiptItemId"]), (&json!("GOODS_RECEIPT"), &item));
        assert_eq!((&movement["quantity"], &movement["toWarehouseId"]), (&json!("1.000000"), &json!(buyer.main)));
        assert_eq!((&movement["fromWarehouseId"], &movement["reason"]), (&Json::Null, &json!("a test")));
    }
    let received = shop.events_like("procurement.receipt.%");
    let expected = json!({
        "receiptId": receipt, "orderId": order.id, "orderVersion": 3, "warehouseId": buyer.main,
        "lines": [{ "variantId": phone, "quantity": "100.000000" }],
    });
    assert_eq!(received, [("procurement.receipt.created".to_string(), receipt.clone(), expected)]);
    let updated = shop.events_like("inventory.updated");
    assert_eq!(updated.len(), 1);
    assert_eq!(updated[0].2["onHand"], "100.000000");
    assert_eq!(shop.worth(&phone), "10000.000000000000");
    shop.verified();
}

fn a_receipt_is_what_was_received(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (box_, phone) = (shop.counted(1), shop.phone());
    let order = buyer.place(json!([line(&box_, "3", "1.25"), line(&phone, "2", "100.000001")]));
    let same = imei(73_001);
    let units = json!([{ "serialNumber": "A-1", "imei1": same }, { "imei2": imei(73_002), "grade": "A" }]);
    let items = json!([order.units(1, units), order.goods(0, "1.5")]);
    let answer = order.receive_with(items, json!({ "reason": " Delivery note 7 " })).is(201);
    let read = buyer.receipt(&answer.id());
    assert_eq!(read.header("cache-control"), Some("no-store"));
    // 2 x 100.000001 + 1.5 x 1.25
    for (member, value) in [
        ("tenantId", json!(shop.tenant)),
        ("orderId", json!(order.id)),
        ("shipmentId", Json::Null),
        ("supplierId", json!(buyer.supplier)),
        ("legalEntityId", json!(shop.entity())),
        ("warehouseId", json!(buyer.main)),
        ("warehouseLocationId", Json::Null),
        ("currencyCode", json!("EUR")),
        ("reason", json!("Delivery note 7")),
        ("total", json!("201.875002000000")),
        ("actorType", json!("USER")),
        ("requestId", json!(answer.header("x-request-id"))),
        ("createdAt", answer["createdAt"].clone()),
    ] {
        assert_eq!(read[member], value, "{member}: {read}");
    }
    let found = |variant: &str| {
        let items = read["items"].as_array().cloned().unwrap_or_default();
        items.into_iter().find(|item| item["variantId"] == variant).unwrap_or_else(|| panic!("no line: {read}"))
    };
    let (phones, boxes) = (found(&phone), found(&box_));
    for (item, index, tracking, quantity, cost, total, count) in [
        (&boxes, 0, "QUANTITY", "1.500000", "1.250000", "1.875000000000", 0),
        (&phones, 1, "SERIALIZED", "2.000000", "100.000001", "200.000002000000", 2),
    ] {
        assert_eq!(item["orderItemId"], json!(order.item_id(index)));
        assert_eq!((&item["trackingMode"], &item["quantity"]), (&json!(tracking), &json!(quantity)));
        assert_eq!((&item["unitCost"], &item["lineTotal"]), (&json!(cost), &json!(total)));
        assert_eq!((&item["unitCount"], &item["billedQuantity"]), (&json!(count), &json!("0.000000")));
        assert_eq!(item["chargeAmount"], "0.000000", "{item}");
    }
    let units = phones["units"].as_array().expect("units");
    let reported: Vec<(&Json, &Json, &Json)> =
        units.iter().map(|unit| (&unit["serialNumber"], &unit["imei1"], &unit["status"])).collect();
    assert!(reported.contains(&(&json!("A-1"), &json!(same), &json!("AVAILABLE"))), "{read}");
    assert_eq!(units.len(), 2);
    let unit = shop.serial_unit(units[0]["unitId"].as_str().expect("a unit"));
    assert_eq!(unit["purchaseReceiptItemId"], phones["id"]);
    // A receipt of another company is missing.
    company(database).get(&format!("purchases/receipts/{}", answer.id())).refused(404, "NOT_FOUND");
    shop.verified();
}

fn a_receipt_names_lines_of_its_order_once(database: Database) {
    let buyer = Buyer::new(database);
    let box_ = buyer.shop.counted(0);
    let (order, other) = (buyer.place(json!([line(&box_, "5", "1")])), buyer.place(json!([line(&box_, "5", "1")])));
    order.receive(json!([other.goods(0, "1")])).refused(409, "REFERENCE_INVALID").at("/items/0/orderItemId");
    let twice = json!([order.goods(0, "1"), order.goods(0, "2")]);
    order.receive(twice).refused(400, "VALIDATION_FAILED").fault("/items/1/orderItemId", "REPEATED");
    let absent = json!([{ "orderItemId": uuid::Uuid::now_v7(), "quantity": "1" }]);
    let refused = order.receive(absent);
    // It exists in no order: missing, or not this order's.
    assert!(
        [(404, "NOT_FOUND"), (409, "REFERENCE_INVALID")]
            .iter()
            .any(|(status, code)| refused.status == *status && refused["code"] == *code),
        "{refused}"
    );
    refused.at("/items/0/orderItemId");
    order.receive(json!([])).refused(400, "VALIDATION_FAILED").fault("/items", "TOO_FEW");
    let many: Vec<Json> = (0..101).map(|_| json!({ "orderItemId": uuid::Uuid::now_v7(), "quantity": "1" })).collect();
    order.receive(json!(many)).refused(400, "VALIDATION_FAILED").fault("/items", "TOO_MANY");
    for (member, wrong) in [("reason", json!("")), ("reason", json!("r".repeat(1001))), ("reason", Json::Null)] {
        let refused = order.receive_with(json!([order.goods(0, "1")]), json!({ (member): wrong }));
        refused.refused(400, "VALIDATION_FAILED").at("/reason");
    }
    for wrong in ["0", "-1", "1e2", "1.0000001"] {
        order.receive(json!([order.goods(0, wrong)])).refused(400, "VALIDATION_FAILED").at("/items/0/quantity");
    }
    let missing = format!("purchases/orders/{}/receipts", uuid::Uuid::now_v7());
    buyer.shop.post(&missing, order.receipt_body(json!([order.goods(0, "1")]))).refused(404, "NOT_FOUND");
    // A line dropped from a draft is not a line of it.
    let draft = buyer.draft(json!([line(&box_, "1", "1"), line(&buyer.shop.counted(0), "1", "1")]));
    let gone = draft.goods(1, "1");
    draft.replace(json!([line(&box_, "1", "1")]), json!({})).is(200);
    draft.approve().is(200);
    let refused = draft.receive(json!([gone]));
    assert!(["NOT_FOUND", "REFERENCE_INVALID"].contains(&refused["code"].as_str().unwrap_or_default()), "{refused}");
}

fn at_most_a_hundred_units(database: Database) {
    let buyer = Buyer::new(database);
    let (one, two) = (buyer.shop.phone(), buyer.shop.phone());
    let order = buyer.place(json!([line(&one, "101", "1"), line(&two, "60", "1")]));
    let many = json!([order.units(0, serials(&fresh_serials(101)))]);
    order.receive(many).refused(400, "VALIDATION_FAILED").fault("/items/0/units", "TOO_MANY");
    let spread = json!([order.units(0, serials(&fresh_serials(60))), order.units(1, serials(&fresh_serials(41)))]);
    let refused = order.receive(spread).refused(400, "VALIDATION_FAILED");
    assert!(refused.errors().iter().any(|item| item["code"] == "TOO_MANY"), "{refused}");
    let all = json!([order.units(0, serials(&fresh_serials(60))), order.units(1, serials(&fresh_serials(40)))]);
    order.receive(all).is(201);
}

fn identities_are_whole(database: Database) {
    let buyer = Buyer::new(database);
    let order = order_phones(&buyer, 5);
    let good = imei(74_001);
    for (unit, pointer) in [
        (json!({}), ""),
        (json!({ "serialNumber": null, "imei1": null, "imei2": null }), ""),
        (json!({ "serialNumber": "-A" }), "/serialNumber"),
        (json!({ "serialNumber": "A".repeat(101) }), "/serialNumber"),
        (json!({ "imei1": &good[..14] }), "/imei1"),
        (json!({ "imei1": format!("{good}0") }), "/imei1"),
        (json!({ "imei2": "000000000000000" }), "/imei2"),
        (json!({ "imei2": wrong_check_digit(74_001) }), "/imei2"),
        (json!({ "imei1": format!("{}-{}", &good[..8], &good[8..]) }), "/imei1"),
        (json!({ "serialNumber": "A", "condition": "MINT" }), "/condition"),
        (json!({ "serialNumber": "A", "grade": "D" }), "/grade"),
    ] {
        let refused = order.receive(json!([order.units(0, json!([unit]))])).refused(400, "VALIDATION_FAILED");
        refused.at(&format!("/items/0/units/0{pointer}"));
    }
    assert_eq!(buyer.shop.count("inventory_unit", "1 = 1"), 0);
}

fn imei_slots_are_one_space(database: Database) {
    let buyer = Buyer::new(database);
    let order = order_phones(&buyer, 5);
    let (a, b) = (imei(75_001), imei(75_002));
    order.receive(json!([order.units(0, json!([{ "serialNumber": "Dual", "imei1": a, "imei2": b }]))])).is(201);
    for known in
        [json!({ "imei1": b }), json!({ "imei2": a }), json!({ "serialNumber": "dUAL", "imei1": imei(75_003) })]
    {
        let refused = order.receive(json!([order.units(0, json!([{ "imei1": imei(75_004) }, known]))]));
        let refused = refused.refused(409, "DUPLICATE");
        assert!(refused.pointers().iter().all(|pointer| pointer.starts_with("/items/0/units/1")), "{refused}");
    }
    buyer.shop.assert_level(
        &buyer.main,
        order.item(0)["variantId"].as_str().unwrap_or_default(),
        json!({ "onHand": 1, "available": 1, "incoming": 4 }),
    );
}

fn an_archived_variant_is_received_and_an_archived_product_is_not(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (variants, gone) = (
        shop.serialized(json!([
            { "sku": fresh("STAYS-"), "condition": "NEW" }, { "sku": fresh("GOES-"), "condition": "NEW" }
        ])),
        shop.counted(0),
    );
    let order = buyer.place(json!([line(&variants[1], "1", "100"), line(&gone, "1", "1")]));
    // [F10]: an approved order is a commitment.
    shop.archive(&format!("catalog/variants/{}", variants[1])).is(200);
    order.receive(json!([order.units(0, serials(&fresh_serials(1)))])).is(201);
    let product = shop.get(&format!("catalog/variants/{gone}")).is(200).text("productId");
    shop.archive(&format!("catalog/products/{product}")).is(200);
    let refused = order.receive(json!([order.goods(1, "1")])).refused(409, "ARCHIVED");
    assert!(refused.pointers().iter().any(|pointer| pointer.starts_with("/items/")), "{refused}");
    assert_eq!(order.status(), "PARTIALLY_RECEIVED");
    order.cancel().is(200);
    shop.verified();
}

fn receipts_are_listed_by_what_they_are(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let (one, two, place, supplier) =
        (shop.counted(0), shop.counted(0), shop.warehouse("PHYSICAL"), shop.new_supplier());
    let order = buyer.place(json!([line(&one, "5", "1"), line(&two, "5", "1")]));
    let first = order.receive(json!([order.goods(0, "1")])).is(201).id();
    let second = order.receive(json!([order.goods(0, "1"), order.goods(1, "1")])).is(201).id();
    let members = json!({ "warehouseId": place, "supplierId": supplier });
    let other = buyer.order(&buyer.try_draft(json!([line(&two, "1", "1")]), members).is(201).id());
    other.approve().is(200);
    let third = other.receive(json!([other.goods(0, "1")])).is(201).id();
    let found = |query: &[(&str, &str)]| shop.list("purchases/receipts", query).is(200).ids();
    for (query, expected) in [
        (vec![], vec![&first, &second, &third]),
        (vec![("orderId", order.id.as_str())], vec![&first, &second]),
        (vec![("supplierId", supplier.as_str())], vec![&third]),
        (vec![("warehouseId", place.as_str())], vec![&third]),
        (vec![("ids", format!("{third},{second}").as_str())], vec![&second, &third]),
        (vec![("variantId", two.as_str())], vec![&second, &third]),
        (vec![("variantId", one.as_str()), ("limit", "1")], vec![&first]),
        (vec![("limit", "1"), ("cursor", first.as_str())], vec![&second]),
    ] {
        assert_eq!(found(&query), expected.into_iter().cloned().collect::<Vec<_>>(), "{query:?}");
    }
    assert_eq!(found(&[("legalEntityId", &shop.entity())]).len(), 3);
    assert!(found(&[("legalEntityId", &shop.other_entity())]).is_empty());
    let instant = buyer.receipt(&third).text("createdAt");
    let news = [("updatedSince", instant.as_str())];
    assert_eq!(found(&news), std::slice::from_ref(&third), "written last");
    assert_eq!(shop.list(&format!("{}/receipts", order.path()), &news).is(200).ids(), Vec::<String>::new());
    assert_eq!(shop.list(&format!("{}/receipts", other.path()), &news).is(200).ids(), std::slice::from_ref(&third));
    assert!(found(&[("from", &instant), ("to", &instant)]).contains(&third));
    let of_order = shop.list(&format!("{}/receipts", order.path()), &[]).is(200);
    assert_eq!(of_order.ids(), [first, second]);
    assert!(of_order.items()[0].get("items").is_none(), "headers: {of_order}");
    shop.get(&format!("purchases/orders/{}/receipts", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
}

fn a_shipment_or_charge_is_of_imports(database: Database) {
    let buyer = Buyer::new(database);
    let order = buyer.place(json!([line(&buyer.shop.counted(0), "5", "1")]));
    let items = json!([order.goods(0, "1")]);
    let shipment = json!({ "shipmentId": uuid::Uuid::now_v7() });
    order.receive_with(items.clone(), shipment).refused(400, "VALIDATION_FAILED").at("/shipmentId");
    let allocation = json!({ "orderItemId": order.item_id(0), "amount": "1" });
    let charges = json!({ "charges": [{ "chargeId": uuid::Uuid::now_v7(), "allocations": [allocation] }] });
    order.receive_with(items, charges).refused(400, "VALIDATION_FAILED").at("/charges");
}

fn units_start_as_the_warehouse_is(database: Database) {
    let buyer = Buyer::new(database);
    let shop = &buyer.shop;
    let phone = shop.phone();
    for (kind, status) in [("QUARANTINE", "quarantined"), ("VIRTUAL", "onHand"), ("IN_TRANSIT", "inTransit")] {
        let place = shop.warehouse(kind);
        let made = buyer.try_draft(json!([line(&phone, "2", "1")]), json!({ "warehouseId": place }));
        let order = buyer.order(&made.is(201).id());
        order.approve().is(200);
        order.receive(json!([order.units(0, serials(&fresh_serials(2)))])).is(201);
        let available = if status == "onHand" { 2 } else { 0 };
        shop.assert_level(&place, &phone, json!({ (status): 2, "available": available }));
    }
    shop.verified();
}
