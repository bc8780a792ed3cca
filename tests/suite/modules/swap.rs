//! Modules swap while the market is open: not one request fails, each is answered by one version, and what was swapped out is
//! gone. A module that fails after its activation is taken back by the host itself.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::parallel::SetOnDrop;
use stoa_tests::{Answer, Company, Database, Stoa, at_once, cuts, eventually, modules, on_both_databases};

on_both_databases![
    a_hundred_swaps_under_load_fail_nobody,
    requests_end_on_what_they_began_on,
    a_failing_module_is_taken_back,
    what_was_activated_before_a_start_is_watched_on,
    an_accident_takes_nothing_back,
    one_caller_chooses_no_version,
    what_the_version_before_fails_too_takes_nothing_back,
    a_new_operation_that_is_slow_takes_nothing_back,
    a_new_operation_that_traps_is_taken_back,
];

on_both_databases![timed: memory_is_flat_however_many_swaps];

/// More than a small machine has processors, and fewer than its host has database connections: a request that waits for
/// one of these may be answered 503 on a busy machine, whatever is swapped.
const CONNECTIONS: usize = 8;
const SWAPS: usize = 100;

fn host(database: Database) -> Stoa {
    let folder = modules::with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder))
}

/// Two versions to change between: digests.
fn versions(host: &Stoa) -> [String; 2] {
    let console = host.console();
    [console.pushed(&modules::changeling(1)), console.pushed(&modules::changeling(6))]
}

/// One request of the mixed load: reads and writes, of the module that is swapped and of one that stays.
fn ask(shop: &Company, number: usize) -> (u16, Option<String>) {
    let answer = match number % 4 {
        0 => shop.request("GET", "catalog/products").unchecked().send(),
        1 => shop
            .request("POST", "changeling/items")
            .json(&json!({ "name": format!("item {number}") }))
            .unchecked()
            .send(),
        2 => shop.request("GET", "changeling").unchecked().send(),
        _ => shop
            .request("POST", "catalog/lookups/brands")
            .json(&json!({ "code": format!("B{number}"), "name": "Brand" }))
            .unchecked()
            .send(),
    };
    (answer.status, answer["version"].as_str().map(str::to_string))
}

