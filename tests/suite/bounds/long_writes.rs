//! A write on SQLite holds the only writer: it ends with the time of its request, and the next one is served.

use stoa_tests::company::product;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, on_one_database};

// A request has little time here: also one that the test needs for itself.
on_one_database![timed: a_write_that_takes_too_long_is_interrupted];

fn a_write_that_takes_too_long_is_interrupted(database: Database) {
    // Less than the time in host calls, which is a limit of its own.
    let host = Stoa::start_with(database, Settings::default().set("STOA_REQUEST_TIMEOUT", "1500ms"));
    let shop = host.company();
    shop.change(
        "create trigger endless before insert on catalog_product when new.name = 'Endless' begin
           select count(*) from (
             with recursive number(n) as (select 1 union all select n + 1 from number) select n from number where n < 0
           );
         end",
    );
    // Without an end of its own, the statement would outlast the patience of the client.
    let write = |name: &str| shop.request("POST", "catalog/products").json(&product(name)).send();
    write("Endless").refused(503, "UNAVAILABLE");
    write("Next").is(201);
}
