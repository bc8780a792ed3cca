//! An extension runs in the transaction of the request: its rows are there with the request's rows, or not at all.

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::extending::host;
use stoa_tests::selling::Counter;
use stoa_tests::services::{key, new_key, sales};
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    a_rejection_rolls_back_what_extensions_wrote,
    a_swallowed_rejection_fails,
    a_read_lets_an_extension_write_nothing,
];

const POINT: &str = "order-confirmation";

fn a_rejection_rolls_back_what_extensions_wrote(database: Database) {
    let counter = Counter::new(host(database).company());
    let shop = &counter.shop;
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "2");
    shop.extend('a', POINT, "note");
    shop.extend('b', POINT, "reject");
    counter.confirm(&order).refused(409, "EXTENDER_B_NO").at("/total");
    assert_eq!(counter.read(&order)["status"], "DRAFT");
    assert_eq!(shop.figure(&variant, &counter.main, "reserved"), "0.000000");
    assert_eq!((shop.extension_notes('a'), shop.extension_notes('b')), (json!([]), json!([])), "both notes are gone");

    shop.extend('b', POINT, "note");
    counter.confirm(&order).is(200);
    let noted = json!(["order-confirmation: 20.000000000000"]);
    assert_eq!((shop.extension_notes('a'), shop.extension_notes('b')), (noted.clone(), noted), "each was called once");
    shop.verified();
}

fn a_swallowed_rejection_fails(database: Database) {
    let counter = Counter::new(host(database).company());
    let shop = &counter.shop;
    let console = shop.host.console();
    let variant = counter.good("10", "5");
    shop.extend('a', POINT, "reject");
    let sale = sales::Sale {
        invoice_id: new_key(),
        number: fresh("INV-"),
        customer_id: key(&counter.customer),
        legal_entity_id: key(&counter.entity),
        warehouse_id: key(&counter.main),
        price_list_id: key(&counter.list),
        lines: vec![sales::SellLine {
            variant_id: key(&variant),
            quantity: "1".to_owned(),
            unit_price: None,
            reason: None,
            unit_ids: Vec::new(),
            pointer: "/lines/0".to_owned(),
        }],
    };
    let failures = || ["seller", "sales"].map(|module| console.failures(module));
    let before = failures();
    let calls = json!({ "calls": [sales::Call::Sell(sale)], "swallow": true });
    shop.post("seller/calls", calls).refused(500, "MODULE_FAILED");
    let after = failures();
    assert!(after[0] > before[0], "the seller kept the rejection to itself");
    assert_eq!(after[1], before[1], "sales passed it on");
    assert_eq!(shop.count("sales_sales_order", "1 = 1"), 0);
    assert_eq!(shop.extension_notes('a'), json!([]));
}

fn a_read_lets_an_extension_write_nothing(database: Database) {
    let counter = Counter::new(host(database).company());
    let shop = &counter.shop;
    let variant = counter.good("10", "0");
    shop.extend('a', "price-adjustment", "write");
    let failed = counter.try_resolve(&variant).refused(500, "MODULE_FAILED");
    shop.host.console().failure_of("extender-a", &failed);
    assert_eq!(shop.extension_notes('a'), json!([]));
}
