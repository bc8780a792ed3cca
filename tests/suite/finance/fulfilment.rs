//! Invoices of serialized goods, and those that are confirmed together with their goods. [F22] to [F33]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::purchases::{fresh_serials, line, serials};
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    f22_serialized_goods_are_sold_with_their_invoice,
    f23_a_unit_short_makes_no_order,
    a_price_stands_beside_the_list_s,
];

on_both_databases![
    rules:
    f24_a_unit_needs_its_variant,
    f25_tracking_is_the_product_s,
    f26_what_is_not_delivered_is_not_issued,
    f26_an_order_is_delivered_with_its_invoice,
    f27_units_are_taken_where_all_are_billed,
    f28_a_unit_is_billed_again_when_it_is_sold_again,
    f29_what_did_not_come_is_not_recognised,
    f30_a_known_identity_leaves_nothing,
    f31_goods_are_of_one_order_or_of_none,
    d5_the_stale_version_is_pointed_at,
    f32_nothing_of_units_is_reported,
    f33_goods_move_by_their_own_permission,
    goods_are_bought_with_their_invoice,
    an_order_is_received_with_its_invoice,
    one_variant_at_two_prices_is_no_sale,
    members_of_the_other_way_are_refused,
];

/// The item of a refusal at a line: its code and both counts.
#[track_caller]
fn count(answer: &Answer, line: usize) -> (String, Json, Json) {
    let pointer = format!("/lines/{line}");
    let item = answer.errors().iter().find(|item| item["pointer"] == *pointer).unwrap_or_else(|| panic!("{answer}"));
    (item["code"].as_str().unwrap_or_default().to_string(), item["required"].clone(), item["identified"].clone())
}

fn counts(code: &str, required: u32, identified: u32) -> (String, Json, Json) {
    (code.to_string(), json!(required), json!(identified))
}

fn sale(office: &Office) -> Json {
    json!({ "warehouseId": office.counter.main, "priceListId": office.counter.list })
}

fn confirm(desk: &Desk, invoice: &str, members: Json) -> Answer {
    desk.step(&format!("invoices/{invoice}"), "confirm", members)
}

fn purchase(office: &Office, units: Json) -> Json {
    with(&office.purchases.grounds(), json!({ "reason": WHY, "warehouseId": office.buyer.main, "units": units }))
}

fn f22_serialized_goods_are_sold_with_their_invoice(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (phone, units) = counter.phone("300", 2);
    let invoice = desk.draft(json!([desk.goods(&phone, "2", "290")]));
    let refused = desk.try_issue(&invoice, json!({})).refused(409, "FULFILMENT_REQUIRED");
    assert_eq!(count(&refused, 0), counts("DELIVERY_REQUIRED", 2, 0));
    let named = with(&desk.goods(&phone, "2", "290"), json!({ "unitIds": units, "priceReason": "A friend" }));
    desk.replace(&invoice, json!([named]), json!({})).is(200);
    let refused = desk.try_issue(&invoice, json!({})).refused(409, "FULFILMENT_REQUIRED");
    assert_eq!(count(&refused, 0), counts("DELIVERY_REQUIRED", 2, 2));
    confirm(desk, &invoice, sale(&office)).is(200);
    let read = desk.invoice(&invoice);
    let order = read.text("deliveryOrderId");
    let sold = counter.read(&order);
    assert_eq!((&sold["status"], &sold["total"]), (&json!("COMPLETED"), &json!("580.000000000000")));
    assert_eq!(
        (&sold["number"], &sold["items"][0]["priceOrigin"]),
        (&json!(format!("SI-{invoice}")), &json!("SALES_INVOICE"))
    );
    assert_eq!((&read["status"], &read["lines"][0]["orderItemId"]), (&json!("ISSUED"), &sold["items"][0]["id"]));
    assert_eq!(sold["items"][0]["billedQuantity"], "2.000000");
    assert!(units.iter().all(|unit| office.shop.serial_unit(unit)["status"] == "SOLD"));
    assert_eq!(office.entries(&order), ["DELIVERY: 1160 +580, 5000 +200, 1200 -200, 4000 -580"]);
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +580, 1160 -580"]);
    assert_eq!(counter.sale_kinds(), ["sale.created", "sale.confirmed", "sale.completed"]);
    office.sound();
}

