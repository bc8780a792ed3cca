//! Reports: X as often as wanted, Z for ever, and their parts agree. [E300], [E304]

use serde_json::{Value as Json, json};
use stoa_tests::company::{with, without};
use stoa_tests::tills::{cash, parts, till, till_with_books};
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    e300_the_last_x_is_the_z_and_stays,
    e304_a_session_without_a_receipt_reports_nothing,
    the_parts_of_a_report_agree,
    d4_a_report_adds_up_beyond_twelve_digits,
];

/// A report without the members that may differ from one asking to the next.
fn figures(report: &Json) -> Json {
    ["asOf", "kind", "closedAt", "countedAmount", "variance"]
        .iter()
        .fold(report.clone(), |rest, name| without(&rest, name))
}

fn e300_the_last_x_is_the_z_and_stays(database: Database) {
    let till = till_with_books(database);
    let session = till.open("100");
    let (first, second) = (session.report(), session.report());
    assert_eq!(without(&first.body, "asOf"), without(&second.body, "asOf"));
    assert_eq!((&first["kind"], session.version()), (&json!("X"), 1));
    session.sell("20", cash("50"));
    session.sell("30", parts(&[("CARD", "10"), ("CHECK", "20")]));
    session.try_move("OUT", "15").is(201);
    let payment = till.prepay("10");
    session.try_refund(&payment, 1, "10").is(201);
    let last = session.report();
    session.try_close("94").is(200);
    let z = session.report();
    assert_eq!(figures(&z.body), figures(&last.body));
    assert_eq!(
        (&z["kind"], &z["variance"], &z["countedAmount"]),
        (&json!("Z"), &json!("-1.000000"), &json!("94.000000"))
    );
    assert_eq!(z["asOf"], z["closedAt"]);
    till.open("94").sell("5", cash("5"));
    assert_eq!(session.report().body, z.body);
    till.shop().verified();
}

fn e304_a_session_without_a_receipt_reports_nothing(database: Database) {
    let till = till(database);
    let session = till.open("7");
    session.try_close("7").is(200);
    let report = session.report();
    assert_eq!(report["byMethod"], json!([]));
    let nothing = json!({ "count": 0, "total": "0.000000", "firstId": null, "lastId": null });
    assert_eq!(report["receipts"], nothing);
    let none = json!({ "count": 0, "amount": "0.000000" });
    let expected = json!({
        "sales": "0.000000", "changeGiven": "0.000000", "movementsIn": none, "movementsOut": none, "refunds": none,
        "refundsVoided": none, "expected": "7.000000",
    });
    assert_eq!(report["cash"], expected);
    assert_eq!((&report["sessionNo"], &report["openingAmount"]), (&json!(1), &json!("7.000000")));
    till.shop().get(&format!("pos/sessions/{}/report", till.register)).refused(404, "NOT_FOUND");
}

fn the_parts_of_a_report_agree(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let credit = json!({ "method": "CARD", "cardKind": "CREDIT", "amount": "5", "reference": "AB" });
    let first = session.sell("12", cash("20"));
    session.sell("5", json!({ "payments": [credit] }));
    session.sell("9", with(&parts(&[("CARD", "4"), ("CASH", "3"), ("OTHER", "2")]), json!({ "cashTendered": "10" })));
    let last = session.sell("1", parts(&[("TRANSFER", "1")]));
    let report = session.report();
    let row = |method: &str, kind: Json, count: i64, amount: &str| json!({ "method": method, "cardKind": kind, "count": count, "amount": amount });
    let by_method = json!([
        row("CASH", Json::Null, 2, "15.000000"),
        row("TRANSFER", Json::Null, 1, "1.000000"),
        row("CARD", json!("DEBIT"), 1, "4.000000"),
        row("CARD", json!("CREDIT"), 1, "5.000000"),
        row("OTHER", Json::Null, 1, "2.000000"),
    ]);
    assert_eq!(report["byMethod"], by_method);
    let receipts = json!({ "count": 4, "total": "27.000000", "firstId": first.id(), "lastId": last.id() });
    assert_eq!(report["receipts"], receipts);
    assert_eq!((&report["cash"]["sales"], &report["cash"]["changeGiven"]), (&json!("15.000000"), &json!("15.000000")));
    assert_eq!(report["cash"]["expected"], session.expected_cash());
}

fn d4_a_report_adds_up_beyond_twelve_digits(database: Database) {
    let till = till_with_books(database);
    let session = till.open("0");
    let (much, twice) = ("600000000000", "1200000000000.000000");
    for _ in 0..2 {
        session.sell(much, parts(&[("CARD", much)]));
        session.try_move("IN", much).is(201);
        session.try_move("OUT", much).is(201);
    }
    session.try_close("0").is(200);
    let z = session.report();
    assert_eq!([&z["receipts"]["total"], &z["byMethod"][0]["amount"]], [twice, twice]);
    assert_eq!([&z["cash"]["movementsIn"]["amount"], &z["cash"]["movementsOut"]["amount"]], [twice, twice]);
    till.shop().verified();
}
