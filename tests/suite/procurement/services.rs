//! Procurement's services for finance: orders to bill, goods received and bought in one, the position of an entity. [E91], [E117]

use serde_json::json;
use stoa_tests::assert_table;
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::services::procurement::{
    BillLine, BuyLine, Call, Charge, NewUnit, Order as Ordered, OrderPosition, Purchase, ReceiptItem, ReceiptSelection,
    ReceiveLine, Received, Selection, Supplier, Tracking,
};
use stoa_tests::services::{self, Key, id, key, new_key, read_answer};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![bills_race_for_the_rest, a_position_is_of_entity_and_currency,];

on_both_databases![
    rules:
    e91_billed_goods_keep_an_order_alive,
    bills_never_exceed_what_they_are_of,
    what_finance_reads,
    goods_are_received_as_by_people,
    goods_are_bought_in_one,
    e117_a_purchase_with_a_known_unit_leaves_nothing,
];

fn buyer(database: Database, books: bool) -> Buyer {
    Buyer::from_shop(services::host(database).company_with(json!({ "keepsBooks": books })))
}

fn bill(order: &Order, index: usize, quantity: &str) -> BillLine {
    BillLine { order_item_id: key(&order.item_id(index)), receipt_item_id: None, quantity: quantity.to_string() }
}

fn try_bill(buyer: &Buyer, lines: Vec<BillLine>) -> Answer {
    buyer.shop.try_procurement(&[Call::Bill(lines)])
}

/// The items of the order's only receipt.
fn read_receipt_items(buyer: &Buyer, order: &Order) -> Vec<ReceiptItem> {
    buyer.shop.call_procurement(Call::ReceiptItems(ReceiptSelection::OfReceivedOrders(vec![key(&order.id)])))
}

fn unit(serial: &str) -> NewUnit {
    NewUnit { serial_number: Some(serial.to_string()), imei1: None, imei2: None, condition: None, grade: None }
}

fn e91_billed_goods_keep_an_order_alive(database: Database) {
    let buyer = buyer(database, false);
    let box_ = buyer.shop.counted(0);
    let order = buyer.place(json!([line(&box_, "10", "2")]));
    order.receive(json!([order.goods(0, "4")])).is(201);
    try_bill(&buyer, vec![bill(&order, 0, "5")]).is(201);
    assert_eq!(order.item(0)["billedQuantity"], "5.000000");
    order.cancel().refused(409, "ILLEGAL_STATE");
    buyer.shop.assert_level(&buyer.main, &box_, json!({ "onHand": 4, "available": 4, "incoming": 6 }));
    try_bill(&buyer, vec![bill(&order, 0, "-1")]).is(201);
    order.cancel().is(200);
    // Goods that came of a cancelled order are billed, and no more.
    try_bill(&buyer, vec![bill(&order, 0, "0.000001")]).refused(409, "LIMIT_EXCEEDED").at("/lines/0/quantity");
    try_bill(&buyer, vec![bill(&order, 0, "-4")]).is(201);
    buyer.shop.verified();
}

fn bills_never_exceed_what_they_are_of(database: Database) {
    let buyer = buyer(database, false);
    let (one, two) = (buyer.shop.counted(1), buyer.shop.counted(0));
    let draft = buyer.draft(json!([line(&one, "2.5", "2")]));
    try_bill(&buyer, vec![bill(&draft, 0, "1")]).refused(409, "ILLEGAL_STATE");
    let order = buyer.place(json!([line(&one, "2.5", "2"), line(&two, "3", "1")]));
    try_bill(&buyer, vec![bill(&order, 1, "3"), bill(&order, 0, "2.6")])
        .refused(409, "LIMIT_EXCEEDED")
        .at("/lines/1/quantity");
    assert_eq!(order.item(1)["billedQuantity"], "0.000000", "all or nothing");
    // Two lines of one item are counted together.
    try_bill(&buyer, vec![bill(&order, 0, "1.5"), bill(&order, 0, "1.1")])
        .refused(409, "LIMIT_EXCEEDED")
        .at("/lines/1/quantity");
    let absent = BillLine { receipt_item_id: Some(new_key()), ..bill(&order, 0, "1") };
    try_bill(&buyer, vec![absent]).refused(404, "NOT_FOUND").at("/lines/0/receiptItemId");
    try_bill(&buyer, vec![bill(&order, 0, "-0.1")]).refused(409, "LIMIT_EXCEEDED").at("/lines/0/quantity");
    order.receive(json!([order.goods(0, "1")])).is(201);
    let item = read_receipt_items(&buyer, &order).remove(0);
    let of_receipt = |quantity: &str| {
        vec![BillLine {
            order_item_id: item.order_item_id,
            receipt_item_id: Some(item.id),
            quantity: quantity.to_string(),
        }]
    };
    try_bill(&buyer, of_receipt("1.1")).refused(409, "LIMIT_EXCEEDED").at("/lines/0/quantity");
    try_bill(&buyer, of_receipt("1")).is(201);
    try_bill(&buyer, of_receipt("0.1")).refused(409, "LIMIT_EXCEEDED");
    assert_eq!(read_receipt_items(&buyer, &order)[0].billed, "1.000000");
    let read = buyer.receipt(&id(item.receipt_id));
    assert_eq!(read["items"][0]["billedQuantity"], "1.000000");
    try_bill(&buyer, vec![bill(&order, 0, "1.5")]).is(201);
    try_bill(&buyer, vec![bill(&order, 0, "0.1")]).refused(409, "LIMIT_EXCEEDED");
    // A line of another order's receipt.
    let stray = vec![BillLine {
        order_item_id: key(&order.item_id(1)),
        receipt_item_id: Some(item.id),
        quantity: "1".to_string(),
    }];
    try_bill(&buyer, stray).refused(409, "REFERENCE_INVALID");
    buyer.shop.verified();
}

