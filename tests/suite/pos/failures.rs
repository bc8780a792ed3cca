//! A checkout that fails anywhere leaves nothing. [E330]

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Till, cash, parts};
use stoa_tests::{Database, Stoa, on_both_databases};

on_both_databases![e330_a_checkout_that_fails_anywhere_leaves_nothing];

fn e330_a_checkout_that_fails_anywhere_leaves_nothing(database: Database) {
    let host = Stoa::start(database);
    let till = Till::new(Counter::new(host.company_with(json!({ "keepsBooks": true }))));
    let session = till.open("100");
    let good = till.counter.good("10", "100");
    let (phone, units) = till.counter.phone("300", 3);
    let units = std::cell::RefCell::new(units);
    let check_out = |order: &str, payment: Json| {
        (format!("{}/checkout", session.path()), session.checkout(order, session.version(), payment))
    };
    let sold = till.shop().assert_all_or_nothing(|| {
        let unit = units.borrow_mut().pop().expect("enough phones");
        let goods = json!({ "variantId": good, "quantity": "2" });
        let order = till.order(json!([goods, { "variantId": phone, "quantity": "1", "unitIds": [unit] }]));
        check_out(&order, with(&parts(&[("CARD", "300"), ("CASH", "20")]), json!({ "cashTendered": "50" })))
    });
    // Goods that an invoice already bills are settled by the receipt.
    let billed = till.shop().assert_all_or_nothing(|| {
        let order = till.order(json!([{ "variantId": good, "quantity": "1" }]));
        till.bill(&order);
        check_out(&order, cash("10"))
    });
    let written: BTreeSet<&str> = sold.iter().chain(&billed).map(String::as_str).collect();
    for table in [
        "pos_session",
        "pos_receipt",
        "pos_receipt_payment",
        "sales_sales_order",
        "inventory_movement",
        "inventory_unit",
        "finance_payment",
        "finance_collection",
        "finance_application",
        "finance_money_move",
        "ledger_entry",
        "stoa_audit",
        "stoa_event",
        "stoa_idempotency",
    ] {
        assert!(written.contains(table), "a checkout writes {table}: {written:?}");
    }
    till.shop().verified();
}
