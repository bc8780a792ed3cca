//! Reports are a class of their own: few run at once, they may take longer than other requests, and everybody else goes on.

use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::company::product;
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, on_both_databases};

on_both_databases![a_report_without_a_seat_is_refused_and_nobody_else, a_report_ends_with_its_time];

/// How long a slow report takes, about: longer than a statement of other requests may on PostgreSQL.
const WANTED: Duration = Duration::from_secs(8);
/// Numbers that are counted to see how fast the machine is.
const SAMPLE: u128 = 500_000;

/// A report of this company that reads one table.
fn report(shop: &Company) -> Answer {
    let entity = shop.entity();
    let query = [("legalEntityId", entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    shop.list("reports/cash", &query)
}

/// Has the table of that report take some seconds: on PostgreSQL six, on SQLite as long as it takes to count so far.
fn slow_down(shop: &Company) {
    let count_to = |most: u128| {
        format!(
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < {most}) select count(*) from n"
        )
    };
    let wait = match shop.host.database() {
        Database::Sqlite => {
            let begin = Instant::now();
            shop.rows(&count_to(SAMPLE));
            let most = SAMPLE * WANTED.as_micros() / begin.elapsed().as_micros().max(1);
            format!("({}) > 0", count_to(most))
        }
        Database::Postgres => format!("(select pg_sleep({})::text) is not null", WANTED.as_secs()),
    };
    // What the wait is put upon is looked at with the first row.
    Office::of(shop.clone(), shop.entity()).sales.pay("10");
    shop.change("alter table finance_money_move rename to quick");
    shop.change(&format!("create view finance_money_move as select quick.* from quick where {wait}"));
}

fn a_report_without_a_seat_is_refused_and_nobody_else(database: Database) {
    let settings = Settings::default().set("STOA_HEAVY_READS", 1).set("STOA_HEAVY_READ_TIMEOUT", "50s");
    let settings = settings.set("STOA_SQLITE_READERS", 4);
    let shop = Stoa::start_with(database, settings).company();
    report(&shop).is(200);
    slow_down(&shop);
    thread::scope(|scope| {
        let first = scope.spawn(|| report(&shop));
        thread::sleep(Duration::from_millis(500));
        let second = scope.spawn(|| report(&shop));
        let made = shop.post("catalog/products", product("Meanwhile")).is(201).id();
        shop.get(&format!("catalog/products/{made}")).is(200);
        assert!(!first.is_finished(), "the report was no longer under way");
        let second = second.join().expect("an answer").refused(503, "UNAVAILABLE");
        assert_eq!(second.header("retry-after"), Some("1"));
        // On PostgreSQL that is more than the statement of another request may take.
        first.join().expect("an answer").is(200);
    });
    report(&shop).is(200);
}

fn a_report_ends_with_its_time(database: Database) {
    let shop = Stoa::start_with(database, Settings::default().set("STOA_HEAVY_READ_TIMEOUT", "2s")).company();
    report(&shop).is(200);
    slow_down(&shop);
    let answer = report(&shop);
    assert_eq!(answer.status, 503, "{answer}");
}
