//! A host whose database finds no room for a write is not ready, until a write finds room again.

use stoa_tests::company::product;
use stoa_tests::host::Settings;
use stoa_tests::preload::Preload;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, on_both_databases};

on_both_databases![a_host_on_a_full_disk_is_not_ready];

/// SQLite's disk takes no byte more. A server of the suite is not ours to fill: its table rejects rows with the code of
/// a full disk.
fn fill(preload: &Preload, shop: &Company, full: bool) {
    match (shop.host.database(), full) {
        (Database::Sqlite, _) => preload.fill_disk(full),
        (Database::Postgres, true) => {
            shop.change(
                "create function find_no_room() returns trigger language plpgsql as $$ begin
                   raise exception 'no room' using errcode = '53100';
                 end $$",
            );
            shop.change(
                "create trigger no_room before insert on catalog_product for each row execute function find_no_room()",
            );
        }
        (Database::Postgres, false) => shop.change("drop trigger no_room on catalog_product"),
    }
}

fn a_host_on_a_full_disk_is_not_ready(database: Database) {
    let preload = Preload::build();
    let variables = preload.variables().into_iter();
    let settings = variables.fold(Settings::default(), |settings, (name, value)| settings.set(&name, value));
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let write =
        |name: &str| -> Answer { shop.request("POST", "catalog/products").json(&product(name)).unchecked().send() };
    write("before").is(201);
    host.get("/v1/ready").is(200);
    fill(&preload, &shop, true);
    // Another write of the host may find room on PostgreSQL, and an answer about readiness is a second old at most.
    eventually(|| {
        write("without room").refused(503, "UNAVAILABLE");
        (host.get("/v1/ready").status == 503).then_some(())
    });
    host.get("/v1/health").is(200);
    fill(&preload, &shop, false);
    eventually(|| (write("with room").status == 201).then_some(()));
    eventually(|| (host.get("/v1/ready").status == 200).then_some(()));
    assert!(host.is_running());
}
