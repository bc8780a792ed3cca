//! Tables that grow with a module: additive changes come with the activation, what the rows do not allow is refused, and the
//! rows that were there are filled afterwards, company by company, whatever is killed meanwhile.

use serde_json::{Value as Json, json};
use sqlx::{Connection as _, Executor as _};
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Stoa, eventually, modules, on_both_databases};

use crate::modules::upgrades::list_modules;

stoa_tests::tests![an_operators_index_under_way_is_left_alone];

on_both_databases![
    rows_are_filled_after_the_swap,
    a_killed_backfill_goes_on,
    a_refused_backfill_is_reported,
    a_failed_backfill_is_listed_with_tries_and_error,
    rows_that_break_a_new_rule_refuse_it,
    tables_stay_when_their_module_goes_back,
];

fn host(database: Database) -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder))
}

fn add(shop: &Company, name: &str) {
    shop.post("changeling/items", json!({ "name": name })).is(201);
}

/// Companies with this many rows each.
fn companies(host: &Stoa, rows: &[usize]) -> Vec<Company> {
    rows.iter()
        .map(|rows| {
            let shop = host.company();
            (0..*rows).for_each(|row| add(&shop, &"x".repeat(row + 1)));
            shop
        })
        .collect()
}

fn sizes(shop: &Company) -> Vec<Option<u64>> {
    let answer = shop.request("GET", "changeling/sizes").unchecked().send().is(200);
    answer["sizes"].as_array().into_iter().flatten().map(Json::as_u64).collect()
}

fn filled(shop: &Company) -> bool {
    sizes(shop).iter().all(Option::is_some)
}

fn rows_are_filled_after_the_swap(database: Database) {
    let host = host(database);
    let shops = companies(&host, &[7, 0, 3, 10]);
    let console = host.console();
    let digest = console.pushed(&modules::changeling(2));
    let activated = console.activate(&digest, json!({})).is(200);
    let tables = activated["tables"].to_string();
    assert!(tables.contains("item: new column size"), "{tables}");
    let upgrade = eventually(|| {
        let upgrade = console.shown()["upgrades"][0].clone();
        (!upgrade["doneAt"].is_null()).then_some(upgrade)
    });
    assert_eq!((&upgrade["from"], &upgrade["to"]), (&json!("1.0.0"), &json!("1.1.0")));
    // Three rows a batch: 3 + 1 + 1 + 4.
    assert_eq!(upgrade["batches"], 9);
    assert_eq!(upgrade["companies"], json!({ "reached": 4, "all": 4 }));
    for (shop, rows) in shops.iter().zip([7, 0, 3, 10]) {
        assert_eq!(sizes(shop), (1..=rows).map(Some).collect::<Vec<_>>());
    }
}

fn a_killed_backfill_goes_on(database: Database) {
    let host = host(database);
    let shops = companies(&host, &[20, 20, 20]);
    let console = host.console();
    let digest = console.pushed(&modules::changeling(2));
    console.activate(&digest, json!({})).is(200);
    // The folder of --dev would go back to version 1.0.0: from now on it has the new one.
    host.replace_modules(&[("changeling.wasm", &modules::changeling(2))]);
    // A backfill waits for hosts of the generation before, and one that is killed does not report that it is gone.
    eventually(|| (console.shown()["hosts"][0]["generation"] == 2).then_some(()));
    for _ in 0..6 {
        host.kill9();
        host.restart();
    }
    for shop in &shops {
        eventually(|| filled(shop).then_some(()));
        assert_eq!(sizes(shop), (1..=20).map(Some).collect::<Vec<_>>());
    }
}

fn a_refused_backfill_is_reported(database: Database) {
    let host = host(database);
    let shop = host.company();
    add(&shop, "waits");
    let console = host.console();
    let digest = console.pushed(&modules::changeling(5));
    console.activate(&digest, json!({})).is(200);
    let upgrade = eventually(|| {
        let upgrade = console.shown()["upgrades"][0].clone();
        upgrade["trouble"].is_string().then_some(upgrade)
    });
    assert!(upgrade["trouble"].to_string().contains("NOT_FOUND"), "{upgrade}");
    assert!(upgrade["doneAt"].is_null());
    // The module runs all the same: it reads rows that are not filled yet.
    assert_eq!(sizes(&shop), [None]);
}

