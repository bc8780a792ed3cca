//! An activation with places: tables are extended everywhere before the generation is recorded at home, and completed after it. A host
//! that dies in between leaves an activation that came to nothing, or one that another host completes.

use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::puppet::{descriptor, puppet};
use stoa_tests::{Company, Database, Operator, Stoa, eventually_within, modules, tests};

tests![
    an_activation_extends_the_tables_of_every_place,
    a_module_with_tables_comes_and_is_forgotten_at_every_place,
    a_place_that_is_away_prevents_an_activation_and_no_rollback,
    rows_of_one_place_that_break_a_new_rule_prevent_it_everywhere,
    a_host_killed_before_home_leaves_an_activation_that_is_repeated,
    a_host_killed_after_home_leaves_places_that_another_completes,
    a_place_without_tables_serves_nobody_until_it_has_them,
];

/// The key of the lock of who changes tables (`host/src/gate/tables.rs`).
const LOCK: &str = "select pg_advisory_xact_lock(7310586)";
const PATIENCE: Duration = Duration::from_secs(60);
const SERVERS: [&str; 3] = ["home", "place-1", "place-2"];

/// A host with two places that runs a module in its first version.
fn start_changeling() -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(Database::Postgres, Settings::default().modules_in(folder).places(SERVERS.len()))
}

/// A company at each server, with this many rows.
fn companies(host: &Stoa, rows: [usize; 3]) -> [Company; 3] {
    let companies = SERVERS.map(|place| host.company_at(place, "owner@example.test"));
    for (company, rows) in companies.iter().zip(rows) {
        (0..rows).for_each(|row| add(company, &"x".repeat(row + 1)));
    }
    companies
}

fn add(shop: &Company, name: &str) {
    shop.request("POST", "changeling/items").json(&json!({ "name": name })).unchecked().send().is(201);
}

fn sizes(shop: &Company) -> Vec<Option<u64>> {
    let answer = shop.request("GET", "changeling/sizes").unchecked().send().is(200);
    answer["sizes"].as_array().into_iter().flatten().map(Json::as_u64).collect()
}

#[track_caller]
fn await_sizes(shop: &Company, rows: usize) {
    let expected: Vec<Option<u64>> = (1..=rows).map(|size| u64::try_from(size).ok()).collect();
    eventually_within(PATIENCE, || (sizes(shop) == expected).then_some(()));
}

/// Returns whether the table has the column of the second version.
fn is_grown(host: &Stoa, place: &str) -> bool {
    let column = "select count(*)::text from information_schema.columns
                  where table_name = 'changeling_item' and column_name = 'size'";
    host.run_at(place, column).as_deref() == Some("1")
}

/// The generation that is active by the rows of a place.
fn generation(host: &Stoa, place: &str) -> String {
    host.run_at(place, "select coalesce(max(number), 0)::text from stoa_generation").expect("a generation")
}

#[track_caller]
fn await_generation(host: &Stoa, place: &str, number: &str) {
    eventually_within(PATIENCE, || (generation(host, place) == number).then_some(()));
}

/// Activates on a thread of its own: the host may be killed meanwhile.
fn activate_apart(console: &Operator, host: &Stoa, digest: &str) -> std::thread::JoinHandle<bool> {
    let (console, digest) = (console.at(host), digest.to_owned());
    std::thread::spawn(move || console.run(&["activate", &digest]).0)
}

fn an_activation_extends_the_tables_of_every_place() {
    let host = start_changeling();
    let (shops, console) = (companies(&host, [2, 7, 4]), host.console());
    console.activate(&console.pushed(&modules::changeling(2)), json!({})).is(200);
    for place in SERVERS {
        assert!(is_grown(&host, place), "{place}");
        assert_eq!(generation(&host, place), "2", "{place}");
        let kept = host.run_at(place, "select count(*)::text from stoa_artifact").expect("a count");
        assert_eq!(kept == "0", place != "home", "{place} has {kept} artifacts");
    }
    for (shop, rows) in shops.iter().zip([2, 7, 4]) {
        await_sizes(shop, rows);
    }
    let upgrade = eventually_within(PATIENCE, || {
        let upgrade = console.shown()["upgrades"][0].clone();
        (!upgrade["doneAt"].is_null()).then_some(upgrade)
    });
    // Three rows a batch: 1 + 3 + 2.
    assert_eq!((&upgrade["batches"], &upgrade["trouble"]), (&json!(6), &Json::Null), "{upgrade}");
    assert_eq!(upgrade["companies"], json!({ "reached": 3, "all": 3 }));
}

fn a_module_with_tables_comes_and_is_forgotten_at_every_place() {
    let host = start_changeling();
    let console = host.console();
    let column = |name: &str| json!({ "name": name, "type": "text", "nullable": true });
    let version = |version: &str, collections: Json| {
        puppet(&with(&descriptor("puppet"), json!({ "version": version, "collections": collections })))
    };
    let first = json!([{ "name": "thing", "kind": "record", "columns": [column("label")] }]);
    let second = json!([
        { "name": "thing", "kind": "record", "columns": [column("label"), column("colour")] },
        { "name": "other", "kind": "record", "columns": [column("label")] },
    ]);
    let columns = |place: &str| {
        let sql = "select count(*)::text from information_schema.columns where table_name like 'puppet\\_%'
                   and column_name in ('label', 'colour')";
        host.run_at(place, sql).expect("a count")
    };
    for (number, collections, expected) in [("1.0.0", first, "1"), ("1.1.0", second, "3")] {
        console.activate(&console.pushed(&version(number, collections)), json!({})).is(200);
        assert_eq!(SERVERS.map(columns), [expected; 3]);
    }
    console.post("modules/puppet/forget", json!({ "withData": true })).refused(409, "MODULE_ACTIVE");
    assert_eq!(SERVERS.map(columns), ["3"; 3]);
    console.post("modules/puppet/deactivate", json!({})).is(200);
    console.post("modules/puppet/forget", json!({ "withData": true })).is(200);
    assert_eq!(SERVERS.map(columns), ["0"; 3]);
}

