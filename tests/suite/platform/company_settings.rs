//! A company's settings: replaced as a whole, one change at a time, and what they decide.

use chrono::{DateTime, FixedOffset, Utc};
use serde_json::{Value as Json, json};
use stoa_tests::company::{with, without};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};

use crate::modules::hostile;

on_both_databases![
    replaced_as_a_whole,
    one_change_wins,
    what_cannot_be,
    zones_are_names_of_the_iana_database,
    today_is_the_day_of_the_company,
    only_who_manages_settings,
];

/// The body of a PUT of the settings as they are.
fn current(shop: &Company) -> Json {
    let read = shop.get("settings").is(200).body;
    json!({
        "name": read["name"], "defaultCurrencyCode": read["defaultCurrencyCode"], "timeZone": read["timeZone"],
        "expectedVersion": read["version"],
    })
}

fn replaced_as_a_whole(database: Database) {
    let shop = company(database);
    let read = shop.get("settings").is(200);
    assert_eq!(
        (&read["status"], &read["defaultCurrencyCode"], &read["timeZone"], &read["version"]),
        (&json!("ACTIVE"), &json!("EUR"), &json!("UTC"), &json!(1))
    );
    let wanted = json!({
        "name": " Größer & Co ", "defaultCurrencyCode": "CHF", "timeZone": "Europe/Zurich", "expectedVersion": 1,
    });
    let expected = json!({
        "name": "Größer & Co", "status": "ACTIVE", "defaultCurrencyCode": "CHF", "timeZone": "Europe/Zurich", "version": 2,
        "history": null,
    });
    assert_eq!(shop.put("settings", wanted).is(200).body, expected);
    assert_eq!(shop.get("settings").is(200).body, expected);
    assert_eq!(shop.get("context").is(200)["tenant"]["name"], "Größer & Co");
    // A change of nothing is a change: everybody else's version is old.
    assert_eq!(shop.put("settings", current(&shop)).is(200)["version"], 3);
    let rows = shop.rows("select resource_type, resource_id, metadata from stoa_audit where {tenant} order by id desc");
    let changed = |row: &[String]| serde_json::from_str::<Json>(&row[2]).unwrap_or_default()["changed"].clone();
    assert_eq!((rows[1][0].as_str(), rows[1][1].as_str()), ("TENANT", shop.tenant.as_str()));
    assert_eq!(changed(&rows[1]), json!(["name", "defaultCurrencyCode", "timeZone"]));
    assert_eq!(changed(&rows[0]), Json::Null);
}

fn one_change_wins(database: Database) {
    let shop = company(database);
    for version in 1..=5 {
        let answers = at_once(4, |n| {
            let body = with(&current_of(version), json!({ "name": format!("Name {version} {n}") }));
            shop.put("settings", body)
        });
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            answer.refused(409, "VERSION_CONFLICT");
        }
        assert_eq!(shop.get("settings").is(200)["version"], json!(version + 1));
    }
    for version in [1, 5, 7, 2_147_483_646] {
        shop.put("settings", current_of(version)).refused(409, "VERSION_CONFLICT");
    }
    // The last version there is.
    shop.change("update stoa_tenant set version = 2147483646 where {id}");
    shop.put("settings", current_of(2_147_483_646)).refused(409, "LIMIT_EXCEEDED");
}

fn current_of(version: i64) -> Json {
    json!({ "name": "Name", "defaultCurrencyCode": "EUR", "timeZone": "UTC", "expectedVersion": version })
}

fn what_cannot_be(database: Database) {
    let shop = company(database);
    let before = shop.digest();
    let base = current(&shop);
    for (changes, pointer, code) in [
        (json!({ "name": "" }), "/name", "RANGE"),
        (json!({ "name": "  " }), "/name", "RANGE"),
        (json!({ "name": "x".repeat(201) }), "/name", "RANGE"),
        (json!({ "name": null }), "/name", "TYPE"),
        (json!({ "defaultCurrencyCode": "eur" }), "/defaultCurrencyCode", "FORMAT"),
        (json!({ "defaultCurrencyCode": "EURO" }), "/defaultCurrencyCode", "FORMAT"),
        (json!({ "defaultCurrencyCode": "ZZZ" }), "/defaultCurrencyCode", "FORMAT"),
        (json!({ "defaultCurrencyCode": "DEM" }), "/defaultCurrencyCode", "FORMAT"),
        (json!({ "timeZone": 1 }), "/timeZone", "TYPE"),
        (json!({ "expectedVersion": 0 }), "/expectedVersion", "RANGE"),
        (json!({ "expectedVersion": 2_147_483_647_i64 }), "/expectedVersion", "RANGE"),
        (json!({ "expectedVersion": "1" }), "/expectedVersion", "TYPE"),
        (json!({ "status": "SUSPENDED" }), "", "NOT_ALLOWED"),
        (json!({ "entitlements": [] }), "", "NOT_ALLOWED"),
    ] {
        shop.put("settings", with(&base, changes)).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
    let unknown = with(&base, json!({ "timeZone": "Mars/Olympus" }));
    shop.put("settings", unknown).refused(400, "VALIDATION_FAILED").fault("/timeZone", "FORMAT");
    for member in ["name", "defaultCurrencyCode", "timeZone", "expectedVersion"] {
        let answer = shop.put("settings", without(&base, member)).refused(400, "VALIDATION_FAILED");
        answer.fault(&format!("/{member}"), "REQUIRED");
    }
    assert_eq!(shop.digest(), before);
}

fn zones_are_names_of_the_iana_database(database: Database) {
    let shop = company(database);
    for zone in ["Berlin", "europe/berlin", "Europe/Berlin ", "+01:00", "CEST", "Mars/Olympus", "../etc/passwd"] {
        let answer = shop.put("settings", with(&current(&shop), json!({ "timeZone": zone })));
        answer.refused(400, "VALIDATION_FAILED").fault("/timeZone", "FORMAT");
    }
    for zone in ["Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Etc/GMT+12", "UTC"] {
        let answer = shop.put("settings", with(&current(&shop), json!({ "timeZone": zone }))).is(200);
        assert_eq!(answer["timeZone"], zone);
    }
}

/// Two zones that are never on the same day: the zone that a module receives follows the company from one to the other.
fn today_is_the_day_of_the_company(database: Database) {
    let shop = hostile::host(database).company();
    let today = || shop.get("hostile/today").is(200)["seen"].clone();
    for (zone, hours) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12), ("UTC", 0)] {
        shop.put("settings", with(&current(&shop), json!({ "timeZone": zone }))).is(200);
        let offset = FixedOffset::east_opt(hours * 3600).expect("an offset");
        let day = |now: DateTime<Utc>| now.with_timezone(&offset).format("%Y%m%d").to_string();
        let (before, reported, after) = (day(Utc::now()), today().to_string(), day(Utc::now()));
        assert!(reported == before || reported == after, "{zone}: {reported}, not {before}");
    }
}

fn only_who_manages_settings(database: Database) {
    let shop = company(database);
    let (_, other) = shop.member("other", &[&shop.role("OTHER", &["users.manage", "api.manage"])]);
    other.get("settings").refused(403, "PERMISSION_DENIED");
    other.put("settings", json!({})).refused(403, "PERMISSION_DENIED");
    let (_, keeper) = shop.member("keeper", &[&shop.role("KEEPER", &["settings.manage"])]);
    keeper.put("settings", with(&current(&shop), json!({ "name": "Kept" }))).is(200);
    let foreign = company(database);
    foreign.as_user("stranger@example.test").get("settings").refused(403, "MEMBERSHIP_REQUIRED");
}
