//! Reads with large answers take a seat while other companies are served.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, eventually, on_both_databases};

on_both_databases![timed: large_answers_are_made_one_at_a_time_while_others_are_served];

/// The other company reads for so long at most.
const LONGEST: Duration = Duration::from_secs(10);

/// A list keeps the only seat: a second one of the same company is rejected, and others are served.
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
    let count_refused = || host.log().matches("the large answers before it have left no time").count();
    let (is_over, begin) = (AtomicBool::new(false), Instant::now());
    thread::scope(|scope| {
        read();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) && begin.elapsed() < LONGEST {
                read();
            }
        });
        let lists = [(); 2].map(|()| scope.spawn(list));
        eventually(|| (count_refused() > 0).then_some(()));
        drop(lock);
        for list in lists {
            drop(list.join().expect("an answer"));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(count_refused(), 1, "the other list had the seat");
    // On SQLite the table stays slow.
    if database == Database::Postgres {
        list().is(200);
    }
}