fn bills_race_for_the_rest(database: Database) {
    let buyer = buyer(database, false);
    let order = buyer.place(json!([line(&buyer.shop.counted(0), "3", "2")]));
    let item = bill(&order, 0, "1");
    let answers = at_once(6, |_| try_bill(&buyer, vec![item.clone()]));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.refused(409, "LIMIT_EXCEEDED");
    }
    assert_eq!(order.item(0)["billedQuantity"], "3.000000");
    buyer.shop.verified();
}

fn what_finance_reads(database: Database) {
    let buyer = buyer(database, false);
    let shop = &buyer.shop;
    let (box_, phone, service) = (shop.counted(0), shop.phone(), shop.service());
    let profile = json!({ "paymentTermDays": 45 });
    let supplier = shop
        .post("purchases/suppliers", json!({ "code": "Terms", "name": "Terms Ltd", "profile": profile }))
        .is(201)
        .id();
    let found: Vec<Supplier> = shop.call_procurement(Call::Suppliers(vec![key(&supplier), new_key()]));
    let reported = Supplier {
        id: key(&supplier),
        code: "Terms".to_string(),
        name: "Terms Ltd".to_string(),
        active: true,
        payment_term_days: Some(45),
    };
    assert_eq!(found, [reported]);
    shop.archive(&format!("purchases/suppliers/{supplier}")).is(200);
    let found: Vec<Supplier> = shop.call_procurement(Call::Suppliers(vec![key(&supplier)]));
    assert!(!found[0].active);
    let order = buyer.place(json!([line(&box_, "3", "1.5"), line(&phone, "2", "100"), line(&service, "1", "7")]));
    order.receive(json!([order.units(1, serials(&fresh_serials(2))), order.goods(0, "1")])).is(201);
    order.receive(json!([order.goods(0, "2")])).is(201);
    let ids = vec![key(&order.id), new_key()];
    let orders: Vec<Ordered> = shop.call_procurement(Call::Items(Selection::OfOrders(ids), true));
    let [ordered] = orders.as_slice() else { panic!("one order: {orders:?}") };
    assert_eq!(
        (ordered.kind.as_str(), ordered.status.as_str(), ordered.version),
        ("STANDARD", "PARTIALLY_RECEIVED", 4)
    );
    assert_eq!(
        (ordered.supplier_id, ordered.warehouse_id, ordered.currency_code.as_str()),
        (key(&buyer.supplier), key(&buyer.main), "EUR")
    );
    let lines: Vec<(Tracking, &str, &str, &str)> = ordered
        .items
        .iter()
        .map(|item| (item.tracking, item.quantity.as_str(), item.unit_cost.as_str(), item.received.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (Tracking::Quantity, "3.000000", "1.500000", "3.000000"),
            (Tracking::Serialized, "2.000000", "100.000000", "2.000000"),
            (Tracking::None, "1.000000", "7.000000", "0.000000"),
        ]
    );
    let one: Vec<Ordered> = shop.call_procurement(Call::Items(Selection::OfItems(vec![ordered.items[2].id]), false));
    assert_eq!((one.len(), one[0].items.len(), one[0].items[0].id), (1, 1, ordered.items[2].id));
    let items = read_receipt_items(&buyer, &order);
    assert_eq!(items.len(), 3, "the oldest first");
    let oldest = items.iter().take(2).map(|item| item.receipt_id).collect::<Vec<_>>();
    assert_eq!(oldest[0], oldest[1]);
    let units: usize = items.iter().map(|item| item.unit_ids.len()).sum();
    assert_eq!(units, 2);
    let by_item: Vec<ReceiptItem> =
        shop.call_procurement(Call::ReceiptItems(ReceiptSelection::OfReceiptItems(vec![items[2].id])));
    assert_eq!((by_item[0].quantity.as_str(), by_item[0].order_id), ("2.000000", key(&order.id)));
    let import = buyer.place_import(json!([line(&box_, "3", "1.5")]));
    let charge = import.charge("12.5");
    let charges: Vec<Charge> = shop.call_procurement(Call::Charges(vec![key(&charge)]));
    assert_eq!((charges[0].amount.as_str(), charges[0].allocated.as_str()), ("12.500000", "0.000000"));
    assert_eq!(
        (charges[0].kind.as_str(), charges[0].status.as_str(), charges[0].currency_code.as_str()),
        ("FREIGHT", "ESTIMATED", "EUR")
    );
}

