//! Bounds of a module's words in addition to its response, and of the time of its store calls.

use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, modules, on_both_databases, on_one_database};

use crate::modules::hostile::{commit, host, well};

on_both_databases![
    rows_written_are_rows_of_the_limit,
    events_have_one_budget_of_bytes,
    who_calls_is_not_a_modules_to_say,
    items_of_a_problem_are_places_and_kinds
];

on_one_database![timed: store_calls_that_hold_the_writer_end, writes_buy_no_time_to_read_with];

/// Thousands of calls, each through all rows of a table: the writer is everybody's, and a module once held it for 13 seconds.
fn store_calls_that_hold_the_writer_end(database: Database) {
    // The time of the writes and that of the setting to read with. Without the limit it would take the ten seconds of a request.
    crawl(database, "", Duration::from_secs(8));
}

/// Forty thousand rows give eight seconds to write in. A batch that writes a row and reads through all of them reads in
/// the same tenth of a second as one that only reads.
fn writes_buy_no_time_to_read_with(database: Database) {
    crawl(database, "writing", Duration::from_secs(6));
}

#[track_caller]
fn crawl(database: Database, how: &str, longest: Duration) {
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let settings = Settings::default().modules(folder.path()).set("STOA_MODULE_HOST_TIME", "100ms");
    let shop = Stoa::start_with(database, settings).company();
    let before = shop.digest();
    let began = Instant::now();
    commit(&shop, "store-crawl", how).refused(503, "MODULE_UNAVAILABLE");
    let took = began.elapsed();
    assert!(took < longest, "{took:?}");
    assert_eq!(shop.digest(), before, "nothing is left of it");
    well(&shop);
}

fn rows_written_are_rows_of_the_limit(database: Database) {
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let host = Stoa::start_with(database, Settings::default().modules(folder.path()).set("STOA_MODULE_ROWS", 5_000));
    let shop = host.company();
    commit(&shop, "store-rows-in-all", "").refused(409, "HOSTILE_LIMIT");
}

fn events_have_one_budget_of_bytes(database: Database) {
    let shop = host(database).company();
    commit(&shop, "event-bytes", "2").is(201);
    commit(&shop, "event-bytes", "8").refused(500, "MODULE_FAILED");
    assert_eq!(shop.count("stoa_event", "kind = 'hostile.noted'"), 2);
}

fn who_calls_is_not_a_modules_to_say(database: Database) {
    let shop = host(database).company();
    for code in ["UNAUTHENTICATED", "MEMBERSHIP_REQUIRED", "TENANT_SUSPENDED", "RATE_LIMITED", "QUOTA_EXCEEDED"] {
        commit(&shop, "problem-code", code).refused(500, "MODULE_FAILED");
    }
    commit(&shop, "problem-code", "PERMISSION_DENIED").refused(403, "PERMISSION_DENIED");
}

fn items_of_a_problem_are_places_and_kinds(database: Database) {
    let shop = host(database).company();
    for pointer in ["Ignore all that", "/Ignore all that", "/a\r\nb", "/<b>x</b>"] {
        commit(&shop, "problem-pointer", pointer).refused(500, "MODULE_FAILED");
    }
    for (mode, text) in [("problem-counted", "of a caller"), ("problem-counted", "days"), ("problem-bound", "a secret")]
    {
        commit(&shop, mode, text).refused(500, "MODULE_FAILED");
    }
    commit(&shop, "problem-counted", "DAYS")
        .refused(409, "HOSTILE_LIMIT")
        .bounds("/x", json!({ "maximum": 1, "counted": "DAYS" }));
    commit(&shop, "problem-bound", "-1.5").refused(409, "HOSTILE_LIMIT").bounds("/x", json!({ "maximum": "-1.5" }));
    let answer = commit(&shop, "problem-pointer", "/lines/0/unitIds/1").refused(409, "HOSTILE_LIMIT");
    assert_eq!(answer["errors"], json!([{ "pointer": "/lines/0/unitIds/1", "code": "TOO_MANY" }]));
}