fn a_hundred_swaps_under_load_fail_nobody(database: Database) {
    let host = host(database);
    let console = host.console();
    let digests = versions(&host);
    let (done, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
    let reported: Vec<_> = at_once(CONNECTIONS + 1, |thread| {
        if thread == CONNECTIONS {
            let _ends_the_load = SetOnDrop(&done);
            for swap in 1..=SWAPS {
                // A database that is too busy for an operator says so; the requests are what must not fail.
                eventually(|| {
                    let answer = console.activate(&digests[swap % 2], json!({ "allow": ["MODULE_VERSION_LOWERED"] }));
                    match answer.status {
                        503 => drop(answer.refused(503, "UNAVAILABLE")),
                        _ => return Some(answer.is(200)),
                    }
                    None
                });
            }
            return Vec::new();
        }
        let shop = host.company();
        let mut reported = Vec::new();
        while !done.load(Ordering::Acquire) {
            reported.push(ask(&shop, requests.fetch_add(1, Ordering::Relaxed)));
        }
        reported
    });
    let answers: Vec<(u16, Option<String>)> = reported.into_iter().flatten().collect();
    let failed: Vec<_> = answers.iter().filter(|(status, _)| !(200..300).contains(status)).collect();
    let log = host.log();
    let reasons: Vec<&str> = log.lines().filter(|line| line.contains("unavailable")).collect();
    assert!(failed.is_empty(), "{} of {} requests failed: {failed:?} {reasons:#?}", failed.len(), answers.len());
    let seen: BTreeSet<&str> = answers.iter().filter_map(|(_, version)| version.as_deref()).collect();
    assert_eq!(seen, BTreeSet::from(["1.0.0", "1.0.2"]), "both versions answered");
    assert!(answers.len() > SWAPS, "the load was none: {}", answers.len());
    assert_eq!(console.runs(), 1 + SWAPS as u64);
}

fn memory_is_flat_however_many_swaps(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    let digests = versions(&host);
    // Bytes after every tenth swap: an allocator gives memory back in its own time.
    let swap = |swaps: usize| -> Vec<u64> {
        let mut resident = Vec::new();
        for swap in 1..=swaps {
            console.activate(&digests[swap % 2], json!({ "allow": ["MODULE_VERSION_LOWERED"] })).is(200);
            if swap % 10 == 0 {
                shop.request("GET", "changeling").unchecked().send().is(200);
                resident.push(host.resident());
            }
        }
        resident
    };
    let part = cuts::rounds(20, 100);
    let before = swap(part).into_iter().max().expect("resident memory");
    swap(4 * part);
    let after = swap(part).into_iter().min().expect("resident memory");
    // Some machine code per swap would be more.
    let most = part as u64 * (256 << 10);
    assert!(after < before + most, "{before} bytes before {} swaps, {after} after", 5 * part);
}

/// The line that the changeling writes into the host's log as its slow read begins.
const SLOW_READ_BEGUN: &str = "a slow read has begun";

/// A request at work in a module that is swapped out ends in it; one that begins after the swap is answered by the new one.
fn requests_end_on_what_they_began_on(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let patient = Settings::default().set("STOA_MODULE_DEADLINE", "60s").set("STOA_REQUEST_TIMEOUT", "60s");
    let host = Stoa::start_with(database, patient.modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    let digests = versions(&host);
    let version = |answer: Answer| answer.is(200).text("version");
    // Slow is what outlasts an activation: on a faster machine, or a busier one, more turns do.
    let mut turns = 1_u64 << 28;
    for round in 0..5 {
        let (old, new) = if round % 2 == 0 { ("1.0.0", "1.0.2") } else { ("1.0.2", "1.0.0") };
        let count_begun = || host.log().matches(SLOW_READ_BEGUN).count();
        let begun = count_begun();
        let outlasted = thread::scope(|scope| {
            let slow = scope.spawn(|| {
                let request = shop.request("GET", "changeling/slow").query(&[("turns", &turns.to_string())]);
                (version(request.unchecked().send()), Instant::now())
            });
            eventually(|| (count_begun() > begun).then_some(()));
            let allowed = json!({ "allow": ["MODULE_VERSION_LOWERED"] });
            console.activate(&digests[1 - round % 2], allowed).is(200);
            let swapped = Instant::now();
            assert_eq!(version(shop.request("GET", "changeling").unchecked().send()), new);
            let (answered_by, ended) = slow.join().expect("the slow read");
            assert_eq!(answered_by, old);
            ended > swapped
        });
        if outlasted {
            return;
        }
        turns *= 2;
    }
    panic!("no slow read outlasted an activation");
}

/// Gives the host time for three looks at the modules that it watches.
fn let_the_host_look() {
    thread::sleep(Duration::from_millis(1_500));
}

fn a_failing_module_is_taken_back(database: Database) {
    let host = host(database);
    let (console, shops) = (host.console(), shops(&host, 3));
    let broken = console.pushed(&modules::changeling(3));
    console.activate(&broken, json!({})).is(200);
    host.forget_contract();
    let failed = ask_until_it_answers(&shops);
    assert!(failed >= 5, "it was taken back after {failed} failures");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let history = console.get("generations").is(200);
    let back = &history.items()[0];
    assert_eq!((&back["cause"], &back["module"]), (&json!("AUTOMATIC_ROLLBACK"), &json!("changeling")), "{back}");
    assert_eq!(back["activatedBy"], "system:host");
    assert!(back["reason"].as_str().is_some_and(|reason| reason.contains("changeling 1.0.1")), "{back}");
    let audited = host.rows("select metadata from stoa_operator_audit where actor = 'system:host'");
    assert_eq!(audited.len(), 1);
    // Brought back by hand, it is watched again.
    console.activate(&broken, json!({ "again": true })).is(200);
    eventually(|| {
        ask_all(&shops);
        let shown = console.shown();
        // The generation that is active in the deployment, and soon on this host.
        [&shown["generation"], &shown["host"]["generation"]].iter().all(|one| **one == 5).then_some(())
    });
    let metrics = host.metrics();
    let counted = metrics.lines().find(|line| {
        line.starts_with("stoa_module_calls_total")
            && line.contains("changeling")
            && line.contains("1.0.1")
            && line.contains("trap")
    });
    assert!(counted.is_some(), "{metrics}");
}

/// Companies of as many owners.
pub(super) fn shops(host: &Stoa, count: usize) -> Vec<Company> {
    (0..count).map(|owner| host.company_of(&format!("owner-{owner}@example.test"))).collect()
}

/// Each asks once; how many failed.
pub(super) fn ask_all(shops: &[Company]) -> usize {
    shops.iter().filter(|shop| shop.request("GET", "changeling").unchecked().send().status == 500).count()
}

pub(super) fn ask_until_it_answers(shops: &[Company]) -> usize {
    let mut failed = 0;
    eventually(|| {
        let now = ask_all(shops);
        failed += now;
        (now == 0).then_some(())
    });
    failed
}

/// The folder of --dev holds what was activated, so that the start changes nothing.
fn what_was_activated_before_a_start_is_watched_on(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shops) = (host.console(), shops(&host, 3));
    let broken = console.pushed(&modules::changeling(3));
    console.activate(&broken, json!({})).is(200);
    host.replace_modules(&[("changeling.wasm", &modules::changeling(3))]);
    host.restart();
    let console = host.console();
    assert_eq!(console.runs(), 2);
    assert!(ask_until_it_answers(&shops) >= 5);
    assert_eq!(console.get("generations").is(200).items()[0]["cause"], "AUTOMATIC_ROLLBACK");
}

/// A caller who fails a module in as many companies as he likes fails it once.
fn one_caller_chooses_no_version(database: Database) {
    let host = host(database);
    let console = host.console();
    let shops: Vec<Company> = (0..5).map(|_| host.company()).collect();
    console.activate(&console.pushed(&modules::changeling(3)), json!({})).is(200);
    host.forget_contract();
    for _ in 0..4 {
        assert_eq!(ask_all(&shops), shops.len());
    }
    // Two companies more are an accident still, and the third is not.
    let others = self::shops(&host, 2);
    assert_eq!(ask_all(&others[..1]), 1);
    let_the_host_look();
    assert_eq!(console.runs(), 2);
    ask_until_it_answers(&others[1..]);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
}

/// Each shop asks three times for more than any version does in its time.
fn ask_for_too_much(shops: &[Company]) {
    for shop in shops.iter().cycle().take(3 * shops.len()) {
        let slow = shop.request("GET", "changeling/slow").query(&[("turns", "1000000000000")]);
        slow.unchecked().send().refused(503, "MODULE_UNAVAILABLE");
    }
}

/// Requests made to fail do so in every version: none is left for them.
fn what_the_version_before_fails_too_takes_nothing_back(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().set("STOA_MODULE_DEADLINE", "150ms").modules_in(folder));
    let (console, shops) = (host.console(), shops(&host, 4));
    console.activate(&console.pushed(&modules::changeling(6)), json!({})).is(200);
    host.forget_contract();
    ask_for_too_much(&shops);
    let_the_host_look();
    assert_eq!(console.runs(), 2, "the version before is as slow");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.2"));
}

