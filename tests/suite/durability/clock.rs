//! A clock that ran ahead for a while and is right again: no caller is locked out until the wrong time has come, and no
//! key acts twice.

use serde_json::json;
use stoa_tests::{Company, Database, Stoa, on_both_databases};
use uuid::Uuid;

stoa_tests::tests![no_key_acts_twice_after_a_clock_that_ran_ahead];

on_both_databases![windows_of_a_wrong_time_lock_nobody_out, an_answer_that_was_purged_too_early_is_expired];

const DAY: i64 = 24 * 60 * 60;

fn later(database: Database, column: &str, seconds: i64) -> String {
    match database {
        Database::Sqlite => format!("{column} + {}", seconds * 1000),
        Database::Postgres => format!("{column} + interval '{seconds} seconds'"),
    }
}

/// As a host leaves them whose clock was a day ahead while they asked, and after a right start.
fn windows_of_a_wrong_time_lock_nobody_out(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let machine = shop.machine(&["catalog.read"]);
    shop.get("context").is(200);
    machine.get("catalog/products").is(200);
    // A day is another minute; a month's window begins on its first.
    for (ahead, scopes) in [(DAY, "'MINUTE'"), (40 * DAY, "'MINUTE', 'MONTH'")] {
        let moved = later(database, "window_start", ahead);
        let rows = format!("{{tenant}} and scope in ({scopes})");
        shop.change(&format!("update stoa_permit set window_start = {moved}, used = 1000000 where {rows}"));
        // Permits in hand when the clock was wrong are no longer in hand.
        host.restart();
        shop.get("context").is(200);
        machine.get("catalog/products").is(200);
        let now = match database {
            Database::Sqlite => "unixepoch() * 1000 + 60000",
            Database::Postgres => "now() + interval '1 minute'",
        };
        assert_eq!(shop.count("stoa_permit", &format!("scope = 'MINUTE' and window_start > {now}")), 0);
    }
}

fn create(shop: &Company, key: &str, code: &str) -> stoa_tests::Answer {
    shop.request("POST", "catalog/lookups/brands").key(key).json(&json!({ "name": code, "code": code })).send()
}

fn an_answer_that_was_purged_too_early_is_expired(database: Database) {
    let shop = stoa_tests::company(database);
    let key = Uuid::new_v4().to_string();
    create(&shop, &key, "A").is(201);
    let no = if database == Database::Sqlite { "0" } else { "false" };
    let key_of = shop.literal(&key);
    let purge = format!("update stoa_idempotency set body = null, headers = null, kept = {no} where key = {key_of}");
    shop.change(&format!("{purge} and {{tenant}}"));
    create(&shop, &key, "A").refused(409, "IDEMPOTENCY_KEY_EXPIRED");
    create(&shop, &key, "B").refused(409, "IDEMPOTENCY_KEY_REUSED");
}

/// PostgreSQL's clock is its server's: no test moves that from here.
#[cfg(target_os = "linux")]
fn no_key_acts_twice_after_a_clock_that_ran_ahead() {
    use stoa_tests::host::Settings;
    use stoa_tests::preload::Preload;
    use stoa_tests::{eventually, modules};

    let preload = Preload::build();
    let module = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let variables = preload.variables().into_iter();
    let settings =
        variables.fold(Settings::default().modules_in(module), |settings, (name, value)| settings.set(&name, value));
    let host = Stoa::start_with(Database::Sqlite, settings);
    let shop = host.company();
    let keys = [Uuid::now_v7().to_string(), Uuid::new_v4().to_string()];
    let add = |key: &str| shop.request("POST", "changeling/items").key(key).json(&json!({ "name": "one" })).send();
    for key in &keys {
        add(key).is(201);
    }
    // A deployment that has run for days: its clock was seen a day ago, and it purges.
    shop.change("update stoa_clock set mark = next_mark - 86400000 where id = 1");
    preload.shift_clock(10 * DAY);
    host.restart();
    eventually(|| host.log().contains("the clock has jumped").then_some(()));
    // It goes on by the wrong time, as if it were right: the next look is not a jump any more.
    let seen = host.rows("select seen_at from stoa_clock");
    host.restart();
    eventually(|| (host.rows("select seen_at from stoa_clock") != seen).then_some(()));
    preload.shift_clock(0);
    host.restart();
    for key in &keys {
        let answer = add(key);
        let reported = (answer.status, answer["code"].as_str());
        assert!(answer.replayed() || reported == (409, Some("IDEMPOTENCY_KEY_EXPIRED")), "{answer}");
    }
    assert_eq!(shop.get("changeling").is(200)["items"], keys.len());
}
