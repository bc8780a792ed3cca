//! Idempotency keys as they grow old: a day's answers, then a refusal for ever, and nothing kept that need not be.

use serde_json::json;
use stoa_tests::{Company, Database, Stoa, eventually, on_both_databases};
use uuid::{Timestamp, Uuid};

on_both_databases![an_old_key_never_acts_again, a_v7_key_is_judged_by_its_own_time, a_credentials_marker_grows_old_too];

const DAY: i64 = 24 * 60 * 60;

/// Moves every key of a company into the past.
fn age(shop: &Company, seconds: i64) {
    let earlier = match shop.host.database() {
        Database::Sqlite => format!("created_at - {}", seconds * 1000),
        Database::Postgres => format!("created_at - interval '{seconds} seconds'"),
    };
    shop.change(&format!("update stoa_idempotency set created_at = {earlier} where {{tenant}}"));
}

/// Lets a host purge that runs for a minute only: as if its clock had been seen a day ago.
fn look_a_day_ago(shop: &Company) {
    let ago = match shop.host.database() {
        Database::Sqlite => "next_mark - 86400000",
        Database::Postgres => "next_mark - interval '1 day'",
    };
    shop.change(&format!("update stoa_clock set mark = {ago} where id = 1"));
}

/// A v7 key made so many seconds from now.
fn v7(seconds: i64) -> String {
    let time = chrono::Utc::now().timestamp() + seconds;
    Uuid::new_v7(Timestamp::from_unix(uuid::NoContext, time as u64, 0)).to_string()
}

fn create(shop: &Company, key: &str, code: &str) -> stoa_tests::Answer {
    shop.request("POST", "catalog/lookups/brands").key(key).json(&json!({ "name": code, "code": code })).send()
}

fn an_old_key_never_acts_again(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let (v4, recent, old) = (Uuid::new_v4().to_string(), v7(-60), v7(-6 * DAY));
    for (key, code) in [(&v4, "A"), (&recent, "B"), (&old, "C")] {
        create(&shop, key, code).is(201);
    }
    age(&shop, DAY - 60);
    assert!(create(&shop, &v4, "A").is(201).replayed());
    age(&shop, 120);
    for (key, code) in [(&v4, "A"), (&recent, "B"), (&old, "C"), (&v4, "OTHER")] {
        create(&shop, key, code).refused(409, "IDEMPOTENCY_KEY_EXPIRED");
    }
    let answers = "body is not null and operation = 'createLookup'";
    assert_eq!(shop.count("stoa_idempotency", answers), 3);
    look_a_day_ago(&shop);
    host.restart();
    eventually(|| (shop.count("stoa_idempotency", answers) == 0).then_some(()));
    assert_eq!(shop.count("stoa_idempotency", "operation = 'createLookup'"), 3, "the keys themselves stay");
    for (key, code) in [(&v4, "A"), (&recent, "B"), (&old, "C")] {
        create(&shop, key, code).refused(409, "IDEMPOTENCY_KEY_EXPIRED");
    }
    // After nine days the rows of v7 keys go: their own time refuses them. That of the v4 key stays.
    age(&shop, 9 * DAY);
    host.restart();
    eventually(|| (shop.count("stoa_idempotency", "operation = 'createLookup'") == 1).then_some(()));
    create(&shop, &v4, "A").refused(409, "IDEMPOTENCY_KEY_EXPIRED");
    assert_eq!(shop.all("catalog/lookups/brands", &[]).len(), 3);
}

fn a_v7_key_is_judged_by_its_own_time(database: Database) {
    let shop = stoa_tests::company(database);
    for (refused, status, code) in [
        (create(&shop, &v7(-7 * DAY - 60), "A"), 409, "IDEMPOTENCY_KEY_EXPIRED"),
        (create(&shop, &v7(DAY + 60), "A"), 400, "IDEMPOTENCY_KEY_INVALID"),
    ] {
        // No caller has used it: the rejection says which times are accepted.
        let answer = refused.refused(status, code).fault("/header/Idempotency-Key", "RANGE");
        let expected = &answer.errors()[0]["expected"];
        let seconds_from_now = |bound: &str| {
            let text = expected[bound].as_str().unwrap_or_else(|| panic!("no {bound}: {answer}"));
            let time = chrono::DateTime::parse_from_rfc3339(text).unwrap_or_else(|_| panic!("{text} is no time"));
            time.timestamp() - chrono::Utc::now().timestamp()
        };
        assert!((seconds_from_now("minimum") + 7 * DAY).abs() < 60, "{answer}");
        assert!((seconds_from_now("maximum") - DAY).abs() < 60, "{answer}");
    }
    assert_eq!(shop.count("stoa_idempotency", "operation = 'createLookup'"), 0, "nothing is stored of either");
    create(&shop, &v7(-7 * DAY + 60), "A").is(201);
    create(&shop, &v7(DAY - 60), "B").is(201);
}

fn a_credentials_marker_grows_old_too(database: Database) {
    let shop = stoa_tests::company(database);
    let machine = shop.machine(&["catalog.read"]);
    let key = Uuid::new_v4().to_string();
    let issue =
        || shop.request("POST", &format!("api-clients/{}/keys", machine.client)).key(&key).json(&json!({})).send();
    issue().is(201);
    issue().refused(409, "CREDENTIAL_ALREADY_DELIVERED");
    age(&shop, DAY + 60);
    issue().refused(409, "IDEMPOTENCY_KEY_EXPIRED");
}
