//! kill -9 while invoices are issued, paid and credited: requests without a response are repeated with their keys, every document
//! is there once with its entries, and `stoa verify` finds nothing in any module.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, parts};
use stoa_tests::company::{fresh, with};
use stoa_tests::{Database, Stoa, cuts, on_both_databases};

on_both_databases![documents_survive_the_power];

const WRITERS: usize = 4;

fn documents_survive_the_power(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company_with(json!({ "keepsBooks": true }));
    let office = Office::from_shop(shop.clone(), shop.entity());
    let done = AtomicI64::default();
    let written = || done.load(Ordering::Relaxed);
    cuts::survive(&host, "documents_survive_the_power", WRITERS, 3, written, |n, _| {
        trade(if n % 2 == 0 { &office.sales } else { &office.purchases });
        done.fetch_add(1, Ordering::Relaxed);
    });
    let rounds = done.load(Ordering::Relaxed);
    println!("{rounds} rounds of documents");
    for (table, each) in
        [("finance_invoice", 1), ("finance_payment", 1), ("finance_credit", 1), ("finance_application", 2)]
    {
        assert_eq!(shop.count(table, "1 = 1"), rounds * each, "{table}");
    }
    // An issue, the money, two applications, a recognition.
    assert_eq!(shop.count("ledger_entry", "1 = 1"), rounds * 5);
    assert_eq!(shop.count("stoa_idempotency", "status is null"), 0, "no claim was left open");
    office.sound();
}

/// An invoice of 100 that a payment of 60 and a credit of 40 settle.
fn trade(desk: &Desk) {
    let send = |path: &str, body: &Json| desk.shop.post_until_answered(&desk.at(path), body);
    let invoice = send("invoices", &desk.body(json!([desk.free("1", "100")]))).is(201).id();
    let (verb, grounds) = match desk.at("") == "sales/" {
        true => ("issue", json!({})),
        false => ("recognize", desk.grounds()),
    };
    send(&format!("invoices/{invoice}/{verb}"), &with(&grounds, json!({ "expectedVersion": 1 }))).is(200);
    let payment = with(&desk.payment("60"), json!({ "applications": parts(&[(&invoice, "60")]) }));
    send("payments", &payment).is(201);
    let credit = send("credit-notes", &with(&desk.credit("40"), json!({ "reason": fresh("round ") }))).is(201).id();
    let path = format!("credit-notes/{credit}");
    send(&format!("{path}/recognize"), &with(&desk.grounds(), json!({ "expectedVersion": 1 }))).is(200);
    let applied = json!({ "expectedVersion": 2, "applications": parts(&[(&invoice, "40")]) });
    send(&format!("{path}/applications"), &applied).is(201);
}
