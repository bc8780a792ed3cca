//! Many hands on the same documents: neither balance is exceeded, nothing is billed, numbered or recognised twice, and
//! whatever comes of it the books agree with the documents. [F4], [F7], [F8], [F17], [F28], [F36], [F42], [F43], [F47],
//! [F51], [F55], [F60], [F62]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, Trade, parts};
use stoa_tests::company::{fresh, with};
use stoa_tests::drawer::{Drawer, component};
use stoa_tests::goods::WHY;
use stoa_tests::tables::figure;
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    f4_ten_drafts_of_one_number,
    f7_two_invoices_of_the_last_pieces,
    f8_an_invoice_races_a_cancellation,
    f17_a_document_is_recognised_by_one,
    f28_a_unit_is_billed_by_one,
    f36_a_payment_is_confirmed_by_one,
    f42_twenty_payments_of_one_invoice,
    f43_one_payment_by_two_requests,
    f47_a_reversal_races_an_application,
    f51_two_credits_of_one_invoice,
    f55_a_correction_races_a_delivery,
    f60_two_refunds_of_the_rest,
    f62_a_refund_races_the_session_s_end,
    an_invoice_is_issued_by_one,
    a_void_races_a_payment,
    a_credit_s_void_races_its_application,
    two_checkouts_of_one_order,
    a_checkout_races_an_invoice,
    crossing_payments_of_the_same_invoices,
];

/// How many succeeded; the others were refused with one of these codes, and with nothing worse.
#[track_caller]
fn count_won(answers: &[Answer], codes: &[&str]) -> usize {
    let won = answers.iter().filter(|answer| answer.status < 300).count();
    for answer in answers.iter().filter(|answer| answer.status >= 300) {
        assert!(answer.status == 409 && codes.contains(&answer["code"].as_str().unwrap_or_default()), "{answer}");
    }
    won
}

/// A transition whose version was read before.
fn send(desk: &Desk, path: &str, verb: &str, version: i64, members: &Json) -> Answer {
    desk.shop.post(&desk.at(&format!("{path}/{verb}")), with(&json!({ "expectedVersion": version }), members.clone()))
}

/// Issues a draft of version 1.
fn issue(desk: &Desk, draft: &str) -> Answer {
    let path = format!("invoices/{draft}");
    match desk.trade {
        Trade::Sales => send(desk, &path, "issue", 1, &json!({})),
        Trade::Purchases => send(desk, &path, "recognize", 1, &desk.grounds()),
    }
}

fn f4_ten_drafts_of_one_number(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let number = json!({ "number": fresh("Same-") });
        let answers = at_once(10, |_| desk.try_draft(json!([]), number.clone()));
        assert_eq!(count_won(&answers, &["DUPLICATE"]), 1);
    }
}

fn f7_two_invoices_of_the_last_pieces(database: Database) {
    let office = Office::with_books(database);
    let counter = &office.counter;
    let variant = counter.good("10", "100");
    for _ in 0..3 {
        let order = counter.deliver(json!([{ "variantId": variant, "quantity": "10" }]));
        let item = counter.read(&order)["items"][0]["id"].clone();
        let bought = office.buyer.place(json!([stoa_tests::purchases::line(&variant, "10", "1")]));
        for (desk, item) in [(&office.sales, item), (&office.purchases, json!(bought.item_id(0)))] {
            let drafts: Vec<String> =
                (0..2).map(|_| desk.draft(json!([{ "orderItemId": item, "quantity": "6" }]))).collect();
            let answers = at_once(2, |n| issue(desk, &drafts[n]));
            assert_eq!(count_won(&answers, &["LIMIT_EXCEEDED"]), 1);
            let lost = answers.iter().find(|answer| answer.status == 409).expect("one lost");
            lost.clone().fault("/lines/0", "BILLED_BEYOND_ORDER");
        }
        assert_eq!(counter.read(&order)["items"][0]["billedQuantity"], "6.000000");
    }
    office.sound();
}

fn f8_an_invoice_races_a_cancellation(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let variant = counter.good("10", "100");
    for _ in 0..6 {
        let order = counter.draft_of(&variant, "2");
        counter.confirm(&order).is(200);
        let draft = desk.draft(json!([{ "orderItemId": counter.read(&order)["items"][0]["id"], "quantity": "2" }]));
        let answers = at_once(2, |n| if n == 0 { issue(desk, &draft) } else { counter.cancel(&order, 2) });
        assert_eq!(count_won(&answers, &["ILLEGAL_STATE", "LIMIT_EXCEEDED", "REFERENCE_INVALID"]), 1);
        let (invoice, order) = (desk.invoice(&draft), counter.read(&order));
        assert!(invoice["status"] != "ISSUED" || order["status"] != "CANCELLED", "{invoice} {order}");
    }
    office.sound();
}

