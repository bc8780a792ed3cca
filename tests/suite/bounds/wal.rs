//! SQLite's write-ahead log grows while a reader looks into it. Beyond a bound such readers end, and others read and
//! write on.

use std::fs;
use std::thread;

use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, on_one_database};

on_one_database![a_log_far_too_large_ends_the_report_that_keeps_it];

const MIB: u64 = 1 << 20;

/// The size of the host's write-ahead log.
fn size(host: &Stoa) -> u64 {
    let files = fs::read_dir(host.data_folder()).expect("the data folder").flatten();
    let log = files.map(|file| file.path()).find(|path| path.to_string_lossy().ends_with("-wal"));
    fs::metadata(log.expect("a write-ahead log")).expect("its size").len()
}

/// A report of this company that reads one table.
fn report(shop: &Company, entity: &str) -> Answer {
    let query = [("legalEntityId", entity), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    shop.list("reports/cash", &query)
}

fn a_log_far_too_large_ends_the_report_that_keeps_it(database: Database) {
    let settings = Settings::default().set("STOA_HEAVY_READ_TIMEOUT", "120s").set("STOA_SQLITE_READERS", 4);
    let host = Stoa::start_with(database, settings);
    let (shop, other) = (host.company(), host.company());
    let entity = shop.entity();
    // The table of the report is a view without an end. Its condition is looked at with the first row.
    Office::from_shop(shop.clone(), entity.clone()).sales.pay("10");
    shop.change("alter table finance_money_move rename to quick");
    shop.change(
        "create view finance_money_move as select quick.* from quick
         where (with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000000)
           select count(*) from n) > 0",
    );
    shop.change("create table bulk (a blob)");
    thread::scope(|scope| {
        let report = scope.spawn(|| report(&shop, &entity));
        // The log grows only once the report looks into it. The host may look before the other company's write, too.
        let mut largest = 0;
        for _ in 0..200 {
            largest = largest.max(size(&host));
            if largest > 264 * MIB || report.is_finished() {
                break;
            }
            shop.change("insert into bulk values (zeroblob(8388608))");
        }
        assert!(largest > 128 * MIB, "the report keeps no log");
        other.brand("MEANWHILE");
        eventually(|| (size(&host) <= 64 * MIB).then_some(()));
        report.join().expect("the report panicked").refused(503, "UNAVAILABLE");
        assert_eq!(other.get("catalog/lookups/brands").is(200).items().len(), 1);
    });
}
