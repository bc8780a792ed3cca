//! Checkout: the order of its refusals, what it asks of sales and finance, and what it writes.

use serde_json::{Value as Json, json};
use stoa_sdk::Problem;
use stoa_sdk::store::Reply;
use stoa_trade::clients::sales::{Order, Status as OrderStatus};
use stoa_trade::refusal::illegal;

use crate::records::session::SessionRow;
use crate::tests::counter::{
    Counter, ORDER, SESSION, a_refusal, call, closed_session, kinds, order, refusal, session, session_reply,
};

fn in_cash(tendered: &str) -> Json {
    body(json!({ "tenderedAmount": tendered }))
}

fn body(payment: Json) -> Json {
    let mut body = json!({ "orderId": ORDER, "expectedOrderVersion": 2, "expectedSessionVersion": 3 });
    body.as_object_mut().unwrap().extend(payment.as_object().unwrap().clone());
    body
}

/// The replies to reading the session, and to writing with so many payments.
fn replies(payments: usize) -> Vec<Vec<Reply>> {
    let mut written = vec![Reply::Done, Reply::Inserted(vec![true])];
    if payments > 0 {
        written.push(Reply::Inserted(vec![true; payments]));
    }
    vec![vec![session_reply(&session())], written]
}

fn check_out(counter: Counter, session: &SessionRow, body: Json) -> (Result<Json, Problem>, Vec<String>) {
    let (_, acts) = counter.open(vec![vec![session_reply(session)]]);
    let answer = call("checkoutPosSession", SESSION, body);
    let acts = acts.borrow().clone();
    (answer, acts)
}

#[test]
fn e308_the_whole_in_cash_is_one_payment() {
    let (log, acts) = Counter::default().open(replies(1));
    let receipt = call("checkoutPosSession", SESSION, in_cash("25.5")).unwrap();
    assert_eq!(*acts.borrow(), ["prepare 1", "deliver 2 true", "collect 10.000000"]);
    assert_eq!(
        (receipt["changeAmount"].as_str(), receipt["cashAmount"].as_str()),
        (Some("15.500000"), Some("10.000000"))
    );
    assert_eq!(receipt["sessionVersion"], json!(4));
    let payments = receipt["payments"].as_array().unwrap();
    assert_eq!(payments.len(), 1);
    // It is finance's payment.
    assert_eq!(payments[0]["id"], json!("00000000-0000-0014-0000-000000000001"));
    assert_eq!((payments[0]["method"].as_str(), payments[0]["status"].as_str()), (Some("CASH"), Some("CONFIRMED")));
    assert_eq!(kinds(&log), ["pos.receipt.created"]);
    assert_eq!(log.borrow().runs.len(), 2, "one round trip to read the session, one to write all");
}

#[test]
fn e329_the_event_carries_identifiers_alone() {
    let (log, _) = Counter::default().open(replies(1));
    call("checkoutPosSession", SESSION, in_cash("10")).unwrap();
    let data: Json = serde_json::from_str(&log.borrow().events[0].data).unwrap();
    let names: Vec<&String> = data.as_object().unwrap().keys().collect();
    assert_eq!(names, ["receiptId", "sessionId", "orderId"]);
}

