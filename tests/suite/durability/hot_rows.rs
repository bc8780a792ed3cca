//! A row that is changed in place does not change its indexes on PostgreSQL: counted by the server, not timed.

use stoa_tests::{Company, Database, Stoa, eventually};

stoa_tests::tests![stock_and_keys_change_in_place];

const ADJUSTMENTS: i64 = 100;

/// Updates of a table's rows, and those of them that touched no index, as far as the server has counted.
fn count_updates(shop: &Company, table: &str) -> [i64; 2] {
    let query = format!("select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = '{table}'");
    let rows = shop.rows(&query);
    [0, 1].map(|column| rows[0][column].parse().expect("a count"))
}

fn stock_and_keys_change_in_place() {
    let host = Stoa::start(Database::Postgres);
    let shop = host.company();
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "1", None).is(201);
    for _ in 0..ADJUSTMENTS {
        shop.bring(&variant, &main, "1", None).is(201);
    }
    for table in ["inventory_stock", "stoa_idempotency"] {
        // Counts come late.
        let [all, hot] = eventually(|| Some(count_updates(&shop, table)).filter(|[all, _]| *all >= ADJUSTMENTS));
        assert!(hot * 10 >= all * 9, "{table}: {hot} of {all} updates in place");
    }
}