fn f23_a_unit_short_makes_no_order(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let (phone, units) = office.counter.phone("300", 2);
    let invoice = desk.draft(json!([with(&desk.goods(&phone, "2", "300"), json!({ "unitIds": units[..1] }))]));
    let refused = confirm(desk, &invoice, sale(&office)).refused(409, "UNIT_COUNT_MISMATCH");
    assert_eq!(count(&refused, 0), counts("UNITS_DIFFER_FROM_QUANTITY", 2, 1));
    assert_eq!(office.shop.count("sales_sales_order", "1 = 1"), 0, "no order was left");
    let many = with(&desk.goods(&phone, "1", "300"), json!({ "unitIds": units }));
    desk.try_draft(json!([many]), json!({})).refused(409, "UNIT_COUNT_MISMATCH").at("/lines/0/unitIds");
}

fn f24_a_unit_needs_its_variant(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let (_, units) = office.counter.phone("300", 1);
    let invoice = desk.draft(json!([with(&desk.free("1", "300"), json!({ "unitIds": units }))]));
    for answer in [desk.try_issue(&invoice, json!({})), confirm(desk, &invoice, sale(&office))] {
        let refused = answer.refused(409, "FULFILMENT_INCOMPLETE");
        assert_eq!(count(&refused, 0), counts("UNITS_DIFFER_FROM_QUANTITY", 1, 0));
    }
}

fn f25_tracking_is_the_product_s(database: Database) {
    let office = Office::new(database);
    let (phone, _) = office.counter.phone("300", 0);
    for desk in office.desks() {
        let read = desk.invoice(&desk.draft(json!([desk.goods(&phone, "1", "300")])));
        assert_eq!(read["lines"][0]["trackingMode"], "SERIALIZED");
        desk.try_draft(json!([desk.goods(&phone, "1.5", "300")]), json!({}))
            .refused(400, "VALIDATION_FAILED")
            .at("/lines/0/quantity");
        let reported = with(&desk.goods(&phone, "1", "300"), json!({ "trackingMode": "NONE" }));
        desk.try_draft(json!([reported]), json!({})).refused(400, "VALIDATION_FAILED");
    }
}

fn f26_what_is_not_delivered_is_not_issued(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (phone, units) = counter.phone("300", 1);
    let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
    counter.confirm(&order).is(200);
    let invoice = desk.draft(json!([{ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "1" }]));
    let refused = desk.try_issue(&invoice, json!({})).refused(409, "FULFILMENT_INCOMPLETE");
    assert_eq!(count(&refused, 0), counts("DELIVERY_REQUIRED", 1, 0));
    counter.complete(&order).is(200);
    desk.try_issue(&invoice, json!({})).is(200);
    assert_eq!(desk.invoice(&invoice)["lines"][0]["units"][0]["unitId"], json!(units[0]));
    office.shop.verified();
}