#[test]
fn e309_components_keep_their_order() {
    let (_, acts) = Counter::default().open(replies(2));
    let payments = json!([
        { "method": "CARD", "cardKind": "DEBIT", "amount": "6.5", "reference": "AB-99812" },
        { "method": "CASH", "amount": "3.5" },
    ]);
    let receipt =
        call("checkoutPosSession", SESSION, body(json!({ "payments": payments, "cashTendered": "5" }))).unwrap();
    assert_eq!(acts.borrow()[0], "prepare 2");
    let reported: Vec<_> = receipt["payments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|payment| (payment["lineNo"].clone(), payment["amount"].clone()))
        .collect();
    assert_eq!(reported, [(json!(1), json!("6.500000")), (json!(2), json!("3.500000"))]);
    assert_eq!(
        (receipt["tenderedAmount"].as_str(), receipt["changeAmount"].as_str()),
        (Some("11.500000"), Some("1.500000"))
    );
}

#[test]
fn e322_a_total_of_nothing_is_collected_without_a_payment() {
    let free = Counter { order: Some(order("0.000000000000")), ..Counter::default() };
    let (_, acts) = free.open(replies(0));
    let receipt = call("checkoutPosSession", SESSION, in_cash("5")).unwrap();
    assert_eq!((receipt["payments"].clone(), receipt["changeAmount"].as_str()), (json!([]), Some("5.000000")));
    assert_eq!(*acts.borrow(), ["prepare 0", "deliver 2 true", "collect 0.000000"]);
}

#[test]
fn refusals_come_in_the_order_of_the_rules_and_touch_nothing() {
    let other = SessionRow { operator_id: "bob".to_owned(), ..session() };
    let counter_with = |order: Order| Counter { order: Some(order), ..Counter::default() };
    let completed = counter_with(Order { status: OrderStatus::Completed, ..order("10.000000000000") });
    let stale = counter_with(Order { version: 5, status: OrderStatus::Completed, ..order("10.000000000000") });
    let elsewhere = counter_with(Order { warehouse_id: (9, 9), price_list_id: (9, 9), ..order("10.000000000000") });
    let fine = counter_with(order("10.000000100000"));
    let gone = Counter { order: None, ..Counter::default() };
    let here = session();
    let closed = SessionRow { version: 3, ..closed_session() };
    for (what, counter, session, body, expected) in [
        (
            "the body before all",
            gone.clone(),
            &other,
            body(json!({})),
            a_refusal("VALIDATION_FAILED", &["/tenderedAmount REQUIRED"]),
        ),
        ("the operator before the order", gone.clone(), &other, in_cash("1"), a_refusal("PERMISSION_DENIED", &[])),
        ("the order before versions", gone, &here, in_cash("1"), a_refusal("NOT_FOUND", &["/orderId NOT_FOUND"])),
        (
            "versions before states",
            stale,
            &closed,
            in_cash("1"),
            a_refusal("VERSION_CONFLICT", &["/expectedOrderVersion VERSION_CONFLICT"]),
        ),
        ("a closed session", completed.clone(), &closed, in_cash("1"), a_refusal("ILLEGAL_STATE", &[])),
        (
            "[E318] a delivered order",
            completed,
            &here,
            in_cash("1"),
            a_refusal("ILLEGAL_STATE", &["/orderId ILLEGAL_STATE"]),
        ),
        (
            "[E319] another place",
            elsewhere,
            &here,
            in_cash("1"),
            a_refusal("REGISTER_MISMATCH", &["/warehouseId MISMATCH", "/priceListId MISMATCH"]),
        ),
        (
            "[E321] a fine total",
            fine,
            &here,
            in_cash("1"),
            a_refusal("AMOUNT_PRECISION", &["/items/0 AMOUNT_PRECISION"]),
        ),
        (
            "[E311] too little",
            Counter::default(),
            &here,
            in_cash("9.999999"),
            a_refusal("TENDER_INSUFFICIENT", &["/tenderedAmount TENDER_INSUFFICIENT"]),
        ),
    ] {
        let (answer, acts) = check_out(counter, session, body);
        assert_eq!(refusal(answer), expected, "{what}");
        assert!(acts.is_empty(), "{what}: {acts:?}");
    }
}

#[test]
fn e320_both_versions_are_told() {
    let stale =
        json!({ "orderId": ORDER, "expectedOrderVersion": 1, "expectedSessionVersion": 9, "tenderedAmount": "1" });
    let (answer, _) = check_out(Counter::default(), &session(), stale);
    let both = ["/expectedSessionVersion VERSION_CONFLICT", "/expectedOrderVersion VERSION_CONFLICT"];
    assert_eq!(refusal(answer), a_refusal("VERSION_CONFLICT", &both));
}

#[test]
fn what_finance_refuses_points_into_the_request_and_no_goods_move() {
    let card =
        json!([{ "method": "CARD", "cardKind": "DEBIT", "amount": "10", "reference": "AB", "accountId": ORDER }]);
    let account = || Problem::at("PAYMENT_ACCOUNT_INVALID", "/components/0/accountId");
    for (refused, body, expected) in [
        (
            account(),
            body(json!({ "payments": card })),
            a_refusal("PAYMENT_ACCOUNT_INVALID", &["/payments/0/accountId PAYMENT_ACCOUNT_INVALID"]),
        ),
        (account(), in_cash("10"), a_refusal("PAYMENT_ACCOUNT_INVALID", &["/tenderedAmount PAYMENT_ACCOUNT_INVALID"])),
        (illegal("/order", "ORDER_BILLED"), in_cash("10"), a_refusal("ILLEGAL_STATE", &["/orderId ORDER_BILLED"])),
    ] {
        let counter = Counter { refused: Some(refused), ..Counter::default() };
        let (answer, acts) = check_out(counter, &session(), body);
        assert_eq!(refusal(answer), expected);
        assert_eq!(acts.len(), 1, "only `prepare` was asked: {acts:?}");
    }
}
