//! A company's large writes and searches leave SQLite's writer, and processors of a host on PostgreSQL, to other companies.

use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use stoa_tests::company::{fresh, product, with};

use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, on_one_database, tests};

on_one_database![imports_pause_while_another_company_writes];
tests![
    imports_leave_time_to_another_company,
    a_company_imports_on_half_of_the_seats,
    a_company_searches_on_half_of_the_seats,
];

/// Seats of heavy work on a host here, and those of one company.
const SEATS: usize = 4;
const HALF: usize = 2;

/// A write of so many lines.
pub(crate) fn import_many(shop: &Company, lines: u32) -> Answer {
    let article = |n: u32| with(&product(&format!("Many {n}")), json!({ "variants": [{ "sku": fresh("S-") }] }));
    let products: Vec<Json> = (0..lines).map(article).collect();
    shop.post("catalog/imports", json!({ "products": products }))
}

/// Does something until it says that it is enough, while another company writes.
pub(super) fn beside_writes(other: &Company, mut step: impl FnMut() -> bool) {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Acquire) {
                other.brand(&fresh("OTHER-"));
            }
        });
        let _ = (0..20).any(|_| step());
        ended.store(true, Ordering::Release);
    });
}

fn import(shop: &Company) {
    import_many(shop, 400).is(201);
}

fn imports_pause_while_another_company_writes(database: Database) {
    let host = Stoa::start(database);
    let (shop, other) = (host.company(), host.company());
    let count = || super::count(&host, "stoa_paced_writes_total", "");
    import(&shop);
    let before = count();
    shop.brand("SMALL");
    assert_eq!(count(), before, "small writes wait for nothing");
    // The pause of an import is three times as long as itself: one of those that follow at once comes within it.
    beside_writes(&other, || {
        import(&shop);
        count() > before
    });
    assert!(count() > before, "no import waited for the other company");
}

/// SQLite's writer cannot pause in the middle.
fn imports_leave_time_to_another_company() {
    // One time slice for all heavy work.
    let host = start(2);
    let (shop, other) = (host.company(), host.company());
    let count = || super::count(&host, "stoa_paced_writes_total", "");
    let (before, ended) = (count(), AtomicBool::new(false));
    let imported = thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Acquire) {
                other.get("context").is(200);
            }
        });
        let imported = import_many(&shop, 400);
        ended.store(true, Ordering::Release);
        imported
    });
    imported.is(201);
    assert!(count() > before, "the import left no time to the other company");
}

/// On one server: each has seats of its own.
fn start(seats: usize) -> Stoa {
    Stoa::start_with(Database::Postgres, Settings::default().places(1).set("STOA_HEAVY_READS", seats))
}

/// SQLite's only writer holds the others up before the database is asked.
fn a_company_imports_on_half_of_the_seats() {
    let shop = start(SEATS).company();
    assert_half_runs(&shop, "lock table catalog_product in share mode", || import(&shop));
}

/// The locks of SQLite hold no reader.
fn a_company_searches_on_half_of_the_seats() {
    let shop = start(SEATS).company();
    assert_half_runs(&shop, "lock table catalog_product in access exclusive mode", || {
        drop(shop.list("catalog/products", &[("text", "chair")]).is(200));
    });
}

/// Asserts that as many requests of a company as half of the seats reach the database at once. `lock`: holds them there.
fn assert_half_runs(shop: &Company, lock: &str, request: impl Fn() + Sync) {
    thread::scope(|scope| {
        let held = shop.hold(lock);
        let requests: Vec<_> = (0..HALF + 2).map(|_| scope.spawn(&request)).collect();
        eventually(|| (shop.waiting_transactions() == HALF).then_some(()));
        let begin = Instant::now();
        // Without seats the others come within this time; with them none does.
        while begin.elapsed() < Duration::from_secs(1) {
            assert_eq!(shop.waiting_transactions(), HALF);
        }
        drop(held);
        for request in requests {
            request.join().expect("a request");
        }
    });
}