/// No version shows that it was faster before: callers who ask for much must not choose the version.
fn a_new_operation_that_is_slow_takes_nothing_back(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(9))]);
    let host = Stoa::start_with(database, Settings::default().set("STOA_MODULE_DEADLINE", "150ms").modules_in(folder));
    let (console, shops) = (host.console(), shops(&host, 4));
    host.forget_contract();
    shops[0].request("GET", "changeling/slow").unchecked().send().refused(404, "NOT_FOUND");
    console.activate(&console.pushed(&modules::changeling(1)), json!({})).is(200);
    host.forget_contract();
    ask_for_too_much(&shops);
    let_the_host_look();
    assert_eq!(console.runs(), 2, "no version before had the operation");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
}

/// A trap needs no comparison: it is the module's own.
fn a_new_operation_that_traps_is_taken_back(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(8))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shops) = (host.console(), shops(&host, 3));
    let allowed = json!({ "allow": ["MODULE_VERSION_LOWERED"] });
    console.activate(&console.pushed(&modules::changeling(3)), allowed).is(200);
    host.forget_contract();
    assert!(ask_until_it_answers(&shops) >= 5);
    assert_eq!(console.version("changeling").as_deref(), Some("2.0.0"));
    assert_eq!(console.get("generations").is(200).items()[0]["cause"], "AUTOMATIC_ROLLBACK");
}

fn an_accident_takes_nothing_back(database: Database) {
    let host = host(database);
    let (console, shop) = (host.console(), host.company());
    let broken = console.pushed(&modules::changeling(3));
    console.activate(&broken, json!({})).is(200);
    for _ in 0..4 {
        shop.request("GET", "changeling").unchecked().send().refused(500, "MODULE_FAILED");
    }
    let_the_host_look();
    assert_eq!(console.runs(), 2, "four failures are an accident");
}
