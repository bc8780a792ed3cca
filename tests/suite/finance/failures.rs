//! Operations of finance that fail anywhere leave nothing: no document, movement, entry, event or audit row. [F80]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, parts};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::{Company, Database, Stoa, on_both_databases};

on_both_databases![
    f80_an_invoice_that_fails_anywhere_leaves_nothing,
    f80_money_that_fails_anywhere_leaves_nothing,
    f80_goods_that_fail_anywhere_leave_nothing,
];

/// An office with books on a host of its own.
fn open_office(database: Database) -> Office {
    let shop = Stoa::start(database).company_with(json!({ "keepsBooks": true }));
    Office::from_shop(shop.clone(), shop.entity())
}

/// A transition of a document at its present version, as a request.
fn ask(desk: &Desk, path: &str, verb: &str, members: Json) -> (String, Json) {
    (desk.at(&format!("{path}/{verb}")), with(&json!({ "expectedVersion": desk.version(path) }), members))
}

#[track_caller]
fn assert_fails_whole(shop: &Company, tables: &[&str], prepare: impl Fn() -> (String, Json)) {
    let written = shop.assert_all_or_nothing(prepare);
    for table in tables.iter().chain(&["ledger_entry", "stoa_audit", "stoa_idempotency"]) {
        assert!(written.contains(*table), "{table} is written: {written:?}");
    }
}

fn f80_an_invoice_that_fails_anywhere_leaves_nothing(database: Database) {
    let office = open_office(database);
    let (shop, sales, purchases) = (&office.shop, &office.sales, &office.purchases);
    let good = office.counter.good("10", "100");
    // Order, delivery, invoice and entries at once.
    let sale = json!({ "warehouseId": office.counter.main, "priceListId": office.counter.list });
    let moved = ["finance_invoice", "sales_sales_order", "inventory_movement", "stoa_event"];
    assert_fails_whole(shop, &moved, || {
        let invoice = sales.draft(json!([sales.goods(&good, "2", "9")]));
        ask(sales, &format!("invoices/{invoice}"), "confirm", sale.clone())
    });
    // Order, receipt, invoice and entries at once.
    let moved =
        ["finance_invoice", "procurement_purchase_order", "procurement_receipt", "inventory_movement", "stoa_event"];
    assert_fails_whole(shop, &moved, || {
        let invoice = purchases.draft(json!([purchases.goods(&good, "2", "3")]));
        let members = json!({ "warehouseId": office.buyer.main, "reason": WHY });
        ask(purchases, &format!("invoices/{invoice}"), "confirm", with(&purchases.grounds(), members))
    });
    assert_fails_whole(shop, &["finance_invoice", "sales_sales_order_item"], || {
        let order = office.counter.deliver(json!([{ "variantId": good, "quantity": "1" }]));
        let item = office.counter.read(&order)["items"][0]["id"].clone();
        let invoice = sales.issue(json!([{ "orderItemId": item, "quantity": "1" }]));
        ask(sales, &format!("invoices/{invoice}"), "void", json!({ "reason": WHY }))
    });
    office.sound();
}

fn f80_money_that_fails_anywhere_leaves_nothing(database: Database) {
    let office = open_office(database);
    let desk = &office.sales;
    let tables = ["finance_payment", "finance_application", "finance_money_move"];
    assert_fails_whole(&office.shop, &tables, || {
        let (one, two) = (desk.owe("10"), desk.owe("20"));
        let members = json!({ "applications": parts(&[(&one, "10"), (&two, "5")]) });
        (desk.at("payments"), with(&desk.payment("40"), members))
    });
    assert_fails_whole(&office.shop, &tables, || {
        let payment = desk.pay_for("10", &[(&desk.owe("10"), "10")]);
        ask(desk, &payment, "reverse", json!({ "reason": WHY }))
    });
    assert_fails_whole(&office.shop, &["finance_credit", "finance_refund", "finance_money_move"], || {
        let credit = desk.grant("10");
        ask(desk, &credit, "refunds", desk.refund("4"))
    });
    office.sound();
}

fn f80_goods_that_fail_anywhere_leave_nothing(database: Database) {
    let office = open_office(database);
    let (shop, desk) = (&office.shop, &office.purchases);
    let variant = shop.counted(0);
    let tables = ["finance_supplier_return", "inventory_movement", "stoa_event"];
    assert_fails_whole(shop, &tables, || {
        let item = office.buyer.stock(&variant, "3", "20");
        let body = json!({
            "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": desk.party,
            "warehouseId": office.buyer.main, "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
        });
        let back = shop.post("purchases/returns", body).is(201).id();
        (format!("purchases/returns/{back}/ship"), json!({ "expectedVersion": 1 }))
    });
    assert_fails_whole(shop, &["finance_credit", "finance_cost_correction"], || {
        let item = office.buyer.stock(&variant, "2", "20");
        let lines = json!([{ "receiptItemId": item, "amount": "5" }]);
        let credit = desk.request("5", json!({ "reasonType": "COST_CORRECTION", "costLines": lines }));
        ask(desk, &credit, "recognize", desk.grounds())
    });
    office.sound();
}
