//! Cash that is moved, and refunds that leave a drawer. [E292], [E293], [E301], [E306], [E307], and what is posted
//! (P22, P27, P28)

use serde_json::json;
use stoa_tests::tills::{cash, parts, till, till_with_books};
use stoa_tests::{Database, assert_table, on_both_databases};

on_both_databases![e292_the_operator_moves_cash_at_the_version_that_is,];

on_both_databases![
    rules:
    e293_out_goes_no_more_than_there_is,
    e301_expected_cash_is_of_cash_alone,
    e306_a_refund_by_transfer_leaves_the_drawer_alone,
    e307_a_refund_that_is_void_comes_into_an_open_session,
    what_is_moved_and_missing_is_posted,
    a_counter_account_is_another_of_the_entity,
];

fn e292_the_operator_moves_cash_at_the_version_that_is(database: Database) {
    let till = till(database);
    let session = till.open("100");
    let other = till.shop().colleague(&["sales.create", "sales.read"]);
    session.seen_by(&other).try_move_at(1, "IN", "1", json!({})).refused(403, "PERMISSION_DENIED");
    session.try_move_at(2, "IN", "1", json!({})).refused(409, "VERSION_CONFLICT");
    let moved = session.try_move_at(1, "IN", "1.5", json!({})).is(201);
    assert_eq!((&moved["sessionVersion"], &moved["amount"]), (&json!(2), &json!("1.500000")));
    assert_eq!((&moved["counterAccountId"], &moved["currencyCode"]), (&json!(null), &json!("EUR")));
    let list = till.shop().get(&format!("{}/cash-movements", session.path())).is(200);
    assert_eq!(list.ids(), [moved.id()]);
    let out = till.shop().list(&format!("{}/cash-movements", session.path()), &[("direction", "OUT")]).is(200);
    assert!(out.ids().is_empty());
    for (members, pointer) in [
        (json!({ "amount": "0" }), "/amount"),
        (json!({ "amount": "-1" }), "/amount"),
        (json!({ "reason": " " }), "/reason"),
        (json!({ "direction": "UP" }), "/direction"),
        (json!({ "expectedVersion": 0 }), "/expectedVersion"),
    ] {
        session.try_move_at(2, "IN", "1", members).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    let nowhere = json!({ "expectedVersion": 1, "direction": "IN", "amount": "1", "reason": "x" });
    till.shop().post(&format!("pos/sessions/{}/cash-movements", till.register), nowhere).refused(404, "NOT_FOUND");
    till.shop().get(&format!("pos/sessions/{}/cash-movements", till.register)).refused(404, "NOT_FOUND");
}

fn e293_out_goes_no_more_than_there_is(database: Database) {
    let session = till(database).open("100");
    session.try_move("OUT", "100.000001").refused(409, "LIMIT_EXCEEDED").fault("/amount", "EXCEEDS_TILL_CASH");
    assert_eq!(session.version(), 1, "what is refused is no version");
    session.try_move("OUT", "100").is(201);
    assert_eq!(session.expected_cash(), "0.000000");
    session.try_move("OUT", "0.000001").refused(409, "LIMIT_EXCEEDED");
    session.till.shop().verified();
}

fn e301_expected_cash_is_of_cash_alone(database: Database) {
    let till = till_with_books(database);
    let session = till.open("100");
    session.sell("20", cash("50"));
    session.sell("30", parts(&[("CARD", "30")]));
    session.try_move("IN", "5").is(201);
    session.try_move("OUT", "15").is(201);
    let payment = till.prepay("10");
    session.try_refund(&payment, 1, "10").is(201);
    let read = session.read();
    assert_eq!((&read["expectedCash"], &read["version"]), (&json!("100.000000"), &json!(5)));
    let closed = session.try_close("99").is(200);
    assert_eq!((&closed["variance"], &closed["expectedCash"]), (&json!("-1.000000"), &json!("100.000000")));
    till.shop().verified();
}

fn e306_a_refund_by_transfer_leaves_the_drawer_alone(database: Database) {
    let till = till(database);
    let session = till.open("100");
    let payment = till.prepay("10");
    till.try_refund(&payment, 1, "10", json!({ "method": "TRANSFER" })).is(201);
    assert_eq!(session.expected_cash(), "100.000000");
    let large_payment = till.prepay("200");
    session.try_refund(&large_payment, 1, "100.5").refused(409, "LIMIT_EXCEEDED").fault("/amount", "EXCEEDS_TILL_CASH");
    assert_eq!(session.expected_cash(), "100.000000");
}

fn e307_a_refund_that_is_void_comes_into_an_open_session(database: Database) {
    let till = till(database);
    let first = till.open("100");
    let payment = till.prepay("10");
    let refund = first.try_refund(&payment, 1, "10").is(201).id();
    first.try_close("90").is(200);
    let closed = first.report();
    let second = till.open("90");
    let void = json!({ "expectedVersion": 1, "reason": "came back", "sessionId": second.id });
    till.shop().post(&format!("sales/refunds/{refund}/void"), void).is(200);
    assert_eq!(second.expected_cash(), "100.000000");
    assert_eq!(second.report()["cash"]["refundsVoided"], json!({ "count": 1, "amount": "10.000000" }));
    assert_eq!(first.report().body, closed.body, "a closed session's report never changes");
    assert_eq!(first.expected_cash(), "90.000000");
    second.try_close("100").is(200);
    till.shop().verified();
}

fn what_is_moved_and_missing_is_posted(database: Database) {
    let till = till_with_books(database);
    let bank = till.books().money("BANK");
    let session = till.open("100");
    session.try_move("IN", "5").is(201);
    session.try_move_at(2, "OUT", "15", json!({ "counterAccountId": bank })).is(201);
    session.try_close("89").is(200);
    assert_table!(till.shop().journal_table(&till.counter.entity), @r"
    entry  account                   debit  credit
        1  1000 Cash                     5
           5310 Cash movements                   5
        2  1000 Cash                            15
           1010 Bank                    15
        3  1000 Cash                             1
           5300 Cash over and short      1
    ");
    till.shop().verified();
}

fn a_counter_account_is_another_of_the_entity(database: Database) {
    let till = till_with_books(database);
    let session = till.open("100");
    let cash_account = till.books().money("CASH");
    for account in [cash_account.as_str(), till.register.as_str()] {
        let refused = session.try_move_at(1, "OUT", "1", json!({ "counterAccountId": account }));
        refused.refused(409, "PAYMENT_ACCOUNT_INVALID").at("/counterAccountId");
    }
    let without = stoa_tests::tills::till(database);
    let refused = without.open("10").try_move_at(1, "OUT", "1", json!({ "counterAccountId": cash_account }));
    refused.refused(409, "PAYMENT_ACCOUNT_INVALID").at("/counterAccountId");
}
