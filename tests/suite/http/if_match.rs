//! ETag and If-Match: no caller overwrites unseen changes, unless the caller chooses to.

use serde_json::{Value as Json, json};
use stoa_tests::company::{price, product};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};
use uuid::Uuid;

on_both_databases![
    every_unversioned_record_has_one,
    tag_changes_with_every_change,
    stale_tag_is_refused,
    without_a_tag_the_last_writer_wins,
    tag_of_another_record_is_stale,
    one_of_two_writers_with_one_tag,
    part_of_the_fingerprint,
    replay_stands_before_the_comparison,
    malformed_tags,
];

/// A body that changes a record, another for every number.
type Change = Box<dyn Fn(u32) -> Json>;

/// One of each: path, and a body that changes it (`n` makes it another change).
fn records(shop: &Company) -> Vec<(String, Change)> {
    let brand = shop.brand("TAG");
    let unit = shop.unit("TAG", 0);
    let (product_id, variant) = shop.article("TAG");
    let url = "https://example.test/a";
    let media = format!("catalog/products/{product_id}/media");
    let media = shop.post(&media, json!({ "url": url })).is(201).id();
    let list = shop.price_list("TAG");
    let priced = shop.price(&list, &variant, None, None).is(201).id();
    vec![
        (format!("catalog/lookups/brands/{brand}"), Box::new(|n| json!({ "name": format!("N{n}"), "code": "TAG" }))),
        (format!("catalog/lookups/units/{unit}"), Box::new(|n| json!({ "name": format!("N{n}"), "code": "TAG" }))),
        (format!("catalog/products/{product_id}"), Box::new(|n| product(&format!("N{n}")))),
        (format!("catalog/variants/{variant}"), Box::new(|n| json!({ "sku": "TAG", "color": format!("N{n}") }))),
        (format!("catalog/media/{media}"), Box::new(move |n| json!({ "url": url, "position": n }))),
        (
            format!("pricing/price-lists/{list}"),
            Box::new(|n| json!({ "name": format!("N{n}"), "code": "TAG", "currencyCode": "EUR" })),
        ),
        (
            format!("pricing/price-lists/{list}/prices/{priced}"),
            Box::new(move |n| price(&variant, &n.to_string(), None, None)),
        ),
    ]
}

fn every_unversioned_record_has_one(database: Database) {
    let shop = company(database);
    for (path, change) in records(&shop) {
        let tag = shop.get(&path).is(200).etag();
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 2, "a strong tag: {tag}");
        assert_eq!(shop.get(&path).is(200).etag(), tag, "{path}");
        let changed = shop.put(&path, change(1)).is(200);
        assert_ne!(changed.etag(), tag, "{path}");
        assert_eq!(shop.get(&path).is(200).etag(), changed.etag(), "{path}");
        // Only for If-Match: a read never gets a 304.
        let read = shop.request("GET", &path).header("if-none-match", &changed.etag()).send();
        assert_eq!(read.status, 200, "{read}");
    }
    let made = shop.post("catalog/products", product("Created")).is(201);
    assert_eq!(made.etag(), shop.get(&format!("catalog/products/{}", made.id())).is(200).etag());
}

/// Two changes within a millisecond have two tags: it is the version that counts, not the time.
fn tag_changes_with_every_change(database: Database) {
    let shop = company(database);
    let path = format!("catalog/lookups/brands/{}", shop.brand("FAST"));
    let mut seen = vec![shop.get(&path).is(200).etag()];
    for n in 0..20 {
        let tag = shop.put(&path, json!({ "name": format!("N{n}"), "code": "FAST" })).is(200).etag();
        assert!(!seen.contains(&tag), "{tag} twice");
        seen.push(tag);
    }
}

