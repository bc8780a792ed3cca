//! Reads with large answers take a seat while other companies are served.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, eventually, on_both_databases};

use crate::bounds::count;

on_both_databases![timed: large_answers_are_made_one_at_a_time_while_others_are_served];

/// The other company reads for so long at most.
const LONGEST: Duration = Duration::from_secs(10);

/// A list whose last answer was large keeps the only seat.
fn large_answers_are_made_one_at_a_time_while_others_are_served(database: Database) {
    let settings = Settings::default().set("STOA_HEAVY_READS", 2).set("STOA_REQUEST_TIMEOUT", "3s");
    let host = Stoa::start_with(database, settings.set("STOA_MODULE_HOST_TIME", "10s"));
    let (shop, other) = (host.company(), host.company_of("other@example.test"));
    let description = "bright screen ".repeat(600);
    let articles: Vec<_> =
        (0..40).map(|n| with(&product(&format!("Long {n}")), json!({ "description": description }))).collect();
    shop.post("catalog/imports", json!({ "products": articles })).is(201);
    let list = || shop.list("catalog/products", &[("limit", "100")]);
    let small = other.post("catalog/products", product("Small")).is(201).id();
    let read = || other.get(&format!("catalog/products/{small}")).is(200);
    list().is(200);
    let lock = shop.slow_down("catalog_product");
    let count_reads = || count(&host, "stoa_database_transactions_total{", "kind=\"read\"");
    let before = count_reads();
    let (is_over, begin) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        read();
        let first = scope.spawn(list);
        // The read of the other company, and the list.
        eventually(|| (count_reads() >= before + 2).then_some(()));
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) && begin.elapsed() < LONGEST {
                read();
            }
        });
        list().refused(503, "UNAVAILABLE");
        assert!(host.log().contains("the large answers before it have left no time"), "it came to the database");
        is_over.store(true, Ordering::Relaxed);
        assert!(!first.is_finished(), "the list was no longer under way");
        drop(lock);
        drop(first.join().expect("an answer"));
    });
    // On SQLite the table stays slow.
    if database == Database::Postgres {
        list().is(200);
    }
}
