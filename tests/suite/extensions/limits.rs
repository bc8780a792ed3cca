//! An extension has a quarter of the request's limits, and its failure names which it passed.

use stoa_tests::extending::host;
use stoa_tests::selling::Counter;
use stoa_tests::{Database, on_one_database};

on_one_database![timed: an_extension_has_a_quarter, an_extension_has_one_quarter_for_all_its_calls];

const POINT: &str = "price-adjustment";

/// Rule, status and code of the answer, and what the operator reads.
const EXCESSES: &[(&str, u16, &str, &str)] = &[
    ("loop", 503, "MODULE_UNAVAILABLE", "a time is used up: guest time of an extension: 125 ms"),
    ("allocate", 500, "MODULE_FAILED", "a limit is passed: memory of an extension: 16 MiB"),
    ("calls", 500, "MODULE_FAILED", "a limit is passed: store calls of an extension: 2500"),
];

fn an_extension_has_a_quarter(database: Database) {
    let counter = Counter::new(host(database).company());
    let console = counter.shop.host.console();
    let variant = counter.good("10", "0");
    let pricing = console.failures("pricing");
    for (rule, status, code, words) in EXCESSES {
        counter.shop.extend('a', POINT, rule);
        let failed = counter.try_resolve(&variant).refused(*status, code);
        let text = console.failure_of("extender-a", &failed)["text"].to_string();
        assert!(text.contains(words) && text.contains("resolvePrice at price-adjustment"), "{rule}: {text}");
    }
    assert_eq!(console.failures("pricing"), pricing, "the request had more left");
    counter.shop.extend('a', POINT, "off 1");
    assert_eq!(counter.resolve(&variant)["amount"], "9.000000");
}

/// A confirmation calls two points: 1,400 store calls at one point are within the quarter, at both together beyond it. Two
/// extensions have a quarter each.
fn an_extension_has_one_quarter_for_all_its_calls(database: Database) {
    let counter = Counter::new(host(database).company());
    let console = counter.shop.host.console();
    let variant = counter.good("10", "5");
    let order = counter.draft_of(&variant, "1");
    counter.shop.extend('a', "order-confirmation", "some-calls");
    counter.shop.extend('a', "availability", "some-calls");
    let failed = counter.confirm(&order).refused(500, "MODULE_FAILED");
    let text = console.failure_of("extender-a", &failed)["text"].to_string();
    assert!(text.contains("store calls of an extension: 2500") && text.contains("at availability"), "{text}");

    counter.shop.extend('a', "availability", "note");
    counter.shop.extend('b', "availability", "some-calls");
    counter.confirm(&order).is(200);
}
