//! The batch of prices: all or nothing, and the usual price change by `replace`.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::company::{price, with};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    all_are_created,
    one_fault_refuses_all,
    overlap_within_the_batch,
    replace_closes_the_open_price,
    five_hundred_at_most,
    a_schedule_sees_prices_of_any_number,
];

on_both_databases![
    rules:
    without_replace_the_open_price_is_in_the_way,
];

fn shelf(database: Database) -> (Company, String, String) {
    let shop = company(database);
    let list = shop.price_list("SHELF");
    (shop, list.clone(), format!("pricing/price-lists/{list}/prices/batch"))
}

fn prices(shop: &Company, list: &str) -> Vec<Json> {
    shop.all(&format!("pricing/price-lists/{list}/prices"), &[("limit", "100")])
}

fn all_are_created(database: Database) {
    let (shop, list, batch) = shelf(database);
    let lines: Vec<Json> = (0..5).map(|n| price(&shop.article(&format!("A{n}")).1, "1.5", None, None)).collect();
    let answer = shop.post(&batch, json!({ "prices": lines }));
    assert_eq!(answer.status, 201, "{answer}");
    assert_eq!(prices(&shop, &list).len(), 5);
}

fn one_fault_refuses_all(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, priced) = shop.article("PRICED");
    shop.price(&list, &priced, None, None).is(201);
    let free: Vec<Json> = (0..5).map(|n| price(&shop.article(&format!("A{n}")).1, "1", None, None)).collect();
    let missing = uuid::Uuid::now_v7().to_string();
    let before = shop.digest();
    for (line, status, code, pointer) in [
        (price(&priced, "1", None, None), 409, "PRICE_PERIOD_OVERLAP", "/prices/5/validFrom"),
        (price(&missing, "1", None, None), 404, "NOT_FOUND", "/prices/5/variantId"),
        (price(&priced, "1e3", None, None), 400, "VALIDATION_FAILED", "/prices/5/amount"),
        (
            with(&price(&priced, "1", None, None), json!({ "currencyCode": "USD" })),
            409,
            "REFERENCE_INVALID",
            "/prices/5/currencyCode",
        ),
    ] {
        let mut lines = free.clone();
        lines.push(line);
        let answer = shop.post(&batch, json!({ "prices": lines })).refused(status, code);
        assert_eq!(answer.pointers(), [pointer], "{answer}");
    }
    assert_eq!(shop.digest(), before);
}

fn overlap_within_the_batch(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, variant) = shop.article("A");
    let border = Some("2026-01-01T00:00:00Z");
    let lines = json!([price(&variant, "1", None, border), price(&variant, "2", None, None)]);
    let refused = shop.post(&batch, json!({ "prices": lines })).refused(409, "PRICE_PERIOD_OVERLAP");
    assert!(refused.errors()[0]["conflictsWith"].is_null(), "a price of the request has no id: {refused}");
    let lines = json!([price(&variant, "1", None, border), price(&variant, "2", border, None)]);
    shop.post(&batch, json!({ "prices": lines })).is(201);
    assert_eq!(prices(&shop, &list).len(), 2);
}

fn replace_closes_the_open_price(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, variant) = shop.article("A");
    let open = shop.price(&list, &variant, Some("2026-01-01T00:00:00Z"), None).is(201);
    let from = "2026-06-01T00:00:00.000Z";
    let body = json!({ "replace": true, "prices": [price(&variant, "20", Some(from), None)] });
    shop.post(&batch, body).is(201);
    let read = shop.get(&format!("pricing/price-lists/{list}/prices/{}", open.id())).is(200);
    assert_eq!((&read["validTo"], &read["amount"]), (&json!(from), &open["amount"]), "{read}");
    assert_eq!(prices(&shop, &list).len(), 2);
    // A price with an end of its own is not closed: that would change what a user scheduled.
    let (_, other) = shop.article("B");
    shop.price(&list, &other, Some("2026-01-01T00:00:00Z"), Some("2027-01-01T00:00:00Z")).is(201);
    let body = json!({ "replace": true, "prices": [price(&other, "20", Some(from), None)] });
    shop.post(&batch, body).refused(409, "PRICE_PERIOD_OVERLAP");
}

fn without_replace_the_open_price_is_in_the_way(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, variant) = shop.article("A");
    let open = shop.price(&list, &variant, Some("2026-01-01T00:00:00Z"), None).is(201).id();
    let lines = json!([price(&variant, "20", Some("2026-06-01T00:00:00Z"), None)]);
    for body in [json!({ "prices": lines }), json!({ "prices": lines, "replace": false })] {
        let refused = shop.post(&batch, body).refused(409, "PRICE_PERIOD_OVERLAP").at("/prices/0/validFrom");
        assert_eq!(refused.errors()[0]["conflictsWith"], json!(open), "{refused}");
    }
}

fn five_hundred_at_most(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, variant) = shop.article("A");
    let year = |n: usize| format!("{:04}-01-01T00:00:00Z", 1000 + n);
    let lines =
        |n: usize| -> Vec<Json> { (0..n).map(|i| price(&variant, "1", Some(&year(i)), Some(&year(i + 1)))).collect() };
    shop.post(&batch, json!({ "prices": lines(501) })).refused(400, "VALIDATION_FAILED").fault("/prices", "TOO_MANY");
    shop.post(&batch, json!({ "prices": [] })).refused(400, "VALIDATION_FAILED").fault("/prices", "TOO_FEW");
    shop.post(&batch, json!({ "prices": lines(500) })).is(201);
    assert_eq!(prices(&shop, &list).len(), 500);
}

/// No ceiling: 16,001 prices of an hour each are in the way, which is more than eight replies of the store hold.
fn a_schedule_sees_prices_of_any_number(database: Database) {
    let (shop, list, batch) = shelf(database);
    let (_, variant) = shop.article("A");
    let begin: DateTime<Utc> = "2100-01-01T00:00:00Z".parse().expect("an instant");
    let instant = |hours: i64, minutes: i64| {
        let time = begin + Duration::hours(hours) + Duration::minutes(minutes);
        time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    };
    shop.price(&list, &variant, Some(&instant(0, 0)), Some(&instant(1, 0))).is(201);
    let (from, to) = (shop.hours_after("t.valid_from", "s.n"), shop.hours_after("t.valid_to", "s.n"));
    shop.copy_rows("pricing_price", "1 = 1", 16_000, &[("valid_from", &from), ("valid_to", &to)]);
    // Each of the batch meets another one of them.
    let within = |hour: i64| price(&variant, "2", Some(&instant(hour, 15)), Some(&instant(hour, 45)));
    let lines: Vec<Json> = (0..200).map(|nth| within(nth * 80)).chain([within(16_000)]).skip(1).collect();
    let refused = shop.post(&batch, json!({ "prices": lines })).refused(409, "PRICE_PERIOD_OVERLAP");
    assert_eq!(refused.pointers().len(), 200);
    let around =
        [price(&variant, "2", None, Some(&instant(0, 0))), price(&variant, "3", Some(&instant(16_001, 0)), None)];
    shop.post(&batch, json!({ "prices": around })).is(201);
    let change = json!({ "replace": true, "prices": [price(&variant, "4", Some(&instant(17_000, 0)), None)] });
    let changed = shop.post(&batch, change).is(201);
    assert_eq!(changed["closed"].as_array().map(Vec::len), Some(1));
    assert_eq!(shop.count("pricing_price", "1 = 1"), 16_004);
}
