//! Timers: windows of a company leave no gap and do not overlap, whatever is killed, and a company that fails holds up
//! no other. The tests move the time of a round, and wait for none.

use serde_json::{Value as Json, json};
use stoa_tests::extending::own_host;
use stoa_tests::{Company, Database, Stoa, eventually, on_both_databases};

on_both_databases![
    windows_follow_each_other_across_restarts_and_kills,
    a_window_is_worked_through_in_batches,
    a_company_that_fails_lags_and_holds_up_no_other,
    a_suspended_company_catches_up,
];

/// A window that the timer noted: since (`none`), until, and the batch.
type Noted = (String, String, String);

#[track_caller]
fn windows(shop: &Company) -> Vec<Noted> {
    let notes = shop.extension_notes('a');
    let notes = notes.as_array().expect("notes").iter().filter_map(|note| note.as_str()?.strip_prefix("timer: "));
    let parts = notes.map(|note| note.split(' ').map(str::to_owned).collect::<Vec<_>>());
    parts.map(|parts| (parts[0].clone(), parts[1].clone(), parts[2].clone())).collect()
}

/// Windows that begin with none and of which each begins where the one before ended.
#[track_caller]
fn expect_chain(windows: &[Noted], count: usize) {
    assert_eq!(windows.len(), count, "{windows:?}");
    let ends = windows.iter().map(|(_, until, _)| until.as_str());
    let begins: Vec<&str> = std::iter::once("none").chain(ends).take(count).collect();
    assert_eq!(windows.iter().map(|(since, ..)| since.as_str()).collect::<Vec<_>>(), begins, "{windows:?}");
}

#[track_caller]
fn timer(host: &Stoa) -> Json {
    host.find_timer().expect("a timer")
}

fn await_windows(shop: &Company, count: usize) {
    eventually(|| (windows(shop).len() == count).then_some(()));
}

fn windows_follow_each_other_across_restarts_and_kills(database: Database) {
    let host = own_host(database, &['a']);
    let shops = [host.company(), host.company(), host.company()];
    shops.iter().for_each(|shop| shop.extend('a', "timer", "note"));
    for round in 1..=3 {
        host.make_timer_due();
        if round > 1 {
            host.kill9();
            host.restart();
        }
        shops.iter().for_each(|shop| await_windows(shop, round));
    }
    for shop in &shops {
        expect_chain(&windows(shop), 3);
        assert_eq!(shop.count("stoa_audit", "operation = 'runTimer' and actor_id = 'system:timer'"), 3);
    }
    eventually(|| (!timer(&host)["doneAt"].is_null() && timer(&host)["isDue"] == false).then_some(()));
    let (_, listed, _) = host.console().run(&["list"]);
    assert!(listed.contains("timer tick of extender-a: next round at"), "{listed}");
}

fn a_window_is_worked_through_in_batches(database: Database) {
    let host = own_host(database, &['a']);
    let shop = host.company();
    shop.extend('a', "timer", "batches 4");
    host.make_timer_due();
    await_windows(&shop, 4);
    let noted = windows(&shop);
    let batches: Vec<&str> = noted.iter().map(|(.., batch)| batch.as_str()).collect();
    assert_eq!(batches, ["1", "2", "3", "4"]);
    assert!(noted.iter().all(|(since, until, _)| since == "none" && *until == noted[0].1), "one window: {noted:?}");
}

fn a_company_that_fails_lags_and_holds_up_no_other(database: Database) {
    let host = own_host(database, &['a']);
    let [failing, other] = [host.company(), host.company()];
    failing.extend('a', "timer", "reject");
    other.extend('a', "timer", "note");
    host.make_timer_due();
    await_windows(&other, 1);
    eventually(|| (failing.count("stoa_timer_lag", "tries = 1") == 1).then_some(()));
    let shown = timer(&host);
    assert_eq!((&shown["lagging"], &shown["companiesInTrouble"]), (&json!(1), &json!(1)), "{shown}");
    assert!(shown["trouble"].to_string().contains("EXTENDER_A_NO"), "{shown}");

    eventually(|| (timer(&host)["isDue"] == false).then_some(()));
    failing.extend('a', "timer", "note");
    host.make_timer_due();
    await_windows(&other, 2);
    assert!(windows(&failing).is_empty(), "the round leaves out who lags");
    failing.change(&format!("update stoa_timer_lag set retry_at = {} where {{tenant}}", host.now()));
    await_windows(&failing, 2);
    eventually(|| (failing.count("stoa_timer_lag", "1 = 1") == 0).then_some(()));
    expect_chain(&windows(&failing), 2);
    assert_eq!(windows(&failing), windows(&other), "it has the same windows");
}

fn a_suspended_company_catches_up(database: Database) {
    let host = own_host(database, &['a']);
    let [resting, other] = [host.company(), host.company()];
    [&resting, &other].iter().for_each(|shop| shop.extend('a', "timer", "note"));
    resting.change("update stoa_tenant set status = 'SUSPENDED' where {id}");
    host.make_timer_due();
    await_windows(&other, 1);
    eventually(|| (resting.count("stoa_timer_lag", "tries = 0") == 1).then_some(()));
    assert_eq!(timer(&host)["companiesInTrouble"], 0, "that is no failure");
    resting.change("update stoa_tenant set status = 'ACTIVE' where {id}");
    resting.change(&format!("update stoa_timer_lag set retry_at = {} where {{tenant}}", host.now()));
    await_windows(&resting, 1);
    assert_eq!(windows(&resting), windows(&other));
}
