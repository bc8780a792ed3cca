//! A company's large writes leave SQLite's writer, and processors of a host on PostgreSQL, to other companies.

use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use stoa_tests::company::{fresh, product, with};

use stoa_tests::{Company, Database, Stoa, eventually, on_one_database, tests};

on_one_database![imports_pause_while_another_company_writes];
tests![a_company_has_permits_for_half_of_the_processors, a_company_searches_on_half_of_the_processors];

fn import(shop: &Company) {
    let article = |n: u32| with(&product(&format!("Many {n}")), json!({ "variants": [{ "sku": fresh("S-") }] }));
    let products: Vec<Json> = (0..400).map(article).collect();
    shop.post("catalog/imports", json!({ "products": products })).is(201);
}

fn imports_pause_while_another_company_writes(database: Database) {
    let host = Stoa::start(database);
    let (shop, other) = (host.company(), host.company());
    let count = || super::count(&host, "stoa_paced_writes_total", "");
    import(&shop);
    let before = count();
    shop.brand("SMALL");
    assert_eq!(count(), before, "small writes wait for nothing");
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Acquire) {
                other.brand(&fresh("OTHER-"));
            }
        });
        // The pause of an import is three times as long as itself: one of those that follow at once comes within it.
        for _ in 0..20 {
            import(&shop);
            if count() > before {
                break;
            }
        }
        ended.store(true, Ordering::Release);
    });
    let paused = count();
    assert!(paused > before, "no import waited for the other company");
    import(&other);
    assert_eq!(count(), paused, "the other company's first import waits for nothing");
}

/// SQLite has one writer, and no such permits.
fn a_company_has_permits_for_half_of_the_processors() {
    let shop = Stoa::start(Database::Postgres).company();
    assert_half_runs(&shop, "lock table catalog_product in share mode", || import(&shop));
}

/// SQLite's readers are as many as processors.
fn a_company_searches_on_half_of_the_processors() {
    let shop = Stoa::start(Database::Postgres).company();
    assert_half_runs(&shop, "lock table catalog_product in access exclusive mode", || {
        drop(shop.list("catalog/products", &[("text", "chair")]).is(200));
    });
}

/// Asserts that as many requests of a company as half of the processors reach the database at once. `lock`: holds them there.
fn assert_half_runs(shop: &Company, lock: &str, request: impl Fn() + Sync) {
    let half = (thread::available_parallelism().map_or(1, usize::from) / 2).max(1);
    thread::scope(|scope| {
        let held = shop.hold(lock);
        let requests: Vec<_> = (0..half + 2).map(|_| scope.spawn(&request)).collect();
        let count_waiting = || {
            let waiting = "select pid from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'";
            shop.rows(waiting).len()
        };
        eventually(|| (count_waiting() == half).then_some(()));
        let begin = Instant::now();
        // Without permits the others come within this time; with them none does.
        while begin.elapsed() < Duration::from_secs(1) {
            assert_eq!(count_waiting(), half);
        }
        drop(held);
        for request in requests {
            request.join().expect("a request");
        }
    });
}
