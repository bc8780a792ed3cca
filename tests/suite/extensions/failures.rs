//! An extension that fails: the caller learns that a module failed, the operator which, and the host takes a new version back.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::extending::{host, own_host};
use stoa_tests::selling::Counter;
use stoa_tests::{Database, Stoa, eventually, modules, on_both_databases};

on_both_databases![
    a_failing_extension_is_named_to_the_operator_only,
    a_wrong_value_is_the_extensions,
    a_failing_extension_is_withdrawn,
    an_accident_withdraws_nothing,
];

const POINT: &str = "price-adjustment";
const A: &str = "extender-a";

fn a_failing_extension_is_named_to_the_operator_only(database: Database) {
    let counter = Counter::new(host(database).company());
    let console = counter.shop.host.console();
    let variant = counter.good("10", "0");
    counter.shop.extend('a', POINT, "trap");
    let counts = || (console.count_at_point(POINT, A, "failures"), console.failures(A), console.failures("pricing"));
    let before = counts();
    let failed = counter.try_resolve(&variant).refused(500, "MODULE_FAILED");
    assert!(!failed.tells("extender") && !failed.tells(POINT), "{failed}");
    let failure = console.failure_of(A, &failed);
    let text = failure["text"].as_str().expect("a text");
    assert!(text.contains("resolvePrice at price-adjustment"), "{text}");
    let request = failed.header("x-request-id").expect("an id");
    let log = counter.shop.host.log();
    let line = log.lines().find(|line| line.contains("a module failed") && line.contains(request));
    let line = line.unwrap_or_else(|| panic!("no line of {request}"));
    assert!(line.contains(A) && line.contains("1.0.1") && line.contains("resolvePrice"), "{line}");
    let after = counts();
    // Other tests share the host, and the extender fails in them too. Pricing fails in none.
    assert!(after.0 > before.0 && after.1 > before.1, "{before:?} {after:?}");
    assert_eq!(after.2, before.2, "pricing did not fail");
}

fn a_wrong_value_is_the_extensions(database: Database) {
    let counter = Counter::new(host(database).company());
    let console = counter.shop.host.console();
    let variant = counter.good("10", "0");
    let pricing = console.failures("pricing");
    counter.shop.extend('a', POINT, "below");
    let failed = counter.try_resolve(&variant).refused(500, "MODULE_FAILED");
    let text = console.failure_of(A, &failed)["text"].to_string();
    assert!(text.contains("an amount that is no price"), "{text}");
    assert_eq!(console.failures("pricing"), pricing);
    counter.shop.extend('a', POINT, "off 1");
    assert_eq!(counter.resolve(&variant)["amount"], "9.000000");
}

/// Shops of as many owners on a host of extender `a`, in each a variant for ten euro of which the extender takes one off.
fn shops(host: &Stoa, count: usize) -> Vec<(Counter, String)> {
    let shop = |owner: usize| {
        let counter = Counter::new(host.company_of(&format!("owner-{owner}@example.test")));
        counter.shop.extend('a', POINT, "off 1");
        let variant = counter.good("10", "0");
        (counter, variant)
    };
    (0..count).map(shop).collect()
}

/// Each asks once: how many failed.
fn ask_all(shops: &[(Counter, String)]) -> usize {
    let fails = |(counter, variant): &&(Counter, String)| {
        let path = format!("pricing/price-lists/{}/resolve/{variant}", counter.list);
        counter.shop.request("GET", &path).unchecked().send().status == 500
    };
    shops.iter().filter(fails).count()
}

fn a_failing_extension_is_withdrawn(database: Database) {
    let host = own_host(database, &['a']);
    let console = host.console();
    let shops = shops(&host, 3);
    let broken = console.pushed(&modules::extender('a', 3));
    console.activate(&broken, json!({})).is(200);
    let mut failed = 0;
    eventually(|| {
        let now = ask_all(&shops);
        failed += now;
        (now == 0).then_some(())
    });
    assert!(failed >= 5, "it was taken back after {failed} failures");
    assert_eq!(console.version(A).as_deref(), Some("1.0.1"));
    let newest = console.newest();
    assert_eq!((&newest["cause"], &newest["module"]), (&json!("AUTOMATIC_ROLLBACK"), &json!(A)), "{newest}");
    let amounts: Vec<Json> =
        shops.iter().map(|(counter, variant)| counter.resolve(variant)["amount"].clone()).collect();
    assert_eq!(amounts, vec![json!("9.000000"); 3], "the rows of the extension stay");

    console.activate(&broken, json!({})).refused(409, "MODULE_WITHDRAWN");
    console.activate(&broken, json!({ "again": true })).is(200);
    eventually(|| {
        ask_all(&shops);
        (console.version(A).as_deref() == Some("1.0.1")).then_some(())
    });
}

fn an_accident_withdraws_nothing(database: Database) {
    let host = own_host(database, &['a']);
    let console = host.console();
    let shops = shops(&host, 1);
    console.activate(&console.pushed(&modules::extender('a', 3)), json!({})).is(200);
    (0..4).for_each(|_| assert_eq!(ask_all(&shops), 1));
    // Three looks at what is watched.
    let looked = Instant::now() + Duration::from_millis(1_500);
    eventually(|| (Instant::now() > looked).then_some(()));
    assert_eq!((console.runs(), console.version(A).as_deref()), (2, Some("1.0.3")));
}
