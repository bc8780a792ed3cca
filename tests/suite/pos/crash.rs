//! kill -9 while a register collects: a checkout that was not answered is repeated with its key, and there is one
//! receipt, one delivery and one collection of each order. `stoa verify` finds nothing in any module.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::json;
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Session, Till, cash};
use stoa_tests::{Database, Stoa, cuts, on_both_databases};

on_both_databases![checkouts_survive_the_power];

const TILLS: usize = 4;

fn checkouts_survive_the_power(database: Database) {
    let host = Stoa::start(database);
    let counter = Counter::new(host.company_with(json!({ "keepsBooks": true })));
    let good = counter.good("10", "100000");
    let sessions: Vec<Session> = (0..TILLS).map(|_| Till::new(counter.clone()).open("100")).collect();
    let sold: Vec<AtomicI64> = (0..TILLS).map(|_| AtomicI64::default()).collect();
    let total = || sold.iter().map(|count| count.load(Ordering::Relaxed)).sum::<i64>();
    cuts::survive(&host, "checkouts_survive_the_power", TILLS, 2, total, |n, _| sell(&sessions[n], &good, &sold[n]));
    let (shop, receipts) = (&counter.shop, total());
    println!("{receipts} receipts");
    for (table, condition) in [
        ("pos_receipt", "1 = 1"),
        ("pos_receipt_payment", "1 = 1"),
        ("finance_payment", "1 = 1"),
        ("finance_collection", "1 = 1"),
        ("inventory_movement", "movement_type = 'SALE'"),
        ("ledger_entry", "source_kind = 'POS_RECEIPT'"),
        ("ledger_entry", "source_kind = 'SALES_ORDER'"),
        ("stoa_event", "kind = 'pos.receipt.created'"),
    ] {
        assert_eq!(shop.count(table, condition), receipts, "{table} {condition}");
    }
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim was left open");
    for (session, sold) in sessions.iter().zip(&sold) {
        let sold = sold.load(Ordering::Relaxed);
        assert_eq!((session.version(), session.expected_cash()), (1 + sold, format!("{}.000000", 100 + 10 * sold)));
    }
    shop.verified();
}

/// A piece is sold in cash, however often the power goes meanwhile.
fn sell(session: &Session, good: &str, sold: &AtomicI64) {
    let counter = &session.till.counter;
    let items = json!([{ "variantId": good, "quantity": "1" }]);
    let order = counter.shop.post_until_answered("sales/orders", &counter.order(items)).is(201).id();
    let confirm = json!({ "expectedVersion": 1 });
    counter.shop.post_until_answered(&format!("sales/orders/{order}/confirm"), &confirm).is(200);
    let version = 1 + sold.load(Ordering::Relaxed);
    let body = session.checkout(&order, version, cash("10"));
    counter.shop.post_until_answered(&format!("{}/checkout", session.path()), &body).is(201);
    sold.fetch_add(1, Ordering::Relaxed);
}
