//! Idempotency keys: one effect per key, the same bytes again, and a refusal for another request.

use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, onboarding, price, product, with};
use stoa_tests::{Answer, Company, Database, Dice, at_once, company, on_both_databases};
use uuid::Uuid;

on_both_databases![
    replay_answers_the_same_bytes,
    p01_two_at_once,
    p02_member_order_is_no_difference,
    spelling_is_no_difference,
    p03_another_value_is_a_conflict,
    another_path_or_query_is_another_request,
    p04_another_actor_is_independent,
    another_company_is_independent,
    keys_are_required,
    keys_are_uuids_of_version_4_or_7,
    old_v7_keys_are_expired,
    a_refusal_stores_nothing,
    archive_and_delete_replay,
    replay_of_a_record_that_changed_since,
    onboarding_replays,
    f12_a_hundred_keys_sixteen_times,
    answers_of_reads_carry_no_replay,
];

const PRODUCTS: &str = "catalog/products";

fn keyed(shop: &Company, method: &str, path: &str, key: &str, body: &Json) -> Answer {
    shop.request(method, path).key(key).json(body).send()
}

fn new_key() -> String {
    Uuid::new_v4().to_string()
}

#[track_caller]
fn same(first: &Answer, again: &Answer) {
    assert!(again.replayed(), "no replay: {again}");
    assert!(!first.replayed(), "a replay at first: {first}");
    assert_eq!((first.status, &first.bytes), (again.status, &again.bytes), "{first}\n{again}");
    for header in ["content-type", "etag", "cache-control", "location"] {
        assert_eq!(first.header(header), again.header(header), "{header}");
    }
    assert_ne!(first.header("x-request-id"), again.header("x-request-id"), "each answer has its own request id");
}

fn replay_answers_the_same_bytes(database: Database) {
    let shop = company(database);
    for key in [Uuid::new_v4(), Uuid::now_v7()] {
        let key = key.to_string();
        let body = with(&product("Replayed"), json!({ "variants": [{ "sku": fresh("SKU-") }] }));
        let first = keyed(&shop, "POST", PRODUCTS, &key, &body).is(201);
        let before = shop.digest();
        for _ in 0..3 {
            same(&first, &keyed(&shop, "POST", PRODUCTS, &key, &body));
        }
        same(&first, &keyed(&shop, "POST", PRODUCTS, &key.to_uppercase(), &body));
        assert_eq!(shop.digest(), before, "a replay adds nothing, not even an audit row");
    }
}

fn p01_two_at_once(database: Database) {
    let shop = company(database);
    for round in 0..10 {
        let key = new_key();
        let body = with(&product("Once"), json!({ "variants": [{ "sku": format!("ONCE-{round}") }] }));
        let answers = at_once(2, |_| keyed(&shop, "POST", PRODUCTS, &key, &body).is(201));
        assert_eq!(answers[0].bytes, answers[1].bytes);
        assert_eq!(answers.iter().filter(|answer| answer.replayed()).count(), 1, "one ran, one is a replay");
    }
    assert_eq!(shop.all(PRODUCTS, &[]).len(), 10);
}