fn goods_are_received_as_by_people(database: Database) {
    let buyer = buyer(database, true);
    let shop = &buyer.shop;
    let phone = shop.phone();
    let order = buyer.place(json!([line(&phone, "3", "100")]));
    let receive = |expected_version: i64, units: &[&str]| {
        let line = ReceiveLine {
            order_item_id: key(&order.item_id(0)),
            quantity: units.len().to_string(),
            units: units.iter().map(|serial| unit(serial)).collect(),
        };
        let (order, reason) = (key(&order.id), "Invoice 7".to_string());
        shop.try_procurement(&[Call::Receive { order, expected_version, reason, location_id: None, lines: vec![line] }])
    };
    receive(1, &["SV-1"]).refused(409, "VERSION_CONFLICT");
    let answer = receive(2, &["SV-1", "SV-2"]).is(201);
    let made: Received = read_answer(&answer, 0);
    assert_eq!((made.order_id, made.order_version, made.items[0].unit_ids.len()), (key(&order.id), 3, 2));
    receive(3, &["sv-2"]).refused(409, "DUPLICATE").at("/lines/0/units/0");
    let read = buyer.receipt(&id(made.receipt_id));
    assert_eq!((read["reason"].as_str(), read["total"].as_str()), (Some("Invoice 7"), Some("200.000000000000")));
    shop.assert_level(&buyer.main, &phone, json!({ "onHand": 2, "available": 2, "incoming": 1 }));
    assert_eq!(shop.events_like("procurement.receipt.created").len(), 1);
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                           debit  credit
        1  1200 Inventory                      200
           2100 Goods received not invoiced            200
    ");
    shop.verified();
}

fn purchase(buyer: &Buyer, number: Option<&str>) -> Purchase {
    Purchase {
        number: number.map(str::to_string),
        supplier_id: key(&buyer.supplier),
        legal_entity_id: key(&buyer.shop.entity()),
        warehouse_id: key(&buyer.main),
        currency_code: "EUR".to_string(),
        reason: "Invoice 8".to_string(),
        location_id: None,
    }
}

fn buy_line(variant: &str, quantity: &str, cost: &str, units: &[&str]) -> BuyLine {
    BuyLine {
        variant_id: key(variant),
        quantity: quantity.to_string(),
        unit_cost: cost.to_string(),
        units: units.iter().map(|serial| unit(serial)).collect(),
    }
}

