//! From events to deliveries: whatever one company has, each transaction is small, and no other company waits for it.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::{Company, Database, Receiver, Stoa, eventually, on_both_databases};

use super::{MADE, await_end, brand, endpoint, settings};

on_both_databases![
    more_endpoints_than_a_batch_each_receive_each_event_once,
    a_company_whose_fan_out_fails_holds_up_no_other,
];

/// Deliveries of one transaction (`host/src/events/fan_out.rs`).
const ROWS: usize = 200;
const ENDPOINTS: u32 = 1_000;

/// Endpoints from the time before there was a limit. They are disabled an hour from now on: they have
/// deliveries, and nothing is sent to them.
fn add_endpoints(shop: &Company) {
    let (id, disabled) = (shop.numbered_id("s.n"), shop.hours_after("t.created_at", "1"));
    let changes = [("id", id.as_str()), ("status", "'DISABLED'"), ("disabled_at", disabled.as_str())];
    shop.copy_rows("stoa_webhook_endpoint", "1 = 1", ENDPOINTS, &changes);
    shop.copy_rows("stoa_webhook_lane", "1 = 1", ENDPOINTS, &[("endpoint_id", id.as_str())]);
}

fn more_endpoints_than_a_batch_each_receive_each_event_once(database: Database) {
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let (old, shop) = (host.company(), host.company());
    let (real, _) = endpoint(&old, &well.url(), &["catalog.variant.created"]);
    let (good, _) = endpoint(&shop, &well.url(), &[MADE]);
    add_endpoints(&old);
    let variants: Vec<Json> = (0..3).map(|_| json!({ "sku": fresh("S") })).collect();
    old.post("catalog/products", with(&product("P"), json!({ "variants": variants }))).is(201);
    brand(&shop);
    assert_eq!(await_end(&shop, &good, 1)[0]["status"], json!("SUCCEEDED"));
    let expected = 3 * (ENDPOINTS as usize + 1);
    // The cursor of the last batch is written with it.
    eventually(|| {
        let is_there = old.count("stoa_webhook_delivery", "1 = 1") as usize >= expected;
        (is_there && old.count("stoa_webhook_cursor", "last_endpoint is null") == 1).then_some(())
    });
    let made = old.rows("select endpoint_id, event_id, created_at from stoa_webhook_delivery where {tenant}");
    let pairs: BTreeSet<&[String]> = made.iter().map(|row| &row[..2]).collect();
    assert_eq!((made.len(), pairs.len()), (expected, expected), "each endpoint and each event once");
    // The deliveries of one transaction have its instant, and a pause is between two of one company.
    let batches = old.rows("select count(*) from stoa_webhook_delivery where {tenant} group by created_at");
    let sizes: Vec<usize> = batches.iter().map(|row| row[0].parse().expect("a count")).collect();
    assert!(sizes.iter().all(|size| *size <= ROWS), "{sizes:?}");
    assert!(await_end_of_three(&old, &real), "those that can be sent are");
    // The company goes on: later events are turned into deliveries too.
    old.article(&fresh("S"));
    eventually(|| {
        let count = old.count("stoa_webhook_delivery", "1 = 1") as usize;
        (count == expected + ENDPOINTS as usize + 1).then_some(())
    });
}

fn await_end_of_three(shop: &Company, endpoint: &str) -> bool {
    let ended = await_end(shop, endpoint, 3);
    ended.len() == 3 && ended.iter().all(|delivery| delivery["status"] == "SUCCEEDED")
}

/// Statements by which the database rejects deliveries of a company, and takes them again.
fn poison(shop: &Company) -> [String; 2] {
    let tenant = shop.literal(&shop.tenant);
    match shop.host.database() {
        Database::Sqlite => [
            format!(
                "create trigger poison before insert on stoa_webhook_delivery when new.tenant_id = {tenant} begin
                   select raise(abort, 'poisoned'); end"
            ),
            "drop trigger poison".into(),
        ],
        Database::Postgres => [
            format!("alter table stoa_webhook_delivery add constraint poison check (tenant_id <> {tenant})"),
            "alter table stoa_webhook_delivery drop constraint poison".into(),
        ],
    }
}

fn a_company_whose_fan_out_fails_holds_up_no_other(database: Database) {
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let (broken, shop) = (host.company(), host.company());
    let [spoil, heal] = poison(&broken);
    let (waiting, _) = endpoint(&broken, &well.url(), &[MADE]);
    let (good, _) = endpoint(&shop, &well.url(), &[MADE]);
    broken.change(&spoil);
    let failures = || {
        let log = host.log();
        let is_one = |line: &&str| line.contains("cannot be turned into deliveries") && line.contains(&broken.tenant);
        log.lines().filter(is_one).count()
    };
    let began = Instant::now();
    brand(&broken);
    eventually(|| (failures() > 0).then_some(()));
    for nth in 1..=5 {
        brand(&shop);
        let ended = await_end(&shop, &good, nth);
        assert_eq!(ended[nth - 1]["status"], json!("SUCCEEDED"));
    }
    // One failure, one a second later, and ever fewer.
    let (failed, seconds) = (failures(), began.elapsed().as_secs() as usize);
    assert!(failed <= 2 + seconds, "{failed} failures in {seconds} s");
    assert_eq!(broken.count("stoa_webhook_delivery", "1 = 1"), 0);
    broken.change(&heal);
    assert_eq!(await_end(&broken, &waiting, 1)[0]["status"], json!("SUCCEEDED"));
}