fn a_failed_backfill_is_listed_with_tries_and_error(database: Database) {
    let host = host(database);
    host.company();
    let console = host.console();
    let digest = console.pushed(&modules::changeling(5));
    console.activate(&digest, json!({})).is(200);
    for tries in 1..=2 {
        eventually(|| (console.shown()["upgrades"][0]["tries"] == tries).then_some(()));
        let listed = list_modules(&host);
        let line =
            format!("backfill of changeling to 1.3.0: company 0 of 1, 0 batches; failures: {tries}, next try 20");
        assert!(listed.contains(&line) && listed.contains("upgrade answered NOT_FOUND"), "{listed}");
        host.change_everywhere("update stoa_upgrade set retry_at = null");
    }
}

/// Runs a statement outside any transaction.
fn execute_alone(host: &Stoa, statement: &str) -> Result<(), sqlx::Error> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = sqlx::PgConnection::connect(host.postgres_url().expect("its database")).await?;
        connection.execute(sqlx::AssertSqlSafe(statement.to_string())).await.map(drop)
    })
}

/// An index that is being built looks like one whose builder was stopped: a name that the host did not make is not the host's.
fn an_operators_index_under_way_is_left_alone() {
    let database = Database::Postgres;
    let host = host(database);
    let (console, shop) = (host.console(), host.company());
    add(&shop, "twice");
    add(&shop, "twice");
    let (own_index, theirs) = ("changeling_item__i_left", "operators_own");
    // A unique index that the rows do not allow is left half-built.
    for name in [own_index, theirs] {
        let statement = format!("create unique index concurrently {name} on changeling_item (name)");
        assert!(execute_alone(&host, &statement).is_err());
    }
    console.activate(&console.pushed(&modules::changeling(2)), json!({})).is(200);
    let left = host
        .rows("select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid where not i.indisvalid");
    assert_eq!(left, [[theirs]]);
}

fn rows_that_break_a_new_rule_refuse_it(database: Database) {
    let host = host(database);
    let shop = host.company();
    add(&shop, "twice");
    add(&shop, "twice");
    let console = host.console();
    let digest = console.pushed(&modules::changeling(4));
    let answer = console.activate(&digest, json!({})).refused(409, "SCHEMA_NOT_ADDITIVE");
    assert!(answer.text("detail").contains("name"), "{answer}");
    assert_eq!(console.runs(), 1);
    add(&shop, "twice");
    shop.change("update changeling_item set name = name || ' ' || cast(created_at as text) || cast(id as text)");
    console.activate(&digest, json!({})).is(200);
    shop.request("POST", "changeling/items").json(&json!({ "name": "once" })).unchecked().send().is(201);
    shop.request("POST", "changeling/items")
        .json(&json!({ "name": "once" }))
        .unchecked()
        .send()
        .refused(409, "DUPLICATE");
}

fn tables_stay_when_their_module_goes_back(database: Database) {
    let host = host(database);
    let shop = host.company();
    let console = host.console();
    let digest = console.pushed(&modules::changeling(2));
    for round in 0..3 {
        console.activate(&digest, json!({ "again": true })).is(200);
        let grown = format!("grown {round}");
        shop.request("POST", "changeling/items").json(&json!({ "name": grown })).unchecked().send().is(201);
        console.restore(1).is(200);
        let plain = format!("plain {round}");
        shop.request("POST", "changeling/items").json(&json!({ "name": plain })).unchecked().send().is(201);
    }
    console.activate(&digest, json!({ "again": true })).is(200);
    eventually(|| filled(&shop).then_some(()));
    assert_eq!(sizes(&shop).len(), 6);
}