fn f26_an_order_is_delivered_with_its_invoice(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (phone, units) = counter.phone("300", 1);
    let box_ = counter.good("10", "5");
    let items =
        json!([{ "variantId": phone, "quantity": "1", "unitIds": units }, { "variantId": box_, "quantity": "2" }]);
    let order = counter.draft(items);
    counter.confirm(&order).is(200);
    let read = counter.read(&order);
    let line =
        |index: usize, quantity: &str| json!({ "orderItemId": read["items"][index]["id"], "quantity": quantity });
    let invoice = desk.draft(json!([line(0, "1"), line(1, "2"), desk.free("1", "5")]));
    confirm(desk, &invoice, json!({})).refused(400, "VALIDATION_FAILED").fault("/expectedOrderVersion", "REQUIRED");
    confirm(desk, &invoice, json!({ "expectedOrderVersion": 1 })).refused(409, "VERSION_CONFLICT");
    confirm(desk, &invoice, json!({ "expectedOrderVersion": 2 })).is(200);
    assert_eq!(counter.read(&order)["status"], "COMPLETED");
    assert_eq!(office.entries(&order), ["DELIVERY: 1160 +320, 5000 +102, 1200 -102, 4000 -320"]);
    assert_eq!(office.entries(&invoice), ["ISSUE: 1100 +325, 1160 -325"]);
    assert_eq!(desk.invoice(&invoice)["deliveryOrderId"], json!(order));
    office.sound();
}

fn f27_units_are_taken_where_all_are_billed(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (phone, units) = counter.phone("300", 3);
    let order = counter.deliver(json!([{ "variantId": phone, "quantity": "3", "unitIds": units }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let draft = |quantity: &str, units: &[String]| {
        desk.draft(json!([{ "orderItemId": item, "quantity": quantity, "unitIds": units }]))
    };
    let part = draft("2", &[]);
    let refused = desk.try_issue(&part, json!({})).refused(409, "FULFILMENT_INCOMPLETE");
    assert_eq!(count(&refused, 0), counts("UNITS_DIFFER_FROM_QUANTITY", 2, 0));
    desk.try_issue(&draft("1", &units[1..2]), json!({})).is(200);
    // All that no other invoice bills.
    let rest = draft("2", &[]);
    desk.try_issue(&rest, json!({})).is(200);
    let read = desk.invoice(&rest);
    let named: Vec<&Json> =
        read["lines"][0]["units"].as_array().into_iter().flatten().map(|unit| &unit["unitId"]).collect();
    assert_eq!(named, [&json!(units[0]), &json!(units[2])]);
    office.shop.verified();
}

fn f28_a_unit_is_billed_again_when_it_is_sold_again(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (phone, units) = counter.phone("300", 1);
    let sell = || {
        let order = counter.deliver(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
        let item = counter.read(&order)["items"][0]["id"].clone();
        let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "1", "unitIds": units }]));
        (order, item, invoice)
    };
    let (order, item, _) = sell();
    let twice = desk.draft(json!([{ "orderItemId": item, "quantity": "1", "unitIds": units }]));
    desk.try_issue(&twice, json!({})).refused(409, "FULFILMENT_INCOMPLETE");
    let line = json!({ "itemId": item, "quantity": "1", "unitIds": units, "disposition": "RESTOCK" });
    let body = json!({ "orderId": order, "reason": WHY, "items": [line] });
    let returned = office.shop.post("sales/returns", body).is(201).id();
    office.shop.post(&format!("sales/returns/{returned}/receive"), json!({ "expectedVersion": 1 })).is(200);
    assert_eq!(office.shop.serial_unit(&units[0])["status"], "AVAILABLE");
    sell();
    office.sound();
}

fn f29_what_did_not_come_is_not_recognised(database: Database) {
    let office = Office::new(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line(&office.shop.phone(), "3", "90")]));
    order.receive(json!([order.units(0, serials(&fresh_serials(2)))])).is(201);
    let draft = |quantity: &str| desk.draft(json!([{ "orderItemId": order.item_id(0), "quantity": quantity }]));
    let refused = desk.try_issue(&draft("3"), json!({})).refused(409, "FULFILMENT_INCOMPLETE");
    assert_eq!(count(&refused, 0), counts("RECEIPT_REQUIRED", 3, 2));
    desk.try_issue(&draft("2"), json!({})).is(200);
    let free = desk.draft(json!([desk.goods(&office.shop.phone(), "1", "90")]));
    let refused = desk.try_issue(&free, json!({})).refused(409, "FULFILMENT_REQUIRED");
    assert_eq!(count(&refused, 0), counts("RECEIPT_REQUIRED", 1, 0));
    office.shop.verified();
}

