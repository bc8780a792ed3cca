//! The purchase orders of Microsoft's AdventureWorks sample through the public API: the ordered, received, owed and
//! outstanding figures are the source's to the last digit. A load that was stopped goes on where it was, and one that is
//! over changes nothing.
//!
//! Runs where `STOA_TEST_ADVENTUREWORKS` names the folder of the sample's tables; they are not part of the project.

mod load;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value as Json, json};
use stoa_tests::books::Books;
use stoa_tests::{Company, Database, on_both_databases, record};

use load::{Loader, Stopped};
use source::{Money, Source};

on_both_databases![purchases_of_adventureworks];

const FOLDER: &str = "STOA_TEST_ADVENTUREWORKS";

fn purchases_of_adventureworks(database: Database) {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return record::tell_not_run("purchases_of_adventureworks", &format!("{FOLDER} names no folder"));
    };
    let source = Source::read(&PathBuf::from(folder));
    assert_eq!((source.orders.len(), source.lines), (4_012, 8_845), "the sample as it was published");
    let shop = stoa_tests::host::shared(database).company_with(json!({ "keepsBooks": true, "currencyCode": "USD" }));
    let began = Instant::now();
    // The power fails in the middle of the load, and somewhere in the middle of an order.
    assert_eq!(Loader::new(&shop, &source, 1_500).load(), Err(Stopped));
    Loader::new(&shop, &source, usize::MAX).load().expect("the whole load");
    println!("loaded in {:?}", began.elapsed());
    check_orders(&shop, &source);
    check_receipts(&shop, &source);
    check_stock(&shop, &source);
    check_books(&shop, &source);
    shop.verified();
    let before = shop.digest();
    let began = Instant::now();
    Loader::new(&shop, &source, usize::MAX).load().expect("the load again");
    println!("loaded again in {:?}", began.elapsed());
    assert_eq!(shop.digest(), before, "the second run changed something");
}

/// Each order has the total that its header states, and the state that its lines give.
fn check_orders(shop: &Company, source: &Source) {
    let listed = shop.all("purchases/orders", &[("limit", "100")]);
    let reported: BTreeMap<String, (String, String, i64)> =
        listed.iter().map(|order| (text(order, "number"), outcome_of(order))).collect();
    assert_eq!((listed.len(), reported.len()), (source.orders.len(), source.orders.len()));
    for order in &source.orders {
        let expected = (order.subtotal.amount(), order.outcome().to_string(), order.lines.len() as i64);
        assert_eq!(reported[&order.number()], expected, "{}", order.number());
    }
    let sum: Money = listed.iter().map(|order| Money::parse(&text(order, "total"))).sum();
    assert_eq!(sum, source.orders.iter().map(|order| order.subtotal).sum());
    println!("ordered {}", sum.amount());
}

fn outcome_of(order: &Json) -> (String, String, i64) {
    (text(order, "total"), text(order, "status"), order["itemCount"].as_i64().unwrap_or_default())
}

fn check_receipts(shop: &Company, source: &Source) {
    let listed = shop.all("purchases/receipts", &[("limit", "100")]);
    assert_eq!(listed.len(), source.orders.len(), "each order was received once, in whole or in part");
    let sum: Money = listed.iter().map(|receipt| Money::parse(&text(receipt, "total"))).sum();
    assert_eq!(sum, source.sum_received());
    println!("received {}", sum.amount());
}

/// The received goods of each product are there, and the rest of open orders is expected.
fn check_stock(shop: &Company, source: &Source) {
    let variants = shop.all("catalog/variants", &[("limit", "100")]);
    let sku_of: BTreeMap<String, String> =
        variants.iter().map(|variant| (text(variant, "id"), text(variant, "sku"))).collect();
    let levels = shop.all("inventory/stock", &[("limit", "100")]);
    let reported: BTreeMap<String, (String, String)> = levels
        .iter()
        .map(|level| (sku_of[&text(level, "variantId")].clone(), (text(level, "onHand"), text(level, "incoming"))))
        .collect();
    let pieces = |count: u64| format!("{count}.000000");
    let expected: BTreeMap<String, (String, String)> =
        source.stock().into_iter().map(|(sku, (there, coming))| (sku, (pieces(there), pieces(coming)))).collect();
    assert_eq!(reported, expected);
}

/// The received amount is the value of the goods and the amount owed for them.
fn check_books(shop: &Company, source: &Source) {
    let closing = Books { shop: shop.clone(), entity: shop.entity() }.closing();
    let received = source.sum_received().amount();
    let expected =
        BTreeMap::from([("1200".to_string(), received.clone()), ("2100".to_string(), format!("-{received}"))]);
    assert_eq!(closing, expected);
}

fn text(record: &Json, member: &str) -> String {
    record[member].as_str().unwrap_or_default().to_string()
}
