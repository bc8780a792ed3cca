//! Resolution: the one price in effect, or a plain refusal. No fallback, no rounding.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product, with};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![now_by_default, r10_no_price_in_effect, unknown_list_or_variant, many_at_once, many_is_a_read,];

on_both_databases![
    rules:
    r09_archived_variant,
    draft_product_is_not_in_effect,
    bounds_of_many,
];

fn shelf(database: Database) -> (Company, String, String) {
    let shop = company(database);
    let list = shop.price_list("SHELF");
    (shop, list.clone(), format!("pricing/price-lists/{list}/resolve"))
}

fn now_by_default(database: Database) {
    let (shop, list, resolve) = shelf(database);
    let variant = shop.on_sale("NOW");
    let hour = chrono::Duration::hours(1);
    let now = chrono::Utc::now();
    let text = |time: chrono::DateTime<chrono::Utc>| time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let (past, future) = (text(now - hour), text(now + hour));
    let path = format!("pricing/price-lists/{list}/prices");
    shop.post(&path, price(&variant, "1", None, Some(&past))).is(201);
    let current = shop.post(&path, price(&variant, "2", Some(&past), Some(&future))).is(201);
    shop.post(&path, price(&variant, "3", Some(&future), None)).is(201);
    let resolved = shop.get(&format!("{resolve}/{variant}")).is(200);
    assert_eq!(resolved.body, current.body);
    let amount = |instant: &str| shop.list(&format!("{resolve}/{variant}"), &[("at", instant)]).is(200).text("amount");
    assert_eq!(amount("0001-01-01T00:00:00Z"), "1.000000");
    assert_eq!(amount("9999-12-31T23:59:59.999Z"), "3.000000");
    for wrong in ["", "2026", "2026-01-01T00:00:00+01:00"] {
        let answer = shop.list(&format!("{resolve}/{variant}"), &[("at", wrong)]);
        answer.refused(400, "VALIDATION_FAILED").at("/query/at");
    }
}

fn r09_archived_variant(database: Database) {
    let (shop, list, resolve) = shelf(database);
    let variant = shop.on_sale("GONE");
    shop.price(&list, &variant, None, None).is(201);
    shop.get(&format!("{resolve}/{variant}")).is(200);
    shop.archive(&format!("catalog/variants/{variant}")).is(200);
    shop.get(&format!("{resolve}/{variant}")).refused(404, "NOT_FOUND");
    let many = shop.post(&resolve, json!({ "variantIds": [variant] })).is(200);
    assert_eq!((&many["items"], &many["missing"]), (&json!([]), &json!([variant])));
}

fn r10_no_price_in_effect(database: Database) {
    let (shop, list, resolve) = shelf(database);
    let variant = shop.on_sale("NONE");
    let path = format!("{resolve}/{variant}");
    shop.get(&path).refused(404, "PRICE_NOT_IN_EFFECT");
    let past = shop.price(&list, &variant, None, Some("2020-01-01T00:00:00Z")).is(201).id();
    shop.price(&list, &variant, Some("2990-01-01T00:00:00Z"), None).is(201);
    shop.get(&path).refused(404, "PRICE_NOT_IN_EFFECT");
    shop.list(&path, &[("at", "2019-12-31T23:59:59.999Z")]).is(200);
    shop.list(&path, &[("at", "2020-01-01T00:00:00Z")]).refused(404, "PRICE_NOT_IN_EFFECT");
    shop.archive(&format!("pricing/price-lists/{list}/prices/{past}")).is(200);
    shop.list(&path, &[("at", "2019-12-31T23:59:59.999Z")]).refused(404, "PRICE_NOT_IN_EFFECT");
}

/// Decision C27: a DRAFT product's price is not a price in effect.
fn draft_product_is_not_in_effect(database: Database) {
    let (shop, list, resolve) = shelf(database);
    let (product_id, variant) = shop.article("DRAFT");
    shop.price(&list, &variant, None, None).is(201);
    shop.get(&format!("{resolve}/{variant}")).refused(404, "NOT_FOUND");
    let published = with(&product("Product DRAFT"), json!({ "publicationStatus": "PUBLISHED" }));
    shop.put(&format!("catalog/products/{product_id}"), published).is(200);
    shop.get(&format!("{resolve}/{variant}")).is(200);
    shop.archive(&format!("catalog/products/{product_id}")).is(200);
    shop.get(&format!("{resolve}/{variant}")).refused(404, "NOT_FOUND");
}

fn unknown_list_or_variant(database: Database) {
    let (shop, _, resolve) = shelf(database);
    let missing = uuid::Uuid::now_v7();
    let variant = shop.on_sale("A");
    shop.get(&format!("{resolve}/{missing}")).refused(404, "NOT_FOUND");
    shop.get(&format!("pricing/price-lists/{missing}/resolve/{variant}")).refused(404, "NOT_FOUND");
    shop.post(&format!("pricing/price-lists/{missing}/resolve"), json!({ "variantIds": [variant] }))
        .refused(404, "NOT_FOUND");
}

fn many_at_once(database: Database) {
    let (shop, list, resolve) = shelf(database);
    let variants: Vec<String> = (0..100).map(|n| shop.on_sale(&format!("M{n}"))).collect();
    for variant in variants.iter().step_by(2) {
        shop.price(&list, variant, None, None).is(201);
    }
    let answer = shop.post(&resolve, json!({ "variantIds": variants })).is(200);
    let mut resolved: Vec<&str> = answer.items().iter().filter_map(|item| item["variantId"].as_str()).collect();
    let mut missing: Vec<&str> = answer["missing"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut even: Vec<&str> = variants.iter().step_by(2).map(String::as_str).collect();
    let mut odd: Vec<&str> = variants.iter().skip(1).step_by(2).map(String::as_str).collect();
    for ids in [&mut resolved, &mut missing, &mut even, &mut odd] {
        ids.sort_unstable();
    }
    assert_eq!(resolved, even);
    assert_eq!(missing, odd);
    let unknown = uuid::Uuid::now_v7().to_string();
    let answer = shop.post(&resolve, json!({ "variantIds": [unknown] })).is(200);
    assert_eq!((&answer["items"], &answer["missing"]), (&json!([]), &json!([unknown])));
}

fn bounds_of_many(database: Database) {
    let (shop, _, resolve) = shelf(database);
    let ids = |n: usize| (0..n).map(|_| uuid::Uuid::now_v7().to_string()).collect::<Vec<_>>();
    for (body, pointer) in [
        (json!({ "variantIds": [] }), "/variantIds"),
        (json!({ "variantIds": ids(101) }), "/variantIds"),
        (json!({ "variantIds": "x" }), "/variantIds"),
        (json!({ "variantIds": ["x"] }), "/variantIds/0"),
        (json!({ "variantIds": [7] }), "/variantIds/0"),
        (json!({}), "/variantIds"),
    ] {
        shop.post(&resolve, body).refused(400, "VALIDATION_FAILED").at(pointer);
    }
    assert_eq!(
        shop.post(&resolve, json!({ "variantIds": ids(100) })).is(200)["missing"].as_array().map(Vec::len),
        Some(100)
    );
}

fn many_is_a_read(database: Database) {
    let (shop, _, resolve) = shelf(database);
    let body = json!({ "variantIds": [shop.on_sale("A")] });
    let before = shop.digest();
    shop.request("POST", &resolve).without("idempotency-key").json(&body).send().is(200);
    assert_eq!(shop.digest(), before);
}