fn f30_a_known_identity_leaves_nothing(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let phone = office.shop.phone();
    let numbers = fresh_serials(2);
    office.shop.try_admit(&phone, &office.buyer.main, Some("90"), serials(&numbers[..1])).is(201);
    let invoice = desk.draft(json!([desk.goods(&phone, "2", "90")]));
    let before = office.shop.records();
    let units = json!([{ "lineNo": 1, "units": serials(&[&numbers[1], &numbers[0]]) }]);
    let refused = confirm(desk, &invoice, purchase(&office, units)).refused(409, "DUPLICATE");
    assert_eq!(refused.pointers(), ["/units/0/units/1"]);
    assert!(!refused.tells(&numbers[0]), "{refused}");
    assert_eq!(office.shop.records(), before, "no order, receipt, unit or entry remains");
}

fn d5_the_stale_version_is_pointed_at(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let order = counter.draft_of(&counter.good("10", "9"), "1");
    counter.confirm(&order).is(200);
    let item = counter.read(&order)["items"][0]["id"].clone();
    let invoice = desk.draft(json!([{ "orderItemId": item, "quantity": "1" }]));
    let of_order = |version: i64| json!({ "expectedOrderVersion": version });
    confirm(desk, &invoice, of_order(1)).refused(409, "VERSION_CONFLICT").at("/expectedOrderVersion");
    let path = format!("invoices/{invoice}");
    desk.step_at(&path, "confirm", json!(9), of_order(2)).refused(409, "VERSION_CONFLICT").at("/expectedVersion");
    confirm(desk, &invoice, of_order(2)).is(200);
}