fn a_place_that_is_away_prevents_an_activation_and_no_rollback() {
    let host = start_changeling();
    let (shops, console) = (companies(&host, [1, 1, 1]), host.console());
    let digest = console.pushed(&modules::changeling(2));
    host.take_away("place-2");
    let answer = console.activate(&digest, json!({})).refused(503, "UNAVAILABLE");
    assert!(answer.text("detail").contains("the place place-2"), "{answer}");
    assert_eq!(["home", "place-1"].map(|place| is_grown(&host, place)), [false, false]);
    assert_eq!(console.runs(), 1);
    host.bring_back("place-2");
    console.activate(&digest, json!({})).is(200);
    host.take_away("place-2");
    console.restore(1).is(200);
    assert_eq!([console.runs(), console.shown()["generation"].as_u64().unwrap_or(0)], [3, 3]);
    add(&shops[0], "while it is away");
    host.bring_back("place-2");
    await_generation(&host, "place-2", "3");
    eventually_within(PATIENCE, || (shops[2].get("changeling").status == 200).then_some(()));
    add(&shops[2], "when it is back");
}

fn rows_of_one_place_that_break_a_new_rule_prevent_it_everywhere() {
    let host = start_changeling();
    let (shops, console) = (companies(&host, [1, 1, 1]), host.console());
    (0..2).for_each(|_| add(&shops[2], "twice"));
    let digest = console.pushed(&modules::changeling(4));
    let answer = console.activate(&digest, json!({})).refused(409, "SCHEMA_NOT_ADDITIVE");
    assert!(answer.text("detail").contains("the place place-2"), "{answer}");
    assert_eq!(console.runs(), 1);
    // The version that stays active has no such rule, at no place.
    for shop in &shops {
        (0..2).for_each(|_| add(shop, "again"));
        shop.change("update changeling_item set name = name || ' ' || cast(id as text)");
    }
    console.activate(&digest, json!({})).is(200);
    for shop in &shops {
        add(shop, "once");
        let again = shop.request("POST", "changeling/items").json(&json!({ "name": "once" })).unchecked();
        again.send().refused(409, "DUPLICATE");
    }
}

fn a_host_killed_before_home_leaves_an_activation_that_is_repeated() {
    let host = start_changeling();
    let (shops, console) = (companies(&host, [1, 2, 3]), host.console());
    let digest = console.pushed(&modules::changeling(2));
    let held = host.hold_at("home", LOCK);
    let activation = activate_apart(&console, &host, &digest);
    eventually_within(PATIENCE, || (is_grown(&host, "place-1") && is_grown(&host, "place-2")).then_some(()));
    host.kill9();
    drop(held);
    assert!(!activation.join().expect("the verb"));
    host.restart();
    assert_eq!(
        (is_grown(&host, "home"), SERVERS.map(|place| generation(&host, place))),
        (false, ["1".into(), "1".into(), "1".into()])
    );
    shops.iter().for_each(|shop| drop(shop.get("changeling").is(200)));
    console.activate(&digest, json!({})).is(200);
    for (shop, rows) in shops.iter().zip([1, 2, 3]) {
        await_sizes(shop, rows);
    }
}

fn a_host_killed_after_home_leaves_places_that_another_completes() {
    let host = start_changeling();
    let (shops, console) = (companies(&host, [1, 2, 3]), host.console());
    let digest = console.pushed(&modules::changeling(2));
    let at_home = host.hold_at("home", LOCK);
    let activation = activate_apart(&console, &host, &digest);
    eventually_within(PATIENCE, || (is_grown(&host, "place-1") && is_grown(&host, "place-2")).then_some(()));
    let at_place = host.hold_at("place-2", LOCK);
    drop(at_home);
    await_generation(&host, "home", "2");
    host.kill9();
    assert_eq!(generation(&host, "place-2"), "1");
    drop(at_place);
    assert!(!activation.join().expect("the verb"));
    // The folder of --dev would go back to version 1.0.0.
    host.replace_modules(&[("changeling.wasm", &modules::changeling(2))]);
    host.restart();
    SERVERS.iter().for_each(|place| await_generation(&host, place, "2"));
    for (shop, rows) in shops.iter().zip([1, 2, 3]) {
        await_sizes(shop, rows);
    }
    assert_eq!(SERVERS.map(|place| generation(&host, place)), ["2", "2", "2"]);
}

fn a_place_without_tables_serves_nobody_until_it_has_them() {
    let host = start_changeling();
    let shops = companies(&host, [1, 1, 1]);
    host.kill9();
    host.run_at("place-2", "delete from stoa_collection where module = 'changeling' returning 1");
    host.run_at("place-2", "drop table changeling_item");
    // As long as this is held, no host can make them.
    let held = host.hold_at("place-2", LOCK);
    host.restart();
    for shop in &shops[..2] {
        shop.get("changeling").is(200);
    }
    shops[2].get("changeling").refused(503, "UNAVAILABLE");
    assert!(host.log().contains("its tables are not those of the active modules"), "{}", host.log());
    drop(held);
    eventually_within(PATIENCE, || (shops[2].get("changeling").status == 200).then_some(()));
    add(&shops[2], "again");
}
