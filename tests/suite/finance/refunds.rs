//! Refunds of both sides that leave no till. [F60], [F64], [F66]

use serde_json::json;
use stoa_tests::billing::{Desk, Office, id};
use stoa_tests::books::day;
use stoa_tests::{Database, on_both_databases};

on_both_databases![lists_find_refunds,];

on_both_databases![
    rules:
    f60_no_more_is_given_back_than_there_is,
    f64_only_cash_names_a_session,
    f66_what_is_left_of_a_payment_is_given_back,
    a_void_refund_is_available_again,
    refunds_post_money,
    refunds_are_approved,
    a_refund_is_not_before_what_it_gives_back,
];

fn f60_no_more_is_given_back_than_there_is(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for source in [desk.pay("10"), desk.grant("10")] {
            desk.try_refund(&source, "10.000001", json!({}))
                .refused(409, "LIMIT_EXCEEDED")
                .fault("/amount", "EXCEEDS_AVAILABLE");
            desk.try_refund(&source, "10", json!({})).is(201);
            desk.try_refund(&source, "0.000001", json!({}))
                .refused(409, "LIMIT_EXCEEDED")
                .bounds("/amount", json!({ "maximum": "0.000000" }));
        }
    }
    office.sound();
}

fn f64_only_cash_names_a_session(database: Database) {
    let office = Office::with_books(database);
    let session = json!({ "sessionId": uuid::Uuid::now_v7() });
    for desk in office.desks() {
        desk.try_refund(&desk.pay("10"), "1", session.clone())
            .refused(400, "VALIDATION_FAILED")
            .fault("/sessionId", "NOT_ALLOWED");
    }
    let cash = json!({ "method": "CASH", "sessionId": uuid::Uuid::now_v7() });
    let desk = &office.purchases;
    desk.try_refund(&desk.pay("10"), "1", cash).refused(400, "VALIDATION_FAILED").at("/sessionId");
}

fn f66_what_is_left_of_a_payment_is_given_back(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let payment = desk.pay_for("100", &[(&desk.owe("70"), "70")]);
        desk.try_refund(&payment, "30", json!({})).is(201);
        desk.try_refund(&payment, "1", json!({})).refused(409, "LIMIT_EXCEEDED").at("/amount");
        let read = desk.read(&payment);
        assert_eq!(
            [&read["applied"], &read["refunded"], &read["available"], &read["version"]],
            [&json!("70.000000"), &json!("30.000000"), &json!("0.000000"), &json!(2)],
            "a refund raises the version of what it takes from"
        );
    }
    office.sound();
}

fn a_void_refund_is_available_again(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        for source in [desk.pay("10"), desk.grant("10")] {
            let before = office.balances();
            let refund = desk.give_back(&source, "4");
            desk.void(&refund, json!({ "voidedOn": day(-1) }))
                .refused(409, "ILLEGAL_STATE")
                .fault("/voidedOn", "DATE_BEFORE_DOCUMENT");
            desk.void(&refund, json!({ "sessionId": uuid::Uuid::now_v7() }))
                .refused(400, "VALIDATION_FAILED")
                .fault("/sessionId", "NOT_ALLOWED");
            desk.void(&refund, json!({})).is(200);
            desk.void(&refund, json!({})).refused(409, "ILLEGAL_STATE");
            assert_eq!((desk.available(&source), office.balances()), ("10".to_string(), before));
        }
    }
    office.sound();
}

/// P22, P23.
fn refunds_post_money(database: Database) {
    let office = Office::with_books(database);
    let entries = |desk: &Desk| {
        let refund = desk.give_back(&desk.grant("10"), "4");
        desk.void(&refund, json!({})).is(200);
        office.entries(id(&refund))
    };
    assert_eq!(entries(&office.sales), ["MONEY: 2050 +4, 1010 -4", "MONEY:VOID: 1010 +4, 2050 -4"]);
    assert_eq!(entries(&office.purchases), ["MONEY: 1010 +4, 1150 -4", "MONEY:VOID: 1150 +4, 1010 -4"]);
    office.sound();
}

fn refunds_are_approved(database: Database) {
    let office = Office::new(database);
    let writers = ["sales.read", "sales.create", "purchases.read", "purchases.create"];
    let writer = office.as_person(&office.shop.colleague(&writers));
    for desk in writer.desks() {
        desk.try_refund(&desk.pay("10"), "1", json!({})).refused(403, "PERMISSION_DENIED");
    }
    for desk in office.desks() {
        let payment = desk.pay("10");
        desk.step_at(&payment, "refunds", json!(2), desk.refund("1")).refused(409, "VERSION_CONFLICT");
    }
}

fn a_refund_is_not_before_what_it_gives_back(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        desk.try_refund(&desk.pay("10"), "1", json!({ "refundedOn": day(-1) }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/refundedOn", "DATE_BEFORE_DOCUMENT");
        desk.try_refund(&desk.pay("10"), "1", json!({ "refundedOn": day(2) }))
            .refused(400, "VALIDATION_FAILED")
            .fault("/refundedOn", "DATE_IN_FUTURE");
    }
}

fn lists_find_refunds(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let (payment, credit) = (desk.pay("10"), desk.grant("10"));
        let (of_payment, of_credit) = (desk.give_back(&payment, "1"), desk.give_back(&credit, "2"));
        let find = |query: &[(&str, &str)]| desk.shop.list(&desk.at("refunds"), query).is(200).ids();
        assert_eq!(find(&[("paymentId", id(&payment))]), [id(&of_payment)]);
        assert_eq!(find(&[("creditId", id(&credit))]), [id(&of_credit)]);
        assert_eq!(find(&[("totalMin", "2"), ("from", &day(0)), ("to", &day(0))]), [id(&of_credit)]);
        desk.void(&of_credit, json!({})).is(200);
        assert_eq!(find(&[("status", "VOID")]), [id(&of_credit)]);
    }
}