fn stale_tag_is_refused(database: Database) {
    let shop = company(database);
    for (path, change) in records(&shop) {
        let seen = shop.get(&path).is(200).etag();
        let put = |tag: &str, n: u32| shop.request("PUT", &path).if_match(tag).json(&change(n)).send();
        let current = put(&seen, 2).is(200).etag();
        let before = shop.digest();
        put(&seen, 3).refused(412, "PRECONDITION_FAILED");
        let archive = shop.request("POST", &format!("{path}/archive")).if_match(&seen).json(&json!({})).send();
        archive.refused(412, "PRECONDITION_FAILED");
        assert_eq!(shop.digest(), before, "{path}");
        put(&current, 4).is(200);
    }
}

fn without_a_tag_the_last_writer_wins(database: Database) {
    let shop = company(database);
    for (path, change) in records(&shop) {
        shop.put(&path, change(2)).is(200);
        shop.put(&path, change(3)).is(200);
    }
}

fn tag_of_another_record_is_stale(database: Database) {
    let shop = company(database);
    let (a, b) = (shop.brand("A"), shop.brand("B"));
    let tag = shop.get(&format!("catalog/lookups/brands/{a}")).is(200).etag();
    let body = json!({ "name": "New", "code": "B" });
    let answer = shop.request("PUT", &format!("catalog/lookups/brands/{b}")).if_match(&tag).json(&body).send();
    answer.refused(412, "PRECONDITION_FAILED");
}

fn one_of_two_writers_with_one_tag(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let path = format!("catalog/lookups/brands/{}", shop.brand(&format!("R{round}")));
        let tag = shop.get(&path).is(200).etag();
        let answers = at_once(4, |n| {
            let body = json!({ "name": format!("Writer {n}"), "code": format!("R{round}") });
            shop.request("PUT", &path).if_match(&tag).json(&body).send()
        });
        let winners: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        let [winner] = winners[..] else { panic!("{} winners", winners.len()) };
        assert_eq!(shop.get(&path).is(200).body, winner.body);
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            answer.refused(412, "PRECONDITION_FAILED");
        }
    }
}

fn part_of_the_fingerprint(database: Database) {
    let shop = company(database);
    let path = format!("catalog/lookups/brands/{}", shop.brand("F"));
    let tag = shop.get(&path).is(200).etag();
    let body = json!({ "name": "New", "code": "F" });
    let key = Uuid::new_v4().to_string();
    shop.request("PUT", &path).key(&key).if_match(&tag).json(&body).send().is(200);
    let without = shop.request("PUT", &path).key(&key).json(&body).send();
    without.refused(409, "IDEMPOTENCY_KEY_REUSED");
    let other = shop.request("PUT", &path).key(&key).if_match("\"other\"").json(&body).send();
    other.refused(409, "IDEMPOTENCY_KEY_REUSED");
}

/// The retry of a conditional write replays, though the tag is stale by its own effect.
fn replay_stands_before_the_comparison(database: Database) {
    let shop = company(database);
    let path = format!("catalog/lookups/brands/{}", shop.brand("R"));
    let tag = shop.get(&path).is(200).etag();
    let key = Uuid::new_v4().to_string();
    let put =
        || shop.request("PUT", &path).key(&key).if_match(&tag).json(&json!({ "name": "New", "code": "R" })).send();
    let first = put().is(200);
    let again = put().is(200);
    assert!(again.replayed());
    assert_eq!((first.bytes.as_slice(), first.etag()), (again.bytes.as_slice(), again.etag()));
}

fn malformed_tags(database: Database) {
    let shop = company(database);
    let path = format!("catalog/lookups/brands/{}", shop.brand("M"));
    let before = shop.digest();
    for tag in ["x", "\"", "\"\"", "W/\"x\"", "\"a\" \"b\"", "\"no such\"", ""] {
        let body = json!({ "name": "New", "code": "M" });
        shop.request("PUT", &path).if_match(tag).json(&body).send().refused(412, "PRECONDITION_FAILED");
    }
    assert_eq!(shop.digest(), before);
}
