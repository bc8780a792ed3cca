//! Receipts: as they are read, by whom, and that nothing changes them. [E327]..[E329]

use serde_json::{Value as Json, json};
use stoa_tests::tills::{Session, cash, parts, till, till_with_books};
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    e328_a_list_shows_no_payments,
    e329_events_carry_identifiers_alone,
    lists_find_receipts_by_what_is_asked,
    a_receipt_payment_is_finances,
];

on_both_databases![
    rules:
    e327_what_was_collected_is_undone_nowhere,
    machines_read_receipts_without_the_companys_own,
];

fn e327_what_was_collected_is_undone_nowhere(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let receipt = session.sell("10", cash("10"));
    let (order, payment) = (receipt.text("orderId"), receipt["payments"][0]["id"].clone());
    till.counter.cancel(&order, 3).refused(409, "ILLEGAL_STATE");
    let payment = payment.as_str().expect("an id");
    let void = json!({ "expectedVersion": 1, "reason": "a mistake" });
    till.shop().post(&format!("sales/payments/{payment}/void"), void).refused(409, "ILLEGAL_STATE");
    let invoice = till.bill(&order);
    assert_eq!(till.shop().get(&format!("sales/invoices/{invoice}")).is(200)["balance"], "0.000000");
    let other = till.prepay("10");
    let apply = json!({ "expectedVersion": 1, "applications": [{ "invoiceId": invoice, "amount": "1" }] });
    let refused = till.shop().post(&format!("sales/payments/{other}/applications"), apply);
    assert_eq!(refused.status, 409, "{refused}");
    let path = format!("pos/receipts/{}", receipt.id());
    till.shop().put(&path, json!({})).refused(405, "METHOD_NOT_ALLOWED");
    till.shop().delete(&path).refused(405, "METHOD_NOT_ALLOWED");
    till.shop().verified();
}

fn e328_a_list_shows_no_payments(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let made = session.sell("10", parts(&[("CARD", "4"), ("CASH", "6")]));
    let read = till.shop().get(&format!("pos/receipts/{}", made.id())).is(200);
    assert_eq!(read.body, made.body, "the receipt is what was answered at the till");
    let listed = till.shop().get("pos/receipts").is(200).items()[0].clone();
    let mut header = made.body.clone();
    header.as_object_mut().expect("an object").remove("payments");
    assert_eq!(listed, header);
    till.shop().get(&format!("pos/receipts/{}", till.register)).refused(404, "NOT_FOUND");
    let stranger = till.shop().colleague(&["catalog.read"]);
    stranger.get(&format!("pos/receipts/{}", made.id())).refused(403, "PERMISSION_DENIED");
}

fn e329_events_carry_identifiers_alone(database: Database) {
    let till = till(database);
    let session = till.open("100");
    session.sell("10", cash("10"));
    session.try_close("110").is(200);
    for (kind, names) in [
        ("pos.register.created", vec!["registerId"]),
        ("pos.session.opened", vec!["registerId", "sessionId"]),
        ("pos.receipt.created", vec!["orderId", "receiptId", "sessionId"]),
        ("pos.session.closed", vec!["registerId", "sessionId"]),
    ] {
        let events = till.shop().rows(&format!("select data from stoa_event where {{tenant}} and kind = '{kind}'"));
        let data: Json = serde_json::from_str(&events.last().expect("an event")[0]).expect("JSON");
        let mut reported: Vec<&String> = data.as_object().expect("an object").keys().collect();
        reported.sort_unstable();
        assert_eq!(reported, names, "{kind}");
    }
}

fn machines_read_receipts_without_the_companys_own(database: Database) {
    let till = till_with_books(database);
    let made = till.open("0").sell("10", parts(&[("CARD", "10")]));
    assert!(made["payments"][0]["accountId"].is_string());
    let key = till.shop().machine(&["sales.read"]);
    let path = format!("pos/receipts/{}", made.id());
    let read = key.get(&path).is(200);
    assert_eq!(read["payments"][0]["id"], made["payments"][0]["id"]);
    for secret in ["tenantId", "requestId"] {
        assert!(read[secret].is_null() && key.get("pos/receipts").is(200).items()[0][secret].is_null(), "{secret}");
    }
    for secret in ["tenantId", "accountId"] {
        assert!(read["payments"][0][secret].is_null(), "{secret}: {read}");
    }
    till.shop().machine(&["sales.write"]).get(&path).refused(403, "SCOPE_DENIED");
}

fn lists_find_receipts_by_what_is_asked(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let cheap = session.sell("10", cash("20"));
    let dear = session.sell("99.5", parts(&[("CARD", "50"), ("TRANSFER", "49.5")]));
    let found = |query: &[(&str, &str)]| till.shop().list("pos/receipts", query).is(200).ids();
    let both = [cheap.id(), dear.id()];
    assert_eq!(found(&[]), both);
    assert_eq!(found(&[("sessionId", &session.id), ("registerId", &till.register), ("currencyCode", "EUR")]), both);
    assert_eq!(found(&[("orderId", &dear.text("orderId"))]), [dear.id()]);
    assert_eq!(found(&[("method", "CASH")]), [cheap.id()]);
    assert_eq!(found(&[("method", "TRANSFER")]), [dear.id()]);
    assert_eq!(found(&[("method", "CHECK")]).len(), 0);
    assert_eq!(found(&[("totalMin", "10.0000000001")]), [dear.id()]);
    assert_eq!(found(&[("totalMin", "10"), ("totalMax", "10")]), [cheap.id()]);
    assert_eq!(found(&[("totalMax", "99.4999999")]), [cheap.id()]);
    assert_eq!(found(&[("totalMin", "99999999999999999999999999")]).len(), 0);
    assert_eq!(found(&[("to", "2020-01-01T00:00:00Z")]).len(), 0);
    assert_eq!(found(&[("from", &cheap.text("createdAt")), ("currencyCode", "USD")]).len(), 0);
    assert_eq!(found(&[("updatedSince", &dear.text("createdAt"))]), [dear.id()]);
    let first = till.shop().list("pos/receipts", &[("limit", "1")]).is(200);
    assert_eq!(found(&[("cursor", &first.text("nextCursor"))]), [dear.id()]);
}

fn a_receipt_payment_is_finances(database: Database) {
    let till = till_with_books(database);
    let session: Session = till.open("0");
    let receipt = session.sell("10", parts(&[("CARD", "4"), ("CASH", "6")]));
    for (line, payment) in (1..).zip(receipt["payments"].as_array().expect("payments")) {
        let id = payment["id"].as_str().expect("an id");
        let read = till.shop().get(&format!("sales/payments/{id}")).is(200);
        assert_eq!(read["number"], format!("POS-{}-{line}", receipt.id()));
        assert_eq!((&read["origin"], &read["status"]), (&json!("POS_RECEIPT"), &json!("CONFIRMED")));
        assert_eq!((&read["amount"], &read["method"]), (&payment["amount"], &payment["method"]));
        assert_eq!(read["accountId"], payment["accountId"]);
    }
    assert_eq!(till.shop().count("finance_payment", "1 = 1"), 2);
}
