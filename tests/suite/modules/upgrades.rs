//! A module that is upgraded with the data of its earlier versions: by fixtures of `stoa module test`, and on a host.

use std::fs;
use std::path::Path;
use std::thread;

use serde_json::{Value as Json, json};
use stoa_tests::folder::Folder;
use stoa_tests::host::Settings;
use stoa_tests::raw::Connection;
use stoa_tests::{Company, Database, Operator, Stoa, eventually, host, modules, on_both_databases};

stoa_tests::tests![
    a_fixture_runs_old_new_and_back,
    a_fixture_finds_what_a_plain_column_loses,
    a_fixture_tells_where_upgrade_failed,
    what_no_host_upgrades_is_refused,
    a_backfill_waits_for_hosts_of_the_old_version,
    a_backfill_waits_for_requests_of_the_old_version,
    the_last_write_on_another_host_leaves_no_wrong_total,
];

on_both_databases![
    totals_after_upgrade_rollback_and_return_are_the_ledgers,
    the_last_write_of_the_old_version_leaves_no_wrong_total,
];

/// The tally guest in one of its forms: `tests/guests/tally/src/lib.rs` lists them.
fn tally(form: u8) -> Vec<u8> {
    const FORM: &[u8] = b"the tally's form: 1";
    let mut bytes = modules::guest("tally");
    let found: Vec<usize> =
        bytes.windows(FORM.len()).enumerate().filter(|(_, window)| *window == FORM).map(|(offset, _)| offset).collect();
    let [offset] = found[..] else { panic!("the tally has its mark at {found:?}") };
    bytes[offset + FORM.len() - 1] = b'0' + form;
    bytes
}

