//! The sequence of the extensions of a point: what it changes, who sets it, and that it lasts.

use serde_json::{Value as Json, json};
use stoa_tests::extending::own_host;
use stoa_tests::operator::Operator;
use stoa_tests::selling::Counter;
use stoa_tests::{Database, Stoa, eventually, on_both_databases};

on_both_databases![
    two_rules_at_one_point_in_both_sequences,
    a_sequence_survives_a_restart_and_reaches_every_host,
    arrange_rejects_other_lists,
    a_new_extension_is_the_last,
];

const POINT: &str = "price-adjustment";
const A: &str = "extender-a";
const B: &str = "extender-b";

/// A host of both extenders, and a shop on it in which `a` takes off a tenth and `b` one euro: the variant costs ten.
fn discount_host(database: Database) -> (Stoa, Operator, Counter, String) {
    let host = own_host(database, &['a', 'b']);
    let counter = Counter::new(host.company());
    counter.shop.extend('a', POINT, "percent 10");
    counter.shop.extend('b', POINT, "off 1");
    let variant = counter.good("10", "0");
    let console = host.console();
    (host, console, counter, variant)
}

/// The price, the list's, and the adjustments by module and amount.
#[track_caller]
fn price(counter: &Counter, variant: &str) -> Json {
    let price = counter.resolve(variant);
    let adjustments = price["adjustments"].as_array().unwrap_or_else(|| panic!("no adjustments: {price}"));
    let by = |adjustment: &Json| json!([adjustment["module"], adjustment["amount"]]);
    json!([price["amount"], price["listAmount"], adjustments.iter().map(by).collect::<Vec<_>>()])
}

fn a_before_b() -> Json {
    json!(["8.000000", "10.000000", [[A, "9.000000"], [B, "8.000000"]]])
}

fn b_before_a() -> Json {
    json!(["8.100000", "10.000000", [[B, "9.000000"], [A, "8.100000"]]])
}

fn two_rules_at_one_point_in_both_sequences(database: Database) {
    let (_host, console, counter, variant) = discount_host(database);
    assert_eq!(console.sequence(POINT), [A, B], "by name until an operator arranges them");
    assert_eq!(price(&counter, &variant), a_before_b());

    console.arrange(POINT, &[B, A]).is(200);
    assert_eq!((console.sequence(POINT), console.runs()), (vec![B.to_owned(), A.to_owned()], 2));
    assert_eq!(price(&counter, &variant), b_before_a());
    let newest = console.newest();
    assert_eq!(newest["points"][POINT], json!([B, A]), "{newest}");
    assert_eq!(newest["reason"], "arranged price-adjustment: extender-b, extender-a");
    let (done, printed, complained) = console.run(&["points"]);
    let line =
        |nth: usize, name: &str| printed.lines().any(|line| line.starts_with(&format!("  {nth} {name} 1.0.1  ")));
    assert!(done && line(1, B) && line(2, A), "{printed}{complained}");

    console.restore(1).is(200);
    assert_eq!(price(&counter, &variant), a_before_b());
}

fn a_sequence_survives_a_restart_and_reaches_every_host(database: Database) {
    let (host, console, counter, variant) = discount_host(database);
    let other = (database == Database::Postgres).then(|| host.beside());
    let (done, printed, complained) = console.run(&["arrange", POINT, B, A]);
    assert!(done, "{printed}{complained}");
    if let Some(other) = &other {
        let there = console.at(other);
        eventually(|| (there.sequence(POINT) == [B, A]).then_some(()));
        let mut counter = counter.clone();
        counter.shop.host = other.clone();
        assert_eq!(price(&counter, &variant), b_before_a());
    }
    host.restart();
    assert_eq!(host.console().sequence(POINT), [B, A]);
    assert_eq!(price(&counter, &variant), b_before_a());
    assert_eq!(host.console().runs(), 2, "the start made no generation");
}

fn arrange_rejects_other_lists(database: Database) {
    let host = own_host(database, &['a', 'b']);
    let console = host.console();
    for modules in [&[A][..], &[], &[A, A], &[A, B, B], &[A, "pricing"]] {
        let said = console.arrange(POINT, modules).refused(400, "VALIDATION_FAILED").text("detail");
        assert!(said.contains("the sequence is: extender-a, extender-b"), "{modules:?}: {said}");
    }
    console.arrange("no-such-point", &[A]).refused(404, "NOT_FOUND");
    let late = json!({ "modules": [B, A], "expectedGeneration": 7 });
    console.post(&format!("points/{POINT}"), late).refused(409, "GENERATION_CHANGED");
    console.arrange(POINT, &[A, B]).is(200);
    assert_eq!(console.runs(), 1, "the sequence was there already");
}

fn a_new_extension_is_the_last(database: Database) {
    let host = own_host(database, &['b']);
    let console = host.console();
    let digest = console.pushed(&stoa_tests::modules::extender('a', 1));
    let refused = console.activate(&digest, json!({})).refused(409, "CONTRACT_BREAKING");
    assert!(refused.tells("POINT_EXTENDED"), "an operator consents to each: {refused}");
    let allow = json!({ "allow": ["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED"] });
    console.activate(&digest, allow).is(200);
    assert_eq!(console.sequence(POINT), [B, A], "a new extension follows the known ones");
}