fn p02_member_order_is_no_difference(database: Database) {
    let shop = company(database);
    let key = new_key();
    let send = |text: &str| shop.request("POST", PRODUCTS).key(&key).bytes(text).send();
    let first =
        send(r#"{"name":"Order","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{"a":1,"b":2}}"#).is(201);
    for text in [
        r#"{"unitOfMeasure":"UNIT","attributes":{"b":2,"a":1},"productType":"GOOD","name":"Order"}"#,
        "{\n  \"productType\" : \"GOOD\",\r\n\t\"attributes\":{\"b\":2 , \"a\":1},\"name\":\"Order\",\"unitOfMeasure\":\"UNIT\"\n}",
        r#"{"name":"\u004frder","productType":"GOOD","unitOfMeasure":"UNIT","attributes":{"a":1,"b":2}}"#,
    ] {
        same(&first, &send(text));
    }
}

/// Spellings of another library: defaults, decimals, case of codes, space around a name, uuids, numbers.
fn spelling_is_no_difference(database: Database) {
    let shop = company(database);
    let list = shop.price_list("SPELL");
    let variant = shop.on_sale("SPELL");
    let prices = format!("pricing/price-lists/{list}/prices");
    let brand = shop.brand("SPELL");
    let cases = [
        (PRODUCTS, product("A"), with(&product("A"), json!({ "trackInventory": false, "publicationStatus": "DRAFT" }))),
        (PRODUCTS, product("B"), with(&product("B"), json!({ "description": null, "brandId": null, "slug": null }))),
        (PRODUCTS, product("C"), product("  C ")),
        (
            PRODUCTS,
            with(&product("D"), json!({ "brandId": brand })),
            with(&product("D"), json!({ "brandId": brand.to_uppercase() })),
        ),
        (prices.as_str(), price(&variant, "1.5", None, None), price(&variant, "1.500000", None, None)),
        (
            "pricing/price-lists",
            json!({ "code": "LOWER", "name": "L", "currencyCode": "EUR" }),
            json!({ "code": "lower", "name": "L", "currencyCode": "EUR", "visibility": "INTERNAL", "description": null }),
        ),
    ];
    for (path, one, other) in cases {
        let key = new_key();
        let first = keyed(&shop, "POST", path, &key, &one).is(201);
        same(&first, &keyed(&shop, "POST", path, &key, &other));
    }
}

fn p03_another_value_is_a_conflict(database: Database) {
    let shop = company(database);
    let key = new_key();
    let body = with(&product("First"), json!({ "attributes": { "n": 1 } }));
    keyed(&shop, "POST", PRODUCTS, &key, &body).is(201);
    let before = shop.digest();
    for change in [
        json!({ "name": "Second" }),
        json!({ "attributes": { "n": 2 } }),
        json!({ "attributes": { "n": "1" } }),
        json!({ "attributes": { "n": [1] } }),
        json!({ "description": "" }),
        json!({ "trackInventory": true }),
    ] {
        keyed(&shop, "POST", PRODUCTS, &key, &with(&body, change)).refused(409, "IDEMPOTENCY_KEY_REUSED");
    }
    assert_eq!(shop.digest(), before);
    // A faulty body is reported as such: 400 comes before the claim.
    keyed(&shop, "POST", PRODUCTS, &key, &json!({})).refused(400, "VALIDATION_FAILED").fault("/name", "REQUIRED");
}

fn another_path_or_query_is_another_request(database: Database) {
    let shop = company(database);
    let (one, two) = (shop.brand("ONE"), shop.brand("TWO"));
    let key = new_key();
    let body = |code: &str| json!({ "name": "New", "code": code });
    let path = |id: &str| format!("catalog/lookups/brands/{id}");
    let first = keyed(&shop, "PUT", &path(&one), &key, &body("ONE")).is(200);
    keyed(&shop, "PUT", &path(&two), &key, &body("TWO")).refused(409, "IDEMPOTENCY_KEY_REUSED");
    same(&first, &keyed(&shop, "PUT", &path(&one.to_uppercase()), &key, &body("ONE")));
    // Another operation has keys of its own.
    keyed(&shop, "POST", "catalog/lookups/brands", &key, &body("THREE")).is(201);
    keyed(&shop, "POST", PRODUCTS, &key, &product("P")).is(201);
}

fn p04_another_actor_is_independent(database: Database) {
    let shop = company(database);
    // A key says nothing about who sends it: a stranger with the same key is judged as a stranger.
    let key = new_key();
    let first = keyed(&shop, "POST", PRODUCTS, &key, &product("Mine")).is(201);
    let stranger = shop.as_user("stranger@example.test");
    let answer = keyed(&stranger, "POST", PRODUCTS, &key, &product("Mine")).refused(403, "MEMBERSHIP_REQUIRED");
    assert!(!answer.replayed());
    same(&first, &keyed(&shop, "POST", PRODUCTS, &key, &product("Mine")));
    // Onboarding has no tenant: there only the actor separates keys.
    let body = onboarding("Two owners");
    let onboard = |token: &str| {
        shop.host.request("POST", "/v1/onboarding/companies").token(token).key(&key).json(&body).send().is(201)
    };
    let (mine, theirs) = (onboard(&shop.token), onboard(&stranger.token));
    assert_ne!(mine["tenantId"], theirs["tenantId"]);
    assert!(!theirs.replayed());
}

fn another_company_is_independent(database: Database) {
    let (shop, other) = (company(database), company(database));
    let key = new_key();
    let first = keyed(&shop, "POST", PRODUCTS, &key, &product("Same")).is(201);
    let second = keyed(&other, "POST", PRODUCTS, &key, &product("Same")).is(201);
    assert!(!second.replayed());
    assert_ne!(first.id(), second.id());
}

fn keys_are_required(database: Database) {
    let shop = company(database);
    let id = shop.product("P");
    let before = shop.digest();
    for (method, path, body) in [
        ("POST", PRODUCTS.to_string(), product("P")),
        ("PUT", format!("{PRODUCTS}/{id}"), product("P")),
        ("POST", format!("{PRODUCTS}/{id}/archive"), json!({})),
        ("POST", "catalog/lookups/brands".into(), json!({ "name": "B", "code": "B" })),
        ("POST", "pricing/price-lists".into(), json!({ "name": "B", "code": "B", "currencyCode": "EUR" })),
    ] {
        let request = || shop.request(method, &path).json(&body);
        request().without("idempotency-key").send().refused(400, "IDEMPOTENCY_KEY_REQUIRED");
    }
    shop.request("DELETE", &format!("{PRODUCTS}/{id}"))
        .without("idempotency-key")
        .send()
        .refused(400, "IDEMPOTENCY_KEY_REQUIRED");
    assert_eq!(shop.digest(), before);
}

fn keys_are_uuids_of_version_4_or_7(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    let v4 = new_key();
    let wrong = [
        "".to_string(),
        "x".into(),
        "00000000-0000-0000-0000-000000000000".into(),
        "ffffffff-ffff-ffff-ffff-ffffffffffff".into(),
        "2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d".into(),
        "a6edc906-2f9f-5fb2-a373-efac406f0ef2".into(),
        "1ec9414c-232a-6b00-b3c8-9e6bdeced846".into(),
        "320c3d4d-cc00-875b-8ec9-32d5f69181c0".into(),
        "9b1deb4d-3b7d-4bad-0bdd-2b0d7b3dcb6d".into(),
        v4.replace('-', ""),
        format!("{{{v4}}}"),
        format!("urn:uuid:{v4}"),
        format!("{v4}x"),
        v4[..35].to_string(),
        format!("{v4},{v4}"),
        format!("\"{v4}\""),
        "é".into(),
    ];
    for key in wrong {
        let answer = keyed(&shop, "POST", PRODUCTS, &key, &product("P"));
        assert_eq!((answer.status, &answer["code"]), (400, &json!("IDEMPOTENCY_KEY_INVALID")), "{key}: {answer}");
    }
    let two = shop.request("POST", PRODUCTS).also("idempotency-key", &v4).json(&product("P")).send();
    two.refused(400, "IDEMPOTENCY_KEY_INVALID");
    assert_eq!(shop.digest(), before);
}

/// A v7 key carries its time: after seven days it is refused with nothing stored.
fn old_v7_keys_are_expired(database: Database) {
    let shop = company(database);
    let key = |age: Duration| {
        let made = std::time::SystemTime::now() - age;
        let since = made.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let time = uuid::Timestamp::from_unix(uuid::NoContext, since.as_secs(), since.subsec_nanos());
        Uuid::new_v7(time).to_string()
    };
    const DAY: u64 = 24 * 3600;
    let before = shop.digest();
    for days in [8, 30, 365] {
        let key = key(Duration::from_secs(days * DAY));
        keyed(&shop, "POST", PRODUCTS, &key, &product("Old")).refused(409, "IDEMPOTENCY_KEY_EXPIRED");
    }
    assert_eq!(shop.digest(), before);
    keyed(&shop, "POST", PRODUCTS, &key(Duration::from_secs(3600)), &product("An hour old")).is(201);
}

fn a_refusal_stores_nothing(database: Database) {
    let shop = company(database);
    // The first attempt fails for want of a unit; with the unit there, the retry runs.
    let key = new_key();
    let body = with(&product("Later"), json!({ "unitOfMeasure": "LATER" }));
    keyed(&shop, "POST", PRODUCTS, &key, &body).refused(404, "NOT_FOUND");
    shop.unit("LATER", 0);
    let made = keyed(&shop, "POST", PRODUCTS, &key, &body).is(201);
    assert!(!made.replayed());
    // After a refusal the key is free for another body, too.
    let key = new_key();
    let unnamed = keyed(&shop, "POST", PRODUCTS, &key, &json!({ "name": "" }));
    unnamed.refused(400, "VALIDATION_FAILED").fault("/name", "RANGE");
    keyed(&shop, "POST", PRODUCTS, &key, &product("Right")).is(201);
}

fn archive_and_delete_replay(database: Database) {
    let shop = company(database);
    let id = shop.brand("GONE");
    let key = new_key();
    let path = format!("catalog/lookups/brands/{id}/archive");
    let first = keyed(&shop, "POST", &path, &key, &json!({})).is(200);
    same(&first, &keyed(&shop, "POST", &path, &key, &json!({})));
    keyed(&shop, "POST", &path, &new_key(), &json!({})).refused(409, "ARCHIVED");

    let path = format!("{PRODUCTS}/{}", shop.product("Deleted"));
    let delete = || shop.request("DELETE", &path).key(&key).send();
    let first = delete().is(200);
    same(&first, &delete());
    shop.delete(&path).refused(404, "NOT_FOUND");
}

fn replay_of_a_record_that_changed_since(database: Database) {
    let shop = company(database);
    let key = new_key();
    let first = keyed(&shop, "POST", PRODUCTS, &key, &product("As it was")).is(201);
    let path = format!("{PRODUCTS}/{}", first.id());
    shop.put(&path, product("As it is")).is(200);
    same(&first, &keyed(&shop, "POST", PRODUCTS, &key, &product("As it was")));
    assert_eq!(shop.get(&path).is(200)["name"], "As it is", "a replay has no effect");
}

fn onboarding_replays(database: Database) {
    let shop = company(database);
    let key = new_key();
    let onboard = |name: &str| {
        let request = shop.host.request("POST", "/v1/onboarding/companies").token(&shop.token).key(&key);
        request.json(&onboarding(name)).send()
    };
    let first = onboard("Once").is(201);
    same(&first, &onboard("Once"));
    onboard("Twice").refused(409, "IDEMPOTENCY_KEY_REUSED");
}

/// [F12] 100 keys, 16 copies each, every tenth with a changed body: one effect per key.
fn f12_a_hundred_keys_sixteen_times(database: Database) {
    let shop = company(database);
    let mut dice = Dice::new("f12_a_hundred_keys_sixteen_times");
    let keys: Vec<(String, Json)> =
        (0..100).map(|n| (new_key(), json!({ "name": "F12", "code": format!("F{n}") }))).collect();
    let mut work: Vec<(usize, bool)> = (0..1600).map(|i| (i % 100, dice.one_in(10))).collect();
    for i in (1..work.len()).rev() {
        work.swap(i, dice.between(0, i as u64 + 1) as usize);
    }
    let results: Vec<Vec<(usize, bool, Answer)>> = at_once(16, |writer| {
        let mine = work.iter().skip(writer).step_by(16);
        mine.map(|(n, changed)| {
            let (key, body) = &keys[*n];
            let body = if *changed { with(body, json!({ "name": "Changed" })) } else { body.clone() };
            let answer = keyed(&shop, "POST", "catalog/lookups/brands", key, &body);
            (*n, *changed, answer)
        })
        .collect()
    });
    let all: Vec<&(usize, bool, Answer)> = results.iter().flatten().collect();
    for n in 0..100 {
        let of_key: Vec<_> = all.iter().filter(|(key, ..)| *key == n).collect();
        let made: Vec<_> = of_key.iter().filter(|(_, _, answer)| answer.status == 201 && !answer.replayed()).collect();
        let [(_, winner, first)] = made[..] else { panic!("key {n}: {} effects", made.len()) };
        for (_, changed, answer) in &of_key {
            match changed == winner {
                true => assert_eq!((answer.status, &answer.bytes), (201, &first.bytes), "key {n}: {answer}"),
                false => assert_eq!(answer["code"], "IDEMPOTENCY_KEY_REUSED", "key {n}: {answer}"),
            }
        }
    }
    assert_eq!(shop.all("catalog/lookups/brands", &[("limit", "100")]).len(), 100);
}

fn answers_of_reads_carry_no_replay(database: Database) {
    let shop = company(database);
    let key = new_key();
    for _ in 0..2 {
        let answer = shop.request("GET", PRODUCTS).key(&key).send().is(200);
        assert!(answer.header("idempotency-replayed").is_none());
    }
}
