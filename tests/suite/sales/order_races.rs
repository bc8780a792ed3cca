//! Many hands on the same orders and goods. [E242], [E243], [E249]; a change that races a confirmation comes wholly before
//! it or after it.

use serde_json::json;
use stoa_tests::company::{fresh, with};
use stoa_tests::selling::counter;
use stoa_tests::{Answer, Database, at_once, on_both_databases};

on_both_databases![
    e242_no_more_orders_are_confirmed_than_there_are_goods,
    e243_a_unit_is_held_by_one_order,
    e249_confirming_and_cancelling_one_wins,
    completing_and_cancelling_one_wins,
    a_confirmation_races_a_price,
    a_confirmation_races_a_stock_drain,
    a_confirmation_races_the_sale_of_its_unit,
    a_confirmation_races_a_damage_of_its_unit,
    a_confirmation_races_an_archive,
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

/// The order is at the price before or at the price after, and where its total was expected at no other.
fn a_confirmation_races_a_price(database: Database) {
    let counter = counter(database);
    for round in 0..8 {
        let variant = counter.shop.counted(0);
        let price = counter.price(&variant, "10");
        counter.shop.stock_up(&counter.main, &variant, "5");
        let order = counter.draft_of(&variant, "2");
        let expected = if round % 2 == 0 { json!({}) } else { json!({ "expectedTotal": "20" }) };
        let answers = at_once(2, |n| {
            if n == 0 {
                return counter.step(&order, "confirm", 1, expected.clone());
            }
            counter.reprice(&price, &variant, "11");
            counter.read(&order)
        });
        let is_confirmed = count_won(&answers, &["TOTAL_CHANGED"]) == 2;
        let read = counter.read(&order);
        let (status, version) = if is_confirmed { ("CONFIRMED", 2) } else { ("DRAFT", 1) };
        assert_eq!((&read["status"], &read["version"]), (&json!(status), &json!(version)), "{read}");
        let (unit, total) = (read["items"][0]["unitPrice"].clone(), read.text("total"));
        let is_priced = |price: &str, sum: &str| unit == price && total == sum;
        let before = is_priced("10.000000", "20.000000000000");
        assert!(before || (round % 2 == 0 && is_priced("11.000000", "22.000000000000")), "round {round}: {read}");
    }
    counter.shop.verified();
}

/// The second caller finds what the first left: too little.
fn a_confirmation_races_a_stock_drain(database: Database) {
    let counter = counter(database);
    for _ in 0..8 {
        let variant = counter.good("10", "5");
        let order = counter.draft_of(&variant, "3");
        let answers = at_once(2, |n| match n {
            0 => counter.confirm(&order),
            _ => counter.shop.take("ADJUSTMENT_OUT", &variant, &counter.main, "4"),
        });
        let refused = |answer: &Answer| answer.status == 409 && answer.body["code"] == "INSUFFICIENT_STOCK";
        let held = match (answers[0].status, answers[1].status) {
            (200, _) if refused(&answers[1]) => json!({ "onHand": 5, "reserved": 3, "available": 2 }),
            (_, 201) if refused(&answers[0]) => json!({ "onHand": 1, "available": 1 }),
            _ => panic!("{} {}", answers[0], answers[1]),
        };
        counter.shop.assert_level(&counter.main, &variant, held);
    }
    counter.shop.verified();
}

/// One order holds the unit and no other order sells it, or it is sold and the order stays a draft.
fn a_confirmation_races_the_sale_of_its_unit(database: Database) {
    let counter = counter(database);
    for _ in 0..6 {
        let (phone, units) = counter.phone("300", 1);
        let items = json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]);
        let [one, other] = [(); 2].map(|()| counter.draft(items.clone()));
        let answers = at_once(2, |n| match n {
            0 => counter.confirm(&one),
            _ => {
                let confirmed = counter.confirm(&other);
                if confirmed.status == 200 { counter.complete(&other) } else { confirmed }
            }
        });
        assert_eq!(count_won(&answers, &["UNIT_UNAVAILABLE"]), 1);
        let expected = if answers[0].status == 200 { "RESERVED" } else { "SOLD" };
        assert_eq!(counter.shop.serial_unit(&units[0])["status"], expected);
    }
    counter.shop.verified();
}

/// A unit that is found damaged while its order is confirmed: it is held, or it is damaged.
fn a_confirmation_races_a_damage_of_its_unit(database: Database) {
    let counter = counter(database);
    for _ in 0..6 {
        let (phone, units) = counter.phone("300", 1);
        let order = counter.draft(json!([{ "variantId": phone, "quantity": "1", "unitIds": units }]));
        let answers = at_once(2, |n| match n {
            0 => counter.confirm(&order),
            _ => counter.shop.move_unit(&units[0], "DAMAGE", json!({})),
        });
        let state = counter.shop.serial_unit(&units[0]).text("status");
        let expected = if answers[0].status == 200 { "RESERVED" } else { "DAMAGED" };
        assert_eq!(state, expected, "{} {}", answers[0], answers[1]);
        assert!(
            answers.iter().all(|answer| answer.status < 300 || answer.status == 409),
            "{} {}",
            answers[0],
            answers[1]
        );
        assert_eq!(answers.iter().filter(|answer| answer.status < 300).count(), 1);
    }
    counter.shop.verified();
}

/// A record that an order names is archived while the order is confirmed: it was confirmed before, or it is rejected for it.
fn a_confirmation_races_an_archive(database: Database) {
    let counter = counter(database);
    for round in 0..9 {
        let variant = counter.good("10", "5");
        let customer = json!({ "code": fresh("C-"), "name": "Short" });
        let customer = counter.shop.post("sales/customers", customer).is(201).id();
        let list = counter.shop.price_list(&fresh("LIST-"));
        counter.shop.price(&list, &variant, None, None).is(201);
        let items = json!([{ "variantId": variant, "quantity": "1" }]);
        let body = with(&counter.order(items), json!({ "customerId": customer, "priceListId": list }));
        let order = counter.shop.post("sales/orders", body).is(201).id();
        let (path, pointer) = match round % 3 {
            0 => (format!("catalog/variants/{variant}"), "/items/0/variantId"),
            1 => (format!("sales/customers/{customer}"), "/customerId"),
            _ => (format!("pricing/price-lists/{list}"), "/priceListId"),
        };
        let answers = at_once(2, |n| if n == 0 { counter.confirm(&order) } else { counter.shop.archive(&path) });
        answers[1].clone().is(200);
        if answers[0].status != 200 {
            answers[0].clone().refused(409, "ARCHIVED").at(pointer);
        }
        let status = if answers[0].status == 200 { "CONFIRMED" } else { "DRAFT" };
        assert_eq!(counter.read(&order)["status"], status);
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
