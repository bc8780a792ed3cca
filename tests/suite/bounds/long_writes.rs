//! A write holds SQLite's only writer, or a connection to PostgreSQL: it ends with the time of its request, and the
//! next one is served.

use std::time::{Duration, Instant};

use stoa_tests::company::product;
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Stoa, eventually, on_both_databases};

// A request has little time here: also one that the test needs for itself.
on_both_databases![timed: a_write_that_takes_too_long_is_interrupted];

/// More than the time of a request here, and less than a statement may take on PostgreSQL by itself.
const PROMPT: Duration = Duration::from_millis(4_500);

/// Without an end of its own, the insert of a product of this name would outlast the patience of the client.
fn never_end(shop: &Company, name: &str) {
    match shop.host.database() {
        Database::Sqlite => shop.change(&format!(
            "create trigger endless before insert on catalog_product when new.name = '{name}' begin
               select count(*) from (
                 with recursive number(n) as (select 1 union all select n + 1 from number) select n from number where n < 0
               );
             end"
        )),
        Database::Postgres => {
            shop.change(
                "create function never_end() returns trigger language plpgsql as $$ begin
                   perform count(*) from (select generate_series(1::bigint, 1000000000000)) as number;
                   return new;
                 end $$",
            );
            shop.change(&format!(
                "create trigger endless before insert on catalog_product for each row when (new.name = '{name}')
                 execute function never_end()"
            ));
        }
    }
}

/// Waits until the database does nothing of it any more: a server ends what it was asked for a little later than its
/// client leaves.
fn wait_for_its_end(shop: &Company) {
    if shop.host.database() == Database::Postgres {
        let sleeping = "select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
        eventually(|| shop.rows(sleeping).is_empty().then_some(()));
    }
}

fn a_write_that_takes_too_long_is_interrupted(database: Database) {
    // Less than the time in host calls, which is a limit of its own. The company has one of two connections.
    let settings = Settings::default().set("STOA_REQUEST_TIMEOUT", "1500ms").set("STOA_DATABASE_CONNECTIONS", 2);
    let shop = Stoa::start_with(database, settings).company();
    never_end(&shop, "Endless");
    let write = |name: &str| shop.request("POST", "catalog/products").json(&product(name)).send();
    let before = shop.digest();
    let began = Instant::now();
    write("Endless").refused(503, "UNAVAILABLE");
    let took = began.elapsed();
    assert!(took < PROMPT, "{took:?}");
    assert_eq!(shop.digest(), before, "nothing is left of it");
    // Its connection, or the writer, is free at once.
    write("Next").is(201);
    let after = shop.digest();
    wait_for_its_end(&shop);
    assert_eq!(shop.digest(), after, "nothing comes of it later");
}
