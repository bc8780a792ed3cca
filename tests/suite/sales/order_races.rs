//! Many hands on the same orders and goods. [E242], [E243], [E249]; what races a confirmation comes wholly before it or after it.

use serde_json::json;
use stoa_tests::selling::counter;
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    e242_no_more_orders_are_confirmed_than_there_are_goods,
    e243_a_unit_is_held_by_one_order,
    e249_confirming_and_cancelling_one_wins,
    completing_and_cancelling_one_wins,
    a_confirmation_races_a_price_and_an_archive,
    the_last_piece_is_sold_once,
];

/// No refusal but the expected one, and above all no 500 and no 503.
#[track_caller]
fn count_won(answers: &[Answer], refusals: &[&str]) -> usize {
    for answer in answers {
        let code = answer.body["code"].as_str().unwrap_or_default();
        assert!(answer.status == 200 || (answer.status == 409 && refusals.contains(&code)), "{answer}");
    }
    answers.iter().filter(|answer| answer.status == 200).count()
}

fn e242_no_more_orders_are_confirmed_than_there_are_goods(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "10");
    let orders: Vec<String> = (0..64).map(|_| counter.draft_of(&variant, "1")).collect();
    let answers = at_once(64, |n| counter.confirm(&orders[n]));
    assert_eq!(count_won(&answers, &["INSUFFICIENT_STOCK"]), 10);
    assert_eq!(counter.shop.figure(&variant, &counter.main, "reserved"), "10.000000");
    assert_eq!(counter.shop.all("sales/orders", &[("status", "CONFIRMED")]).len(), 10);
    counter.shop.verified();
}

fn e243_a_unit_is_held_by_one_order(database: Database) {
    let counter = counter(database);
    let (phone, units) = counter.phone("300", 1);
    let items = json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]);
    let orders = [counter.draft(items.clone()), counter.draft(items)];
    let answers = at_once(2, |n| counter.confirm(&orders[n]));
    assert_eq!(count_won(&answers, &["UNIT_UNAVAILABLE"]), 1);
    assert!(answers.iter().all(|answer| !answer.to_string().contains(&units[0])));
    counter.shop.verified();
}

fn e249_confirming_and_cancelling_one_wins(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "100");
    for _ in 0..8 {
        let order = counter.draft_of(&variant, "1");
        let answers = at_once(2, |n| if n == 0 { counter.confirm(&order) } else { counter.cancel(&order, 1) });
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
    }
    counter.shop.verified();
}

fn completing_and_cancelling_one_wins(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "100");
    for _ in 0..8 {
        let order = counter.draft_of(&variant, "1");
        counter.confirm(&order).is(200);
        let answers = at_once(2, |n| if n == 0 { counter.complete(&order) } else { counter.cancel(&order, 2) });
        assert_eq!(count_won(&answers, &["VERSION_CONFLICT"]), 1);
    }
    counter.shop.verified();
}

fn a_confirmation_races_a_price_and_an_archive(database: Database) {
    let counter = counter(database);
    for _ in 0..6 {
        let variant = counter.shop.counted(0);
        let price = counter.price(&variant, "10");
        counter.shop.stock_up(&counter.main, &variant, "5");
        let order = counter.draft_of(&variant, "1");
        let answers = at_once(3, |n| match n {
            0 => counter.confirm(&order),
            1 => {
                counter.reprice(&price, &variant, "11");
                counter.read(&order)
            }
            _ => counter.shop.archive(&format!("catalog/variants/{variant}")),
        });
        count_won(&answers, &["ARCHIVED", "REFERENCE_INVALID"]);
        let read = counter.read(&order);
        let total = read["total"].as_str().unwrap();
        assert!(["10.000000000000", "11.000000000000"].contains(&total), "{read}");
    }
    counter.shop.verified();
}

fn the_last_piece_is_sold_once(database: Database) {
    let counter = counter(database);
    let variant = counter.good("10", "1");
    let orders = [counter.draft_of(&variant, "1"), counter.draft_of(&variant, "1")];
    let answers = at_once(32, |n| counter.confirm(&orders[n % 2]));
    assert_eq!(count_won(&answers, &["INSUFFICIENT_STOCK", "VERSION_CONFLICT"]), 1);
    counter.shop.verified();
}
