//! Many hands on the same drawers and orders: each act is counted exactly when it came first. [E289], [E294], [E296], [E316]

use serde_json::json;
use stoa_tests::tills::{Till, cash, till, till_with_books};
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    e289_a_register_has_one_open_session,
    e294_two_do_not_take_the_same_cash,
    e296_a_close_races_a_checkout,
    e296_a_close_races_a_movement_and_a_refund,
    e316_two_registers_collect_one_order_once,
    one_session_checks_out_one_at_a_time,
];

/// No refusal but the expected ones, and above all no 500 and no 503.
#[track_caller]
fn count_won(answers: &[Answer], refusals: &[&str]) -> usize {
    for answer in answers {
        let code = answer.body["code"].as_str().unwrap_or_default();
        assert!(answer.status < 300 || (answer.status == 409 && refusals.contains(&code)), "{answer}");
    }
    answers.iter().filter(|answer| answer.status < 300).count()
}

fn e289_a_register_has_one_open_session(database: Database) {
    let till = till(database);
    let answers = at_once(16, |_| till.try_open("10"));
    assert_eq!(count_won(&answers, &["SESSION_OPEN"]), 1);
    assert_eq!(till.shop().list("pos/sessions", &[("status", "OPEN")]).is(200).ids().len(), 1);
    assert_eq!(till.events("pos.session.opened"), 1);
    till.shop().verified();
}

fn e294_two_do_not_take_the_same_cash(database: Database) {
    let till = till(database);
    let session = till.open("100");
    let answers = at_once(2, |_| session.try_move_at(1, "OUT", "60", json!({})));
    assert_eq!(count_won(&answers, &["VERSION_CONFLICT", "LIMIT_EXCEEDED"]), 1);
    assert_eq!((session.expected_cash(), session.version()), ("40.000000".to_string(), 2));
    till.shop().verified();
}

fn e296_a_close_races_a_checkout(database: Database) {
    let till = till_with_books(database);
    for _ in 0..6 {
        let session = till.open("100");
        let order = till.order_of("10");
        let answers = at_once(2, |n| match n {
            0 => session.try_close_at(1, "100"),
            _ => session.try_check_out_at(&order, 1, cash("10")),
        });
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT", "ILLEGAL_STATE"]), 1);
        let is_sold = answers[1].status == 201;
        assert_eq!(session.expected_cash(), if is_sold { "110.000000" } else { "100.000000" });
        assert_eq!(till.counter.read(&order)["status"], if is_sold { "COMPLETED" } else { "CONFIRMED" });
        if is_sold {
            session.try_close("110").is(200);
        }
    }
    till.shop().verified();
}

fn e296_a_close_races_a_movement_and_a_refund(database: Database) {
    let till = till_with_books(database);
    for _ in 0..6 {
        let session = till.open("100");
        let payment = till.prepay("10");
        let answers = at_once(3, |n| match n {
            0 => session.try_close_at(1, "100"),
            1 => session.try_move_at(1, "IN", "5", json!({})),
            _ => session.try_refund(&payment, 1, "10"),
        });
        count_won(&answers, &["VERSION_CONFLICT", "ILLEGAL_STATE", "CASH_SESSION_REQUIRED"]);
        let moved = if answers[1].status == 201 { 5 } else { 0 };
        let refunded = if answers[2].status == 201 { 10 } else { 0 };
        assert_eq!(session.expected_cash(), format!("{}.000000", 100 + moved - refunded), "{answers:?}");
        // Either the close or the movement had the version.
        assert_eq!((answers[0].status == 200) as u8 + (answers[1].status == 201) as u8, 1);
        if answers[0].status != 200 {
            session.try_close("100").is(200);
        }
        let report = session.report();
        assert_eq!(report["cash"]["refunds"]["count"], i64::from(refunded > 0));
    }
    till.shop().verified();
}

fn e316_two_registers_collect_one_order_once(database: Database) {
    let till = till_with_books(database);
    let sessions = [till.open("0"), Till::new(till.counter.clone()).open("0")];
    for version in 1..=5 {
        let good = till.counter.good("10", "5");
        let order = till.order(json!([{ "variantId": good, "quantity": "1" }]));
        let answers = at_once(2, |n| {
            let session = &sessions[n];
            session.try_check_out_at(&order, session.version(), cash("10"))
        });
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT", "ILLEGAL_STATE"]), 1);
        let count = |table: &str| till.shop().count(table, "1 = 1");
        assert_eq!(
            (count("pos_receipt"), count("finance_payment"), count("finance_collection")),
            (version, version, version)
        );
        assert_eq!(till.shop().count("inventory_movement", "movement_type = 'SALE'"), version);
    }
    till.shop().verified();
}

fn one_session_checks_out_one_at_a_time(database: Database) {
    let till = till(database);
    let session = till.open("0");
    let orders: Vec<String> = (0..8).map(|_| till.order_of("10")).collect();
    let answers = at_once(8, |n| session.try_check_out_at(&orders[n], 1, cash("10")));
    assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
    assert_eq!((session.expected_cash(), session.version()), ("10.000000".to_string(), 2));
    till.shop().verified();
}
