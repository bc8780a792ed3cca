//! Modules that receive events: in the transaction, in which they may write and reject, and after the commit, each event at least
//! once and in its order.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::extending::{host, own_host};
use stoa_tests::selling::Counter;
use stoa_tests::tills::{Till, cash};
use stoa_tests::{Company, Database, eventually, modules, on_both_databases};

on_both_databases![
    a_listener_writes_in_the_transaction,
    a_listener_rejects_the_request,
    a_listener_receives_what_services_emit,
    committed_events_come_once_and_in_their_order,
    an_event_that_is_rejected_holds_up_its_company_alone,
    events_that_were_committed_survive_a_kill,
    a_listener_begins_at_its_activation_and_goes_on_where_it_was,
];

/// The notes of products that the extender of this letter received at a point.
#[track_caller]
fn products(shop: &Company, letter: char, point: &str) -> Vec<String> {
    let begin = format!("{point}: catalog.product.created ");
    let notes = shop.extension_notes(letter);
    let notes = notes.as_array().expect("notes");
    notes.iter().filter_map(|note| note.as_str()?.strip_prefix(&begin).map(str::to_owned)).collect()
}

/// A published product: only the event of one has its name.
fn public_product(name: &str) -> Json {
    with(&product(name), json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": fresh("SKU") }] }))
}

/// Makes products of these names.
#[track_caller]
fn make(shop: &Company, names: &[&str]) {
    names.iter().for_each(|name| drop(shop.post("catalog/products", public_product(name)).is(201)));
}

#[track_caller]
fn await_products(shop: &Company, letter: char, expected: &[&str]) {
    eventually(|| (products(shop, letter, "after-commit") == expected).then_some(()));
}

/// The listener of an extender, as operators see it.
#[track_caller]
fn listener(shop: &Company, module: &str) -> Json {
    let shown = shop.host.console().shown();
    let listeners = shown["listeners"].as_array().expect("listeners");
    listeners.iter().find(|listener| listener["module"] == module).unwrap_or_else(|| panic!("no {module}")).clone()
}

fn a_listener_writes_in_the_transaction(database: Database) {
    let shop = host(database).company();
    shop.extend('a', "listener", "note");
    let name = fresh("Lamp ");
    make(&shop, &[&name]);
    assert_eq!(products(&shop, 'a', "listener"), [name], "it is there with the response");
}

fn a_listener_rejects_the_request(database: Database) {
    let shop = host(database).company();
    shop.extend('a', "listener", "note");
    shop.extend('b', "listener", "reject Bad");
    shop.post("catalog/products", public_product("Bad")).refused(409, "EXTENDER_B_NO").at("/name");
    assert_eq!(shop.count("catalog_product", "name = 'Bad'"), 0);
    assert_eq!(shop.extension_notes('a'), json!([]), "the other listener's row is gone too");
    make(&shop, &["Good"]);
    assert_eq!(products(&shop, 'a', "listener"), ["Good"]);
}

fn a_listener_receives_what_services_emit(database: Database) {
    let till = Till::new(Counter::new(host(database).company()));
    let session = till.open("0");
    till.shop().extend('a', "listener", "note");
    session.sell("10", cash("10")).is(201);
    let notes = till.shop().extension_notes('a');
    let completed = notes.as_array().expect("notes").iter().filter(|note| *note == "listener: sale.completed");
    assert_eq!(completed.count(), 1, "{notes}");
}

fn committed_events_come_once_and_in_their_order(database: Database) {
    let shop = host(database).company();
    shop.extend('a', "after-commit", "note");
    let names: Vec<String> = (0..6).map(|_| fresh("Lamp ")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    make(&shop, &names);
    await_products(&shop, 'a', &names);
    let entries = "operation = 'receiveEvent' and actor_type = 'SYSTEM' and metadata like '%extender-a%'";
    assert!(shop.count("stoa_audit", entries) >= 6, "each is in the audit");
    assert_eq!(products(&shop, 'a', "after-commit"), names, "none came twice");
}

fn an_event_that_is_rejected_holds_up_its_company_alone(database: Database) {
    let host = own_host(database, &['a', 'b']);
    let (shop, other) = (host.company(), host.company());
    shop.extend('a', "after-commit", "reject Bad");
    shop.extend('b', "after-commit", "note");
    other.extend('a', "after-commit", "note");
    make(&shop, &["Good", "Bad", "Late"]);
    make(&other, &["Bad"]);
    await_products(&shop, 'b', &["Good", "Bad", "Late"]);
    await_products(&other, 'a', &["Bad"]);
    let tried = "module = 'extender-a' and tries >= 2";
    eventually(|| (shop.count("stoa_listener", tried) == 1).then_some(()));
    let shown = listener(&shop, "extender-a");
    assert_eq!((&shown["companiesInTrouble"], &shown["companiesBehind"]), (&json!(1), &json!(1)), "{shown}");
    assert!(shown["trouble"].to_string().contains("EXTENDER_A_NO") && shown["retryAt"].is_string(), "{shown}");
    assert_eq!(listener(&shop, "extender-b")["companiesInTrouble"], 0);
    let (_, listed, _) = host.console().run(&["list"]);
    assert!(listed.contains("listener extender-a: 1 companies behind; 1 companies in trouble"), "{listed}");

    shop.extend('a', "after-commit", "note");
    await_products(&shop, 'a', &["Bad", "Late"]);
    let is_well = "module = 'extender-a' and tries = 0 and trouble is null";
    eventually(|| (shop.count("stoa_listener", is_well) == 1).then_some(()));
}

fn events_that_were_committed_survive_a_kill(database: Database) {
    let host = own_host(database, &['a']);
    let shop = host.company();
    shop.extend('a', "after-commit", "note");
    let names: Vec<String> = (0..24).map(|number| format!("Lamp {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for some in names.chunks(8) {
        make(&shop, some);
        host.kill9();
        host.restart();
    }
    // No write reports them to the host: a look at the database does.
    await_products(&shop, 'a', &names);
}

fn a_listener_begins_at_its_activation_and_goes_on_where_it_was(database: Database) {
    let host = own_host(database, &[]);
    let (shop, console) = (host.company(), host.console());
    make(&shop, &["Before"]);
    let begun = console.runs();
    // Ids of events are of a millisecond, as the instant of the activation is.
    let made = now();
    eventually(|| (now() > made + 2).then_some(()));
    let digest = console.pushed(&modules::extender('a', 1));
    let allow = ["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED"];
    console.activate(&digest, json!({ "allow": allow })).is(200);
    host.forget_contract();
    shop.extend('a', "after-commit", "note");
    make(&shop, &["During"]);
    await_products(&shop, 'a', &["During"]);
    console.restore(begun).is(200);
    make(&shop, &["Meanwhile"]);
    console.activate(&digest, json!({ "allow": allow, "again": true })).is(200);
    make(&shop, &["After"]);
    await_products(&shop, 'a', &["During", "Meanwhile", "After"]);
}

/// Milliseconds since 1970.
fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis()
}