fn f17_a_document_is_recognised_by_one(database: Database) {
    let office = Office::with_books(database);
    let desk = &office.purchases;
    for _ in 0..4 {
        let drafts = [desk.owe_draft("9"), desk.owe_draft("9")];
        let grounds = desk.grounds();
        let answers = at_once(2, |n| send(desk, &format!("invoices/{}", drafts[n]), "recognize", 1, &grounds));
        assert_eq!(count_won(&answers, &["DUPLICATE"]), 1);
    }
    office.sound();
}

fn f28_a_unit_is_billed_by_one(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    for _ in 0..4 {
        let (phone, units) = counter.phone("300", 2);
        let order = counter.deliver(json!([{ "variantId": phone, "quantity": "2", "unitIds": units }]));
        let item = counter.read(&order)["items"][0]["id"].clone();
        let line = json!([{ "orderItemId": item, "quantity": "1", "unitIds": units[..1] }]);
        let drafts = [desk.draft(line.clone()), desk.draft(line)];
        let answers = at_once(2, |n| issue(desk, &drafts[n]));
        assert_eq!(count_won(&answers, &["FULFILMENT_INCOMPLETE"]), 1);
    }
    office.sound();
}

fn f36_a_payment_is_confirmed_by_one(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let payment = desk.try_pay("30", json!({ "status": "PENDING" })).is(201).id();
        let answers = at_once(4, |_| send(desk, &format!("payments/{payment}"), "confirm", 1, &json!({})));
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
        assert_eq!(office.entries(&payment).len(), 1);
    }
    office.sound();
}

fn f42_twenty_payments_of_one_invoice(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("100");
        let answers = at_once(20, |_| desk.try_pay("10", json!({ "applications": parts(&[(&invoice, "10")]) })));
        assert_eq!(count_won(&answers, &["LIMIT_EXCEEDED"]), 10);
        let read = desk.invoice(&invoice);
        assert_eq!(figure(&read["balance"]), "0");
        assert!(read["settledOn"].is_string());
        assert_eq!(desk.shop.all(&desk.at("payments"), &[("limit", "100")]).len(), 10);
    }
    office.sound();
}

fn f43_one_payment_by_two_requests(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for source in [desk.pay("10"), desk.grant("10")] {
            let invoices = [desk.owe("10"), desk.owe("10")];
            let version = desk.version(&source).as_i64().unwrap();
            let answers = at_once(2, |n| {
                let body = json!({ "applications": parts(&[(&invoices[n], "10")]) });
                send(desk, &source, "applications", version, &body)
            });
            assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
            assert_eq!(desk.available(&source), "0");
        }
    }
    office.sound();
}

fn f47_a_reversal_races_an_application(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for _ in 0..4 {
            let invoice = desk.owe("30");
            let payment = desk.pay_for("30", &[(&invoice, "10")]);
            let answers = at_once(2, |n| match n {
                0 => send(desk, &payment, "reverse", 1, &json!({ "reason": WHY })),
                _ => send(desk, &payment, "applications", 1, &json!({ "applications": parts(&[(&invoice, "5")]) })),
            });
            assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
            let owed = if answers[0].status == 200 { "30" } else { "15" };
            assert_eq!(desk.balance(&invoice), owed);
        }
    }
    office.sound();
}

fn f51_two_credits_of_one_invoice(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("100");
        let credits: Vec<String> = (0..2).map(|_| desk.request("60", json!({ "originInvoiceId": invoice }))).collect();
        let answers = at_once(2, |n| send(desk, &credits[n], "recognize", 1, &desk.grounds()));
        assert_eq!(count_won(&answers, &["LIMIT_EXCEEDED"]), 1);
        let lost = answers.iter().find(|answer| answer.status == 409).expect("one lost");
        lost.clone().fault("/amount", "EXCEEDS_INVOICE");
    }
    office.sound();
}

fn f55_a_correction_races_a_delivery(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.purchases);
    for _ in 0..4 {
        let variant = office.shop.counted(0);
        counter.price(&variant, "50");
        let item = office.buyer.stock(&variant, "3", "33.333333");
        let order = counter.draft_of(&variant, "2");
        counter.confirm(&order).is(200);
        let lines = json!([{ "receiptItemId": item, "amount": "10" }]);
        let credit = desk.request("10", json!({ "reasonType": "COST_CORRECTION", "costLines": lines }));
        let answers = at_once(2, |n| match n {
            0 => send(desk, &credit, "recognize", 1, &desk.grounds()),
            _ => counter.complete(&order),
        });
        assert_eq!(count_won(&answers, &[]), 2);
        office.reconcile();
    }
    office.sound();
}