/// `stoa module test` of a form with one fixture, next to which are the first two forms: its success, its report and its errors.
fn test(form: u8, fixture: &Json) -> (bool, Json, String) {
    let folder = Folder::new("upgrade");
    let file = |name: &str| folder.path().join(name);
    for (name, form) in [("new.wasm", form), ("first.wasm", 1), ("second.wasm", 2)] {
        fs::write(file(name), tally(form)).expect("a component");
    }
    fs::write(file("other.wasm"), modules::changeling(1)).expect("a component");
    fs::write(file("fixture.json"), fixture.to_string()).expect("a fixture");
    let text = |path: &Path| path.display().to_string();
    let (component, fixtures) = (text(&file("new.wasm")), text(&file("fixture.json")));
    let mut command = host::program();
    command.args(["module", "test", &component, "--fixtures", &fixtures, "--json"]);
    let output = command.output().expect("cannot run stoa");
    let reported = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.success(), reported, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn open(name: &str) -> Json {
    json!({ "operation": "openTallyAccount", "body": { "name": name }, "expect": { "status": 201 }, "save": name })
}

fn add(name: &str, amount: u32) -> Json {
    let body = json!({ "accountId": format!("${name}/id"), "amount": amount });
    json!({ "operation": "addTallyEntry", "body": body, "expect": { "status": 201 } })
}

/// A list of the accounts `a`, `b` and `c` with these totals.
fn list(totals: [Option<u32>; 3]) -> Json {
    let account = |(name, total)| json!({ "id": "$any", "name": name, "total": total });
    let accounts: Vec<Json> = ["a", "b", "c"].into_iter().zip(totals).map(account).collect();
    json!({ "operation": "listTallyAccounts", "expect": { "status": 200, "body": { "accounts": accounts } } })
}

/// A company that lives on the first version, on the second, on the first again and on the second again.
fn there_and_back() -> Json {
    json!({
        "from": "first.wasm",
        "before": [open("a"), open("b"), open("c"), add("a", 5), add("b", 7), list([None, None, None])],
        "steps": [list([Some(5), Some(7), Some(0)]), add("a", 3), list([Some(8), Some(7), Some(0)])],
        "back": [add("a", 4)],
        "again": [list([Some(12), Some(7), Some(0)]), add("a", 1), list([Some(13), Some(7), Some(0)])],
    })
}

/// The steps of the one fixture.
fn steps(reported: &Json) -> &[Json] {
    reported["fixtures"][0]["steps"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The differences of the steps that are not as expected, with their phases.
fn differences(reported: &Json) -> Vec<(&str, &str)> {
    let failed = steps(reported).iter().filter(|step| step["ok"] == false);
    failed.filter_map(|step| Some((step["phase"].as_str()?, step["differences"][0].as_str()?))).collect()
}

fn a_fixture_runs_old_new_and_back() {
    let (ok, reported, said) = test(2, &there_and_back());
    assert!(ok && reported["ok"] == true, "{reported:#} {said}");
    let mut phases: Vec<&str> = steps(&reported).iter().filter_map(|step| step["phase"].as_str()).collect();
    phases.dedup();
    assert_eq!(phases, ["before", "steps", "back", "again"]);
    // Two accounts a batch; on the return the one account that the first version changed.
    let upgrades: Vec<&str> = steps(&reported)
        .iter()
        .filter(|step| step["step"].is_null())
        .filter_map(|step| step["name"].as_str())
        .collect();
    assert_eq!(upgrades, ["upgrade from 1.0.0 to 1.1.0, batches: 2", "upgrade from 1.0.0 to 1.1.0, batches: 1"]);
}

/// Without `derived` the first version leaves a wrong sum, and the second backfill does not see it.
fn a_fixture_finds_what_a_plain_column_loses() {
    let (ok, reported, _) = test(3, &there_and_back());
    assert!(!ok, "{reported:#}");
    let found = differences(&reported);
    assert!(found.iter().all(|(phase, _)| *phase == "again"), "{found:?}");
    let finding = "verify: total: a has the total Some(9), its ledger 13";
    assert!(found.contains(&("again", finding)), "{found:?}");
}

fn a_fixture_tells_where_upgrade_failed() {
    let fixture = json!({ "from": "first.wasm", "before": [open("a")], "steps": [] });
    let (ok, reported, _) = test(4, &fixture);
    assert!(!ok, "{reported:#}");
    assert_eq!(differences(&reported), [("steps", "upgrade: it answered NOT_FOUND")]);
}

fn what_no_host_upgrades_is_refused() {
    let none: [Json; 0] = [];
    for (fixture, reason) in [
        (json!({ "from": "second.wasm", "steps": none }), "version 1.1.0 is not older than 1.1.0"),
        (json!({ "from": "other.wasm", "steps": none }), "it is the module `changeling`, not `tally`"),
        (json!({ "from": "gone.wasm", "steps": none }), "gone.wasm"),
        (json!({ "before": [open("a")], "steps": none }), "need `from`"),
    ] {
        let (ok, _, said) = test(2, &fixture);
        assert!(!ok && said.contains(reason), "{reason}: {said}");
    }
}

fn host(database: Database) -> Stoa {
    let folder = modules::empty_with(&[("tally.wasm", &tally(1)), ("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder))
}

fn open_account(shop: &Company, name: &str) -> String {
    shop.post("tally/accounts", json!({ "name": name })).is(201).id()
}

fn add_entries(shop: &Company, account: &str, amounts: &[i64]) {
    for amount in amounts {
        shop.post("tally/entries", json!({ "accountId": account, "amount": amount })).is(201);
    }
}

fn totals(shop: &Company) -> Vec<Option<i64>> {
    let answer = shop.get("tally/accounts").is(200);
    answer["accounts"].as_array().into_iter().flatten().map(|account| account["total"].as_i64()).collect()
}

/// The lines of `stoa module list`.
pub(super) fn list_modules(host: &Stoa) -> String {
    let (url, token) = (format!("http://{}", host.private_address()), host.console().token);
    let mut command = host::program();
    command.args(["module", "list", "--operator-url", &url, "--operator-token", &token]);
    let output = command.output().expect("cannot run stoa");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until this many backfills of the module are listed and done.
fn wait_for_backfills(console: &Operator, count: usize) {
    eventually(|| {
        let shown = console.shown();
        let backfills: Vec<&Json> =
            shown["upgrades"].as_array().into_iter().flatten().filter(|one| one["module"] == "tally").collect();
        let are_done = backfills.iter().all(|backfill| !backfill["doneAt"].is_null());
        (backfills.len() == count && are_done).then_some(())
    });
}

fn totals_after_upgrade_rollback_and_return_are_the_ledgers(database: Database) {
    let host = host(database);
    let (console, shop) = (host.console(), host.company());
    let accounts = ["a", "b", "c"].map(|name| open_account(&shop, name));
    add_entries(&shop, &accounts[0], &[5, 1]);
    add_entries(&shop, &accounts[1], &[7]);
    let digest = console.pushed(&tally(2));
    console.activate(&digest, json!({})).is(200);
    wait_for_backfills(&console, 1);
    assert_eq!(totals(&shop), [Some(6), Some(7), Some(0)]);
    add_entries(&shop, &accounts[0], &[10]);
    add_entries(&shop, &accounts[2], &[2]);
    console.restore(1).is(200);
    add_entries(&shop, &accounts[0], &[100]);
    add_entries(&shop, &accounts[1], &[20]);
    console.activate(&digest, json!({ "again": true })).is(200);
    add_entries(&shop, &accounts[1], &[3]);
    wait_for_backfills(&console, 2);
    assert_eq!(totals(&shop), [Some(116), Some(30), Some(2)]);
    let verified = host.verify(&[&shop.tenant]);
    assert_eq!(verified["findings"].as_array().map(Vec::len).unwrap_or_default(), 0, "{verified}");
}

/// The tally's backfill has not begun, though the host has looked for work.
#[track_caller]
fn expect_waiting(host: &Stoa) {
    let console = host.console();
    let find = |module: &str| {
        let shown = console.shown();
        let mut backfills = shown["upgrades"].as_array().into_iter().flatten();
        backfills.find(|backfill| backfill["module"] == module).cloned().unwrap_or_default()
    };
    // Each backfill that may go on shows that the host has looked for work since.
    for _ in 0..3 {
        host.change_everywhere("delete from stoa_upgrade where module = 'changeling'");
        host.change_everywhere(
            "insert into stoa_upgrade (generation, module, from_version, to_version, batches)
             values (1, 'changeling', '0.0.0', '1.0.0', 0)",
        );
        eventually(|| (!find("changeling")["doneAt"].is_null()).then_some(()));
    }
    let waiting = find("tally");
    assert!(waiting["doneAt"].is_null() && waiting["batches"] == 0, "{waiting}");
}

/// A host that still runs the generation before would write rows that the backfill has passed.
fn a_backfill_waits_for_hosts_of_the_old_version() {
    let host = host(Database::Postgres);
    let (console, shop) = (host.console(), host.company());
    open_account(&shop, "a");
    host.change(
        "insert into stoa_host (id, name, started_at, seen_at, generation, trouble, health)
         values ('00000000-0000-7000-8000-000000000001', 'laggard', now(), now() + interval '1 hour', 1, null, '{}')",
    );
    let digest = console.pushed(&tally(2));
    console.activate(&digest, json!({})).is(200);
    expect_waiting(&host);
    let listed = list_modules(&host);
    assert!(listed.contains("waits for host laggard, which runs generation 1"), "{listed}");
    host.change("delete from stoa_host where name = 'laggard'");
    wait_for_backfills(&console, 1);
}

/// A request of the generation before, of whichever module, may be one that writes rows that the backfill has passed.
fn a_backfill_waits_for_requests_of_the_old_version() {
    let folder = modules::empty_with(&[("tally.wasm", &tally(1)), ("changeling.wasm", &modules::changeling(1))]);
    let patient = Settings::default().set("STOA_MODULE_DEADLINE", "60s").set("STOA_REQUEST_TIMEOUT", "60s");
    let patient = patient.set("STOA_MODULE_STORE_CALLS", 100_000_000);
    let host = Stoa::start_with(Database::Postgres, patient.modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    open_account(&shop, "a");
    let digest = console.pushed(&tally(2));
    let add = |name: &str| shop.post("changeling/items", json!({ "name": name }));
    thread::scope(|scope| {
        // It asks for the row `end` until the test adds it.
        let slow = scope.spawn(|| add("after end"));
        eventually(|| shop.is_writing().then_some(()));
        console.activate(&digest, json!({})).is(200);
        expect_waiting(&host);
        let listed = list_modules(&host);
        assert!(listed.contains("waits for host ") && listed.contains(", which runs generation 1"), "{listed}");
        add("end").is(201);
        slow.join().expect("the slow request").is(201);
    });
    wait_for_backfills(&console, 1);
    assert_eq!(totals(&shop), [Some(0)]);
}

/// An entry of 7 for an account that is not known yet: the host has begun with the request, and waits for its body.
fn begin_entry(host: &Stoa, shop: &Company) -> Connection {
    let mut connection = Connection::open(host);
    let head = format!(
        "POST /v1/tenants/{}/tally/entries HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n",
        shop.tenant,
        host.address(),
        shop.token,
        uuid::Uuid::new_v4(),
        entry(&uuid::Uuid::nil().to_string()).len(),
    );
    connection.write(head.as_bytes());
    connection.wait_for("100 Continue\r\n\r\n");
    connection
}

fn entry(account: &str) -> String {
    json!({ "accountId": account, "amount": 7 }).to_string()
}

/// The account is of the new version, which has its total; the entry is of a request that began on the old one.
fn expect_no_wrong_total(host: &Stoa, shop: &Company, mut begun: Connection, digest: &str) {
    let console = host.console();
    console.activate(digest, json!({})).is(200);
    let account = open_account(shop, "b");
    begun.write(entry(&account).as_bytes());
    let reply = begun.answer();
    assert!(reply.text.contains("HTTP/1.1 201"), "{reply:?}");
    let known = totals(shop);
    assert!([None, Some(7)].contains(&known[0]), "the total before the backfill: {known:?}");
    wait_for_backfills(&console, 1);
    assert_eq!(totals(shop), [Some(7)]);
}

fn the_last_write_of_the_old_version_leaves_no_wrong_total(database: Database) {
    let host = host(database);
    let (shop, digest) = (host.company(), host.console().pushed(&tally(2)));
    let begun = begin_entry(&host, &shop);
    expect_no_wrong_total(&host, &shop, begun, &digest);
}

fn the_last_write_on_another_host_leaves_no_wrong_total() {
    let host = host(Database::Postgres);
    let (shop, other) = (host.company(), host.beside());
    let digest = host.console().pushed(&tally(2));
    eventually(|| (host.console().shown()["hosts"].as_array().map(Vec::len) == Some(2)).then_some(()));
    let begun = begin_entry(&other, &shop);
    expect_no_wrong_total(&host, &shop, begun, &digest);
}