fn goods_are_bought_in_one(database: Database) {
    let buyer = buyer(database, true);
    let shop = &buyer.shop;
    let (box_, phone, service) = (shop.counted(0), shop.phone(), shop.service());
    // The confirmation of the invoice is the approval.
    shop.put("purchases/settings", json!({ "expectedVersion": 0, "requireSecondApprover": true })).is(200);
    let lines = vec![
        buy_line(&phone, "1", "100", &["BO-1"]),
        buy_line(&box_, "4", "2.5", &[]),
        buy_line(&service, "1", "30", &[]),
    ];
    let made: Received = shop.call_procurement(Call::Buy(purchase(&buyer, None), lines));
    let order = buyer.order(&id(made.order_id));
    let read = order.read();
    assert_eq!(
        (read["status"].as_str(), read["number"].as_str(), read["total"].as_str()),
        (Some("RECEIVED"), Some("PO-000001"), Some("140.000000000000"))
    );
    let of_lines: Vec<Key> = made.items.iter().map(|item| item.order_item_id).collect();
    let items: Vec<Key> = (0..3).map(|index| key(&order.item_id(index))).collect();
    assert_eq!(of_lines, items, "in the order of the lines");
    assert_eq!(made.items[0].unit_ids.len(), 1);
    shop.assert_level(&buyer.main, &box_, json!({ "onHand": 4, "available": 4 }));
    let kinds: Vec<String> = shop.events_like("procurement.%").into_iter().map(|(kind, ..)| kind).collect();
    let expected = ["supplier.created", "order.created", "order.approved", "receipt.created"]
        .map(|kind| format!("procurement.{kind}"));
    assert_eq!(kinds, expected);
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                           debit  credit
        1  1200 Inventory                      110
           5100 Purchases and services          30
           2100 Goods received not invoiced            140
    ");
    let twice = vec![buy_line(&box_, "1", "1", &[]), buy_line(&box_, "1", "1", &[])];
    shop.try_procurement(&[Call::Buy(purchase(&buyer, None), twice)]).refused(400, "VALIDATION_FAILED");
    shop.try_procurement(&[Call::Buy(purchase(&buyer, Some("po-000001")), vec![buy_line(&box_, "1", "1", &[])])])
        .refused(409, "DUPLICATE");
    shop.verified();
}

fn e117_a_purchase_with_a_known_unit_leaves_nothing(database: Database) {
    let buyer = buyer(database, true);
    let shop = &buyer.shop;
    let (box_, phone) = (shop.counted(0), shop.phone());
    shop.try_admit(&phone, &buyer.main, Some("1"), json!([{ "serialNumber": "Known" }])).is(201);
    let before = shop.records();
    let lines = || vec![buy_line(&box_, "4", "2.5", &[]), buy_line(&phone, "2", "100", &["E117", "KNOWN"])];
    for number in [None, Some("Bought-1")] {
        let refused = shop.try_procurement(&[Call::Buy(purchase(&buyer, number), lines())]).refused(409, "DUPLICATE");
        refused.at("/lines/1/units/1");
        assert_eq!(shop.records(), before, "no order, receipt or unit");
    }
    // Nor is its number taken; figures that were given out may be left out.
    let one = vec![buy_line(&phone, "1", "100", &["E117"])];
    let made: Received = shop.call_procurement(Call::Buy(purchase(&buyer, Some("Bought-1")), one));
    assert_eq!(buyer.order(&id(made.order_id)).read()["number"], "Bought-1");
    shop.verified();
}

fn a_position_is_of_entity_and_currency(database: Database) {
    let buyer = buyer(database, false);
    let shop = &buyer.shop;
    let (one, two) = (shop.counted(2), shop.counted(0));
    let order = buyer.place(json!([line(&one, "2.25", "3.333333"), line(&two, "2", "1")]));
    order.receive(json!([order.goods(0, "2.25")])).is(201);
    try_bill(&buyer, vec![bill(&order, 0, "1.5"), bill(&order, 1, "2")]).is(201);
    let dollars = buyer.try_draft(json!([line(&two, "5", "10")]), json!({ "currencyCode": "USD" })).is(201).id();
    let dollars = buyer.order(&dollars);
    dollars.approve().is(200);
    dollars.receive(json!([dollars.goods(0, "1")])).is(201);
    let position = |entity: &str, currency: &str| -> (String, String) {
        let reported: OrderPosition = shop.call_procurement(Call::Position(key(entity), currency.to_string()));
        (reported.received_value, reported.billed_value)
    };
    let amounts = |received: &str, billed: &str| (received.to_string(), billed.to_string());
    // 2.25 x 3.333333; 1.5 x 3.333333 + 2 x 1.
    assert_eq!(position(&shop.entity(), "EUR"), amounts("7.499999250000", "6.999999500000"));
    assert_eq!(position(&shop.entity(), "USD"), amounts("10.000000000000", "0.000000000000"));
    assert_eq!(position(&shop.other_entity(), "EUR"), amounts("0.000000000000", "0.000000000000"));
    // An order item that came and is billed whole is read no more.
    let open = || shop.count("procurement_purchase_item", "not settled");
    assert_eq!(open(), 3);
    try_bill(&buyer, vec![bill(&order, 0, "0.75")]).is(201);
    order.receive(json!([order.goods(1, "2")])).is(201);
    assert_eq!((position(&shop.entity(), "EUR"), open()), (amounts("0.000000000000", "0.000000000000"), 1));
    try_bill(&buyer, vec![bill(&order, 0, "-1")]).is(201);
    assert_eq!(position(&shop.entity(), "EUR"), amounts("7.499999250000", "4.166666250000"));
    shop.verified();
}