fn f60_two_refunds_of_the_rest(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for source in [desk.pay("10"), desk.grant("10")] {
            let version = desk.version(&source).as_i64().unwrap();
            let answers = at_once(2, |_| send(desk, &source, "refunds", version, &desk.refund("10")));
            assert_eq!(count_won(&answers, &["VERSION_CONFLICT", "LIMIT_EXCEEDED"]), 1);
        }
    }
    office.sound();
}

fn f62_a_refund_races_the_session_s_end(database: Database) {
    let office = Office::with_services(database, true);
    let desk = &office.sales;
    for _ in 0..6 {
        let drawer = office.drawer("100");
        let credit = desk.grant("10");
        let cash = with(&desk.refund("10"), json!({ "method": "CASH", "sessionId": drawer.id() }));
        let answers = at_once(2, |n| match n {
            0 => send(desk, &credit, "refunds", 2, &cash),
            _ => drawer.try_close("100"),
        });
        answers[1].clone().is(201);
        let refunded = count_won(&answers[..1], &["CASH_SESSION_REQUIRED"]) == 1;
        assert_eq!(drawer.cash(), if refunded { "90" } else { "100" });
        assert_eq!(answers[1]["answers"][0]["expected"], if refunded { "90.000000" } else { "100.000000" });
    }
    office.sound();
}

fn an_invoice_is_issued_by_one(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let draft = desk.owe_draft("30");
        let answers = at_once(8, |_| issue(desk, &draft));
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
        assert_eq!(office.entries(&draft).len(), 1);
    }
    office.sound();
}

fn a_void_races_a_payment(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for _ in 0..4 {
            let invoice = desk.owe("30");
            let answers = at_once(2, |n| match n {
                0 => send(desk, &format!("invoices/{invoice}"), "void", 2, &json!({ "reason": WHY })),
                _ => desk.try_pay("30", json!({ "applications": parts(&[(&invoice, "30")]) })),
            });
            assert_eq!(count_won(&answers, &["ILLEGAL_STATE", "REFERENCE_INVALID", "VERSION_CONFLICT"]), 1);
        }
    }
    office.sound();
}

fn a_credit_s_void_races_its_application(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for _ in 0..4 {
            let (invoice, credit) = (desk.owe("30"), desk.grant("30"));
            let answers = at_once(2, |n| match n {
                0 => send(desk, &credit, "void", 2, &json!({ "reason": WHY })),
                _ => send(desk, &credit, "applications", 2, &json!({ "applications": parts(&[(&invoice, "30")]) })),
            });
            assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
        }
    }
    office.sound();
}

fn two_checkouts_of_one_order(database: Database) {
    let office = Office::with_services(database, true);
    let drawers = [office.drawer("0"), office.drawer("0")];
    for _ in 0..4 {
        let order = office.order("50");
        let answers = at_once(2, |n| drawers[n].try_checkout(&order, &[component(1, "CASH", "50")]));
        assert_eq!(count_won(&answers, &["ILLEGAL_STATE", "VERSION_CONFLICT"]), 1);
    }
    let held: i64 = drawers.iter().map(|drawer| drawer.cash().parse::<i64>().unwrap()).sum();
    assert_eq!(held, 200, "each order was collected once");
    office.sound();
}

fn a_checkout_races_an_invoice(database: Database) {
    let office = Office::with_services(database, true);
    let (drawer, desk): (Drawer, &Desk) = (office.drawer("0"), &office.sales);
    for _ in 0..4 {
        let order = office.order("50");
        let item = office.counter.read(&order)["items"][0]["id"].clone();
        let draft = desk.draft(json!([{ "orderItemId": item, "quantity": "1" }]));
        let answers = at_once(2, |n| match n {
            0 => drawer.try_checkout(&order, &[component(1, "CASH", "50")]),
            _ => issue(desk, &draft),
        });
        assert_eq!(count_won(&answers, &[]), 2, "whichever comes second settles");
        assert_eq!(desk.balance(&draft), "0");
    }
    office.sound();
}

fn crossing_payments_of_the_same_invoices(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoices: Vec<String> = (0..4).map(|_| desk.owe("100")).collect();
        let forth: Vec<(&str, &str)> = invoices.iter().map(|invoice| (invoice.as_str(), "5")).collect();
        let back: Vec<(&str, &str)> = forth.iter().rev().copied().collect();
        let answers = at_once(12, |n| {
            let applied = if n % 2 == 0 { &forth } else { &back };
            desk.try_pay("20", json!({ "applications": parts(applied) }))
        });
        assert_eq!(count_won(&answers, &[]), 12, "no requests wait in a circle");
        assert!(invoices.iter().all(|invoice| desk.balance(invoice) == "40"));
    }
    office.sound();
}
