//! Reports are a class of their own: few run at once, they may take longer than other requests, and everybody else goes on.

use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::company::product;
use stoa_tests::held::Held;
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, on_both_databases};

use crate::bounds::{count, import_many};

on_both_databases![a_report_ends_with_its_time];

on_both_databases![
    timed: a_report_without_a_seat_is_refused_and_nobody_else,
    companies_have_the_seats_round_robin,
    all_heavy_work_of_a_company_has_one_limit
];

/// Longer than a statement of other requests may take on PostgreSQL.
const LONG: Duration = Duration::from_secs(8);

/// A report of this company that reads one table.
fn report(shop: &Company) -> Answer {
    let entity = shop.entity();
    let query = [("legalEntityId", entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    shop.list("reports/cash", &query)
}

/// Reports that have come to the database.
fn count_begun(host: &Stoa) -> u64 {
    count(host, "stoa_database_transactions_total{", "kind=\"heavy\"")
}

/// Has the table of that report keep it (`Company::slow_down`).
fn slow_down(shop: &Company) -> Option<Held> {
    // The table that the wait is put upon is looked at with the first row.
    Office::from_shop(shop.clone(), shop.entity()).sales.pay("10");
    shop.slow_down("finance_money_move")
}

fn a_report_without_a_seat_is_refused_and_nobody_else(database: Database) {
    // On SQLite the first report ends by its time, long after the second was refused.
    let time = if database == Database::Sqlite { "12s" } else { "50s" };
    let settings = Settings::default().set("STOA_HEAVY_READS", 1).set("STOA_HEAVY_READ_TIMEOUT", time);
    let settings = settings.set("STOA_SQLITE_READERS", 4);
    let shop = Stoa::start_with(database, settings).company();
    report(&shop).is(200);
    let lock = slow_down(&shop);
    let before = count_begun(&shop.host);
    thread::scope(|scope| {
        let (begin, first) = (Instant::now(), scope.spawn(|| report(&shop)));
        eventually(|| (count_begun(&shop.host) > before).then_some(()));
        let second = scope.spawn(|| report(&shop));
        let made = shop.post("catalog/products", product("Meanwhile")).is(201).id();
        shop.get(&format!("catalog/products/{made}")).is(200);
        assert!(!first.is_finished(), "the report was no longer under way");
        let second = second.join().expect("an answer").refused(503, "UNAVAILABLE");
        assert_eq!(second.header("retry-after"), Some("1"));
        if let Some(lock) = lock {
            thread::sleep(LONG.saturating_sub(begin.elapsed()));
            drop(lock);
            first.join().expect("an answer").is(200);
        } else {
            first.join().expect("an answer").refused(503, "UNAVAILABLE");
        }
    });
    if database == Database::Postgres {
        report(&shop).is(200);
    }
}

/// Reports that take all their time are waiting for the only seat when another company asks for one.
fn companies_have_the_seats_round_robin(database: Database) {
    let settings = Settings::default().set("STOA_HEAVY_READS", 1).set("STOA_HEAVY_READ_TIMEOUT", "1500ms");
    let host = Stoa::start_with(database, settings.set("STOA_SQLITE_READERS", 4));
    let (greedy, other) = (host.company(), host.company_of("other@example.test"));
    report(&greedy).is(200);
    report(&other).is(200);
    let _lock = slow_down(&greedy);
    thread::scope(|scope| {
        let reports: Vec<_> = (0..6).map(|_| scope.spawn(|| report(&greedy))).collect();
        // Three in the queue would outlast the wait of one behind them.
        eventually(|| (count(&host, "stoa_heavy_reads_waiting", "") >= 3).then_some(()));
        report(&other).is(200);
        for report in reports {
            report.join().expect("an answer").refused(503, "UNAVAILABLE");
        }
    });
}

/// A report keeps the company's only seat: its searches and its large writes wait for it, and another company's do not.
fn all_heavy_work_of_a_company_has_one_limit(database: Database) {
    // On SQLite the report ends by its time, after all others.
    let time = if database == Database::Sqlite { "20s" } else { "50s" };
    let settings = Settings::default().set("STOA_HEAVY_READS", 2).set("STOA_HEAVY_READ_TIMEOUT", time);
    let settings = settings.set("STOA_REQUEST_TIMEOUT", "3s").set("STOA_SQLITE_READERS", 4);
    let host = Stoa::start_with(database, settings);
    let (shop, other) = (host.company(), host.company_of("other@example.test"));
    let search = |company: &Company| company.list("catalog/products", &[("text", "chair")]);
    report(&shop).is(200);
    search(&shop).is(200);
    let lock = slow_down(&shop);
    let before = count_begun(&host);
    thread::scope(|scope| {
        let first = scope.spawn(|| report(&shop));
        eventually(|| (count_begun(&host) > before).then_some(()));
        let large = scope.spawn(|| import_many(&shop, 100));
        let searched = search(&shop);
        searched.refused(503, "UNAVAILABLE");
        large.join().expect("an answer").refused(503, "UNAVAILABLE");
        // One line less is not a large write, and a list without a text no search.
        import_many(&shop, 99).is(201);
        shop.list("catalog/products", &[]).is(200);
        search(&other).is(200);
        import_many(&other, 100).is(201);
        assert!(!first.is_finished(), "the report was no longer under way");
        drop(lock);
        drop(first.join().expect("an answer"));
    });
    search(&shop).is(200);
    import_many(&shop, 100).is(201);
}

fn a_report_ends_with_its_time(database: Database) {
    let shop = Stoa::start_with(database, Settings::default().set("STOA_HEAVY_READ_TIMEOUT", "2s")).company();
    report(&shop).is(200);
    let _lock = slow_down(&shop);
    report(&shop).refused(503, "UNAVAILABLE");
}