fn f31_goods_are_of_one_order_or_of_none(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("10", "9");
    let order = || {
        let order = counter.draft_of(&variant, "1");
        counter.confirm(&order).is(200);
        json!({ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "1" })
    };
    for lines in [json!([order(), order()]), json!([order(), desk.goods(&variant, "1", "10")])] {
        let invoice = desk.draft(lines);
        confirm(desk, &invoice, json!({ "expectedOrderVersion": 2 }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/lines", "MIXED_FULFILMENT");
    }
    let invoice = desk.draft(json!([desk.free("1", "5")]));
    confirm(desk, &invoice, sale(&office)).refused(409, "ILLEGAL_STATE").fault("/lines", "NO_GOODS");
}

fn f32_nothing_of_units_is_reported(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let (phone, units) = office.counter.phone("300", 2);
    let serial = office.shop.serial_unit(&units[0]).text("serialNumber");
    let named = with(&desk.goods(&phone, "2", "300"), json!({ "unitIds": units[..1] }));
    let invoice = desk.draft(json!([named]));
    let refused = confirm(desk, &invoice, sale(&office)).refused(409, "UNIT_COUNT_MISMATCH");
    for reported in [&serial, &units[0]] {
        assert!(!refused.tells(reported), "{refused}");
    }
    let unit = |shop: &stoa_tests::Company| {
        shop.get(&format!("sales/invoices/{invoice}")).is(200)["lines"][0]["units"][0].clone()
    };
    let seen = unit(&office.shop);
    assert_eq!((&seen["serialNumber"], &seen["status"]), (&json!(serial), &json!("AVAILABLE")));
    let seen = unit(&office.shop.colleague(&["sales.read"]));
    assert_eq!((&seen["unitId"], &seen["serialNumber"]), (&json!(units[0]), &Json::Null));
}

fn f33_goods_move_by_their_own_permission(database: Database) {
    let office = Office::new(database);
    let variant = office.counter.good("10", "5");
    let all = ["sales.read", "sales.create", "pricing.read", "purchases.read", "purchases.create", "purchases.approve"];
    let clerk = office.as_person(&office.shop.colleague(&all));
    let sold = office.sales.draft(json!([office.sales.goods(&variant, "1", "10")]));
    confirm(&clerk.sales, &sold, sale(&office)).refused(403, "PERMISSION_DENIED");
    let bought = office.purchases.draft(json!([office.purchases.goods(&variant, "1", "10")]));
    confirm(&clerk.purchases, &bought, purchase(&office, json!([]))).refused(403, "PERMISSION_DENIED");
    assert_eq!(office.shop.figure(&variant, &office.counter.main, "onHand"), "5.000000");
}

fn goods_are_bought_with_their_invoice(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    let (phone, box_) = (office.shop.phone(), office.shop.counted(0));
    let lines = json!([
        desk.goods(&phone, "1", "90"),
        desk.goods(&box_, "4", "2.5"),
        desk.goods(&phone, "1", "90"),
        desk.free("1", "7"),
    ]);
    let invoice = desk.draft(lines);
    let numbers = fresh_serials(2);
    let units =
        |index: usize, number: usize| json!({ "lineNo": index + 1, "units": serials(&numbers[number..=number]) });
    let short = confirm(desk, &invoice, purchase(&office, json!([units(0, 0)]))).refused(409, "UNIT_COUNT_MISMATCH");
    assert_eq!(count(&short, 2), counts("UNITS_DIFFER_FROM_QUANTITY", 1, 0));
    confirm(desk, &invoice, purchase(&office, json!([units(2, 1), units(0, 0)]))).is(200);
    let read = desk.invoice(&invoice);
    let order = office.buyer.order(read["lines"][0]["orderId"].as_str().expect("an order"));
    assert_eq!((order.status().as_str(), order.read()["number"].clone()), ("RECEIVED", json!(format!("PI-{invoice}"))));
    assert_eq!(
        (&order.item(0)["billedQuantity"], &order.item(1)["billedQuantity"]),
        (&json!("2.000000"), &json!("4.000000"))
    );
    let serial = |index: usize| read["lines"][index]["units"][0]["serialNumber"].clone();
    assert_eq!([serial(0), serial(2)], [json!(numbers[0]), json!(numbers[1])], "each line has its own units");
    assert_eq!(office.entries(&read.text("receiptId")), ["RECEIPT: 1200 +190, 2100 -190"]);
    assert_eq!(office.entries(&invoice), ["RECOGNITION: 2100 +190, 5100 +7, 2000 -197"]);
    assert_eq!(office.shop.events_like("procurement.receipt.created").len(), 1);
    office.sound();
}

fn an_order_is_received_with_its_invoice(database: Database) {
    let office = Office::with_books(database);
    let (buyer, desk) = (&office.buyer, &office.purchases);
    let order = buyer.place(json!([line(&office.shop.counted(0), "9", "2"), line(&office.shop.phone(), "2", "90")]));
    let billed = |index: usize, quantity: &str| json!({ "orderItemId": order.item_id(index), "quantity": quantity });
    let invoice = desk.draft(json!([billed(0, "4"), billed(1, "1")]));
    let units = json!([{ "lineNo": 2, "units": serials(&fresh_serials(1)) }]);
    let members =
        with(&desk.grounds(), json!({ "reason": WHY, "units": units, "expectedOrderVersion": order.version() }));
    for (no, reported) in [(0, "RANGE"), (3, "RANGE"), (101, "RANGE")] {
        let stray = json!({ "units": [{ "lineNo": no, "units": serials(&fresh_serials(1)) }] });
        let refused = confirm(desk, &invoice, with(&members, stray)).refused(400, "VALIDATION_FAILED");
        refused.fault("/units/0/lineNo", reported);
    }
    // [D5] Two versions are in the body: the one that is stale is pointed at.
    let stale = with(&members, json!({ "expectedOrderVersion": 1 }));
    confirm(desk, &invoice, stale).refused(409, "VERSION_CONFLICT").at("/expectedOrderVersion");
    let path = format!("invoices/{invoice}");
    desk.step_at(&path, "confirm", json!(9), members.clone()).refused(409, "VERSION_CONFLICT").at("/expectedVersion");
    confirm(desk, &invoice, members).is(200);
    assert_eq!(order.status(), "PARTIALLY_RECEIVED");
    assert_eq!(order.item(0)["receivedQuantity"], "4.000000");
    let receipt = desk.invoice(&invoice).text("receiptId");
    assert_eq!(office.entries(&receipt), ["RECEIPT: 1200 +98, 2100 -98"]);
    assert_eq!(office.entries(&invoice), ["RECOGNITION: 2100 +98, 2000 -98"]);
    // The received goods are billed already.
    let again = desk.draft(json!([{ "receiptItemId": buyer.receipt(&receipt)["items"][0]["id"], "quantity": "1" }]));
    desk.try_issue(&again, json!({})).refused(409, "LIMIT_EXCEEDED").fault("/lines/0", "BILLED_BEYOND_ORDER");
    office.sound();
}

fn one_variant_at_two_prices_is_no_sale(database: Database) {
    let office = Office::new(database);
    let variant = office.counter.good("10", "9");
    for (desk, members) in [(&office.sales, sale(&office)), (&office.purchases, purchase(&office, json!([])))] {
        let two = desk.draft(json!([desk.goods(&variant, "1", "10"), desk.goods(&variant, "1", "9")]));
        let pointer = format!("/lines/1/{}", desk.amount_member());
        confirm(desk, &two, members).refused(409, "REFERENCE_INVALID").at(&pointer);
    }
    let desk = &office.sales;
    let same = desk.draft(json!([desk.goods(&variant, "1", "10"), desk.goods(&variant, "2", "10")]));
    confirm(desk, &same, sale(&office)).is(200);
    let order = office.counter.read(&desk.invoice(&same).text("deliveryOrderId"));
    assert_eq!((order.items().len(), &order["items"][0]["quantity"]), (1, &json!("3.000000")));
    office.shop.verified();
}

fn members_of_the_other_way_are_refused(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("10", "9");
    let free = desk.draft(json!([desk.goods(&variant, "1", "10")]));
    confirm(desk, &free, json!({ "warehouseId": counter.main })).refused(400, "VALIDATION_FAILED").at("/priceListId");
    let members = with(&sale(&office), json!({ "expectedOrderVersion": 2 }));
    confirm(desk, &free, members).refused(400, "VALIDATION_FAILED").fault("/expectedOrderVersion", "NOT_ALLOWED");
    let order = counter.draft_of(&variant, "1");
    counter.confirm(&order).is(200);
    let bound = desk.draft(json!([{ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "1" }]));
    let members = with(&sale(&office), json!({ "expectedOrderVersion": 2, "orderNumber": fresh("N-") }));
    let refused = confirm(desk, &bound, members).refused(400, "VALIDATION_FAILED");
    assert_eq!(refused.pointers(), ["/warehouseId", "/priceListId", "/orderNumber"]);
    let other = office
        .shop
        .post("pricing/price-lists", json!({ "code": fresh("USD"), "name": "Dollars", "currencyCode": "USD" }));
    let other = other.is(201).id();
    let price = json!({ "variantId": variant, "currencyCode": "USD", "amount": "10" });
    office.shop.post(&format!("pricing/price-lists/{other}/prices"), price).is(201);
    let members = with(&sale(&office), json!({ "priceListId": other }));
    confirm(desk, &free, members).refused(409, "REFERENCE_INVALID").fault("/priceListId", "OTHER_CURRENCY");
}

fn a_price_stands_beside_the_list_s(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let variant = office.counter.good("10", "9");
    let invoice = desk.draft(json!([desk.goods(&variant, "1", "10")]));
    confirm(desk, &invoice, sale(&office)).is(200);
    let order = office.counter.read(&desk.invoice(&invoice).text("deliveryOrderId"));
    assert_ne!(order["items"][0]["priceOrigin"], "SALES_INVOICE", "the list's own price is no agreement");
}
