//! A day at the till: opened, twenty sales of all kinds, a refund, a pay-out, closed. The expected cash is derived from the
//! rows of the ledgers of three modules, and equals the count.

use serde_json::json;
use stoa_tests::company::with;
use stoa_tests::tills::{cash, parts, till_with_books};
use stoa_tests::{Database, on_both_databases};

on_both_databases![a_day_at_the_till];

fn a_day_at_the_till(database: Database) {
    let till = till_with_books(database);
    let (shop, counter) = (till.shop(), &till.counter);
    let session = till.open("200");
    let (good, service) = (counter.good("12.5", "100"), counter.service("3.75"));
    let (phone, units) = counter.phone("300", 4);
    for nth in 0..20 {
        let (items, payment) = match nth % 5 {
            0 => (json!([{ "variantId": good, "quantity": "2" }]), cash("30")),
            1 => (json!([{ "variantId": service, "quantity": "1" }]), parts(&[("CARD", "3.75")])),
            2 => (
                json!([{ "variantId": phone, "quantity": "1", "unitIds": [units[nth / 5]] }]),
                with(&parts(&[("CARD", "200"), ("CASH", "100")]), json!({ "cashTendered": "110" })),
            ),
            3 => (
                json!([{ "variantId": good, "quantity": "1" }, { "variantId": service, "quantity": "2" }]),
                parts(&[("TRANSFER", "10"), ("CHECK", "5"), ("CASH", "5")]),
            ),
            _ => (json!([{ "variantId": good, "quantity": "1", "unitPrice": "10" }]), cash("10")),
        };
        session.try_check_out(&till.order(items), payment).is(201);
    }
    let payment = till.prepay("25");
    session.try_refund(&payment, 1, "25").is(201);
    session.try_move_at(21, "OUT", "60", json!({ "counterAccountId": till.books().money("BANK") })).is(201);
    // 4 x (25 + 100 + 5 + 10) in cash.
    let expected = "675.000000";
    assert_eq!(session.expected_cash(), expected);
    let sum = |query: &str| {
        let rows = shop.rows(query);
        let amounts = rows.iter().flatten().map(|text| millionths(text));
        amounts.sum::<i128>()
    };
    let total = |table: &str, column: &str, condition: &str| {
        sum(&format!("select {column} from {table} where {{tenant}} and {condition}"))
    };
    let receipts = total("pos_receipt", "cash_amount", "1 = 1");
    let paid_out = total("pos_cash_movement", "amount", "direction = 'OUT'");
    let refunded = total("finance_refund", "amount", "session_id is not null");
    assert_eq!(millionths("200.000000") + receipts - paid_out - refunded, millionths(expected));
    // Finance's own rows of the drawer say the same.
    assert_eq!(total("finance_money_move", "amount", "session_id is not null"), millionths(expected));
    let closed = session.try_close(expected).is(200);
    assert_eq!(closed["variance"], "0.000000");
    let report = session.report();
    assert_eq!((&report["receipts"]["count"], &report["receipts"]["total"]), (&json!(20), &json!("1435.000000")));
    assert_eq!(report["cash"]["sales"], "560.000000");
    // Delivered amounts equal collected ones: nothing is left between them.
    let closing = till.books().closing();
    assert_eq!(closing.get("1160"), None, "{closing:?}");
    assert_eq!(closing.get("4000").map(String::as_str), Some("-1435.000000000000"), "{closing:?}");
    shop.verified();
}

/// A decimal in millionths: PostgreSQL writes its point, SQLite keeps millionths.
fn millionths(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').map_or((text, ""), |(whole, fraction)| (whole, fraction));
    format!("{whole}{fraction}").parse().expect("a decimal of six digits after the point")
}
