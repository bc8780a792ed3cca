//! The way back: it never leads to a withdrawn version, each module is watched for its first ten minutes, one module
//! goes back by itself, and several come as one set.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::modules::replace_name;
use stoa_tests::operator::Operator;
use stoa_tests::parallel::SetOnDrop;
use stoa_tests::puppet::{self, puppet};
use stoa_tests::{Database, Stoa, at_once, eventually, modules, on_both_databases};

use super::swap::{ask_all, ask_until_it_answers, shops};

on_both_databases![
    rollback_skips_what_was_withdrawn,
    rollback_twice_does_not_return,
    a_withdrawn_digest_needs_again,
    history_marks_withdrawn_generations,
    what_a_rollback_brought_is_watched,
    an_unrelated_activation_ends_no_watch,
    a_watch_survives_a_restart_and_other_activations,
    one_module_goes_back_alone,
    a_module_that_others_need_takes_the_set_back,
    a_set_is_activated_as_one,
    a_refused_set_changes_nothing,
    a_returning_module_is_compared_with_its_last_version,
    a_dev_restart_that_lowers_says_so,
    a_rejection_names_its_flag_once,
];

/// A host of only changeling 1.0.0.
fn host(database: Database) -> (Stoa, Operator) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder).set("STOA_LOG", "info"));
    let console = host.console();
    (host, console)
}

/// Pushes and activates a form of the changeling; answers its digest.
fn activate(console: &Operator, form: u8) -> String {
    let digest = console.pushed(&modules::changeling(form));
    console.activate(&digest, json!({})).is(200);
    digest
}

/// Activates a module that has nothing to do with the changeling.
fn activate_puppet(console: &Operator) {
    console.activate(&console.pushed(&puppet(&puppet::descriptor("puppet"))), json!({})).is(200);
}

/// Waits until the host watches as many modules as it began to watch before.
fn wait_for_watch(host: &Stoa, watched: usize) {
    eventually(|| (host.log().matches("a module is watched").count() >= watched).then_some(()));
}

fn rollback_skips_what_was_withdrawn(database: Database) {
    let (host, console) = host(database);
    let shops = shops(&host, 3);
    activate_puppet(&console);
    activate(&console, 3);
    host.forget_contract();
    ask_until_it_answers(&shops);
    assert_eq!(console.newest()["cause"], "AUTOMATIC_ROLLBACK");
    // The generation before the active one is the broken one, and the one before that has the same modules.
    let (done, printed, complained) = console.run(&["rollback"]);
    assert!(done && printed.contains("generation 5"), "{printed}{complained}");
    assert_eq!(console.newest()["restores"], 1);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(console.version("puppet"), None);
}

fn rollback_twice_does_not_return(database: Database) {
    let (_host, console) = host(database);
    activate(&console, 6);
    activate(&console, 2);
    for (restores, version) in [(2, "1.0.2"), (1, "1.0.0")] {
        console.post("rollback", json!({})).is(200);
        assert_eq!(console.newest()["restores"], restores);
        assert_eq!(console.version("changeling").as_deref(), Some(version));
    }
    console.post("rollback", json!({})).refused(404, "NOT_FOUND");
    assert_eq!(console.runs(), 5);
}

fn a_withdrawn_digest_needs_again(database: Database) {
    let (_host, console) = host(database);
    let digest = activate(&console, 6);
    console.restore(1).is(200);
    for refused in [console.activate(&digest, json!({})), console.restore(2)] {
        let detail = refused.refused(409, "MODULE_WITHDRAWN").text("detail");
        for part in ["changeling 1.0.2", &digest[..12], "generation 3", "dev", "--again"] {
            assert!(detail.contains(part), "{part}: {detail}");
        }
    }
    let (done, _, complained) = console.run(&["activate", &digest]);
    assert!(!done && complained.contains("MODULE_WITHDRAWN"), "{complained}");
    let (done, _, complained) = console.run(&["rollback", "2", "--again"]);
    assert!(done, "{complained}");
    // It is not a way back: the version that it replaced is as good as before.
    assert_eq!(console.newest()["cause"], "ACTIVATION");
    console.post("rollback", json!({})).is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let (done, _, complained) = console.run(&["activate", &digest, "--again"]);
    assert!(done, "{complained}");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.2"));
}

fn history_marks_withdrawn_generations(database: Database) {
    let (_host, console) = host(database);
    let digest = activate(&console, 6);
    let marks = || {
        let history = console.get("generations").is(200);
        history.items().iter().map(|item| item["withdrawn"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(marks(), [json!([]), json!([])]);
    console.restore(1).is(200);
    assert_eq!(marks(), [json!([]), json!(["changeling 1.0.2"]), json!([])]);
    let (_, printed, _) = console.run(&["history"]);
    let marked: Vec<&str> = printed.lines().filter(|line| line.ends_with("withdrawn: changeling 1.0.2")).collect();
    assert!(marked.len() == 1 && marked[0].starts_with("2 "), "{printed}");
    console.activate(&digest, json!({ "again": true })).is(200);
    assert_eq!(marks(), vec![json!([]); 4]);
}

/// No caller reached the broken version while it was the newest activation.
fn what_a_rollback_brought_is_watched(database: Database) {
    let (host, console) = host(database);
    let shops = shops(&host, 3);
    activate(&console, 3);
    activate(&console, 6);
    console.restore(2).is(200);
    host.forget_contract();
    ask_until_it_answers(&shops);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let newest = console.newest();
    assert_eq!((&newest["cause"], &newest["module"]), (&json!("AUTOMATIC_ROLLBACK"), &json!("changeling")), "{newest}");
}

/// Two companies fail before it and one afterwards; the module that came meanwhile stays.
fn an_unrelated_activation_ends_no_watch(database: Database) {
    let (host, console) = host(database);
    let shops = shops(&host, 3);
    activate(&console, 3);
    wait_for_watch(&host, 1);
    host.forget_contract();
    for _ in 0..2 {
        assert_eq!(ask_all(&shops[..2]), 2);
    }
    activate_puppet(&console);
    wait_for_watch(&host, 2);
    host.forget_contract();
    ask_until_it_answers(&shops[2..]);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(console.version("puppet").as_deref(), Some("1.0.0"));
    let newest = console.newest();
    assert_eq!((&newest["generation"], &newest["restores"]), (&json!(4), &json!(null)), "{newest}");
}

/// The folder of --dev holds what was activated, so that the start changes nothing.
fn a_watch_survives_a_restart_and_other_activations(database: Database) {
    let (host, console) = host(database);
    let shops = shops(&host, 3);
    activate(&console, 3);
    activate_puppet(&console);
    host.replace_modules(&[("changeling.wasm", &modules::changeling(3))]);
    host.restart();
    let console = host.console();
    assert_eq!(console.runs(), 3);
    host.forget_contract();
    ask_until_it_answers(&shops);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(console.version("puppet").as_deref(), Some("1.0.0"));
}

fn one_module_goes_back_alone(database: Database) {
    let (host, console) = host(database);
    let digest = activate(&console, 6);
    activate_puppet(&console);
    let (done, printed, complained) = console.run(&["rollback", "changeling"]);
    assert!(done && printed.contains("generation 4"), "{printed}{complained}");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert_eq!(console.version("puppet").as_deref(), Some("1.0.0"));
    let newest = console.newest();
    let expected = (&json!("ROLLBACK"), &json!("changeling"), &json!(null));
    assert_eq!((&newest["cause"], &newest["module"], &newest["restores"]), expected, "{newest}");
    console.activate(&digest, json!({})).refused(409, "MODULE_WITHDRAWN");
    // No version of it is left that is good, and it was always there.
    console.post("modules/changeling/rollback", json!({})).refused(404, "NOT_FOUND");
    console.post("modules/nobody/rollback", json!({})).refused(404, "NOT_FOUND");
    // Before its only version there was none.
    console.post("modules/puppet/rollback", json!({})).is(200);
    assert_eq!(console.version("puppet"), None);
    let audited = host.rows("select 1 from stoa_operator_audit where operation = 'rollbackModule'");
    assert_eq!(audited.len(), 4);
}

/// The keeper fails each caller that asks it for what this reader asks for, and the reader cannot run without a keeper.
fn a_module_that_others_need_takes_the_set_back(database: Database) {
    let (host, console) = host(database);
    let shops = shops(&host, 3);
    let reader = replace_name(&modules::guest("reader"), "a plum as large as a pear", "what no shelf ever holds.");
    let [keeper, reader] = [console.pushed(&modules::guest("keeper")), console.pushed(&reader)];
    console.activate_set(&[&keeper, &reader], &["SERVICE_WANTED"]).is(200);
    console.post("modules/keeper/rollback", json!({})).refused(409, "SERVICE_UNRESOLVED");
    eventually(|| {
        for shop in &shops {
            shop.request("GET", "reader/items").unchecked().send();
        }
        (console.runs() == 3).then_some(())
    });
    let newest = console.newest();
    let expected = (&json!("AUTOMATIC_ROLLBACK"), &json!("keeper"), &json!(1));
    assert_eq!((&newest["cause"], &newest["module"], &newest["restores"]), expected, "{newest}");
    // It was for the keeper's sake: the reader is as good as before.
    let history = console.get("generations").is(200);
    assert_eq!(history.items()[1]["withdrawn"], json!(["keeper 1.1.0"]), "{history}");
}

/// Versions of two modules that need each other: neither runs with the other's old version, so a mixed set would be
/// refused.
fn a_set_is_activated_as_one(database: Database) {
    let (keeper, reader) = (modules::guest("keeper"), modules::guest("reader"));
    let next_keeper = replace_name(&keeper, "commerce:shelf/items@1.1.0", "commerce:shelf/items@2.0.0");
    let next_reader = replace_name(&reader, "commerce:shelf/items@1.0.0", "commerce:shelf/items@2.0.0");
    let folder = modules::empty_with(&[("keeper.wasm", &keeper), ("reader.wasm", &reader)]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let console = host.console();
    let old = [console.pushed(&keeper), console.pushed(&reader)];
    let new = [console.pushed(&next_keeper), console.pushed(&next_reader)];
    let allowed = ["SERVICE_MAJOR_CHANGED", "SERVICE_WANTED", "SERVICE_REMOVED", "SERVICE_VERSION_LOWERED"];
    for alone in &new {
        console.activate_set(&[alone], &allowed).refused(409, "SERVICE_UNRESOLVED");
    }
    let compare = |digests: &str| console.get(&format!("activations?digests={digests}")).is(200);
    assert_eq!(compare(&new[0])["rejection"]["code"], "SERVICE_UNRESOLVED");
    let both = compare(&new.join(","));
    assert_eq!((&both["rejection"], both["modules"].as_array().map(Vec::len)), (&json!(null), Some(2)), "{both}");

    let done = AtomicBool::new(false);
    let asked: usize = at_once(5, |thread| {
        if thread == 4 {
            let _ends_the_load = SetOnDrop(&done);
            for round in 0..10 {
                let [keeper, reader] = if round % 2 == 0 { &new } else { &old };
                console.activate_set(&[keeper, reader], &allowed).is(200);
            }
            return 0;
        }
        let shop = host.company();
        let mut asked = 0;
        while !done.load(Ordering::Acquire) {
            let answer = shop.request("GET", "reader/items").unchecked().send().is(200);
            assert_eq!(answer.body, json!({ "pear": 5 }));
            asked += 1;
        }
        asked
    })
    .into_iter()
    .sum();
    assert!(asked > 0, "the load was none");
    let newest = console.newest();
    assert_eq!((&newest["generation"], &newest["module"]), (&json!(11), &json!("keeper, reader")), "{newest}");
    let (done, _, complained) = console.run(&["activate", &new[0], &new[1], "--allow", "NO_SUCH_CODE"]);
    assert!(!done && complained.contains("NO_SUCH_CODE"), "{complained}");
}

fn a_refused_set_changes_nothing(database: Database) {
    let (_host, console) = host(database);
    let lawful = console.pushed(&puppet(&puppet::descriptor("puppet")));
    let [poorer, twin] = [8, 6].map(|form| console.pushed(&modules::changeling(form)));
    console.activate_set(&[&lawful, &poorer], &[]).refused(409, "CONTRACT_BREAKING");
    let answer = console.activate_set(&[&twin, &poorer], &["ROUTE_REMOVED"]).refused(400, "VALIDATION_FAILED");
    assert!(answer.text("detail").contains("`changeling`"), "{answer}");
    console.activate_set(&[], &[]).refused(400, "VALIDATION_FAILED");
    console.activate_set(&[&lawful, &"0".repeat(64)], &[]).refused(404, "NOT_FOUND");
    assert_eq!(console.runs(), 1);
    console.activate_set(&[&lawful, &poorer], &["ROUTE_REMOVED"]).is(200);
    assert_eq!(console.runs(), 2);
}

fn a_returning_module_is_compared_with_its_last_version(database: Database) {
    let (_host, console) = host(database);
    console.post("modules/changeling/deactivate", json!({})).is(200);
    let poorer = console.pushed(&modules::changeling(8));
    let answer = console.activate(&poorer, json!({})).refused(409, "CONTRACT_BREAKING");
    let changes = answer["changes"].as_array().expect("changes");
    assert!(changes.len() == 1 && changes[0]["code"] == "ROUTE_REMOVED", "{answer}");
    activate(&console, 1);
}

fn a_dev_restart_that_lowers_says_so(database: Database) {
    let (host, console) = host(database);
    activate(&console, 6);
    let said = "the modules folder takes changeling from 1.0.2, which dev activated, to 1.0.0";
    assert!(!host.log().contains(said));
    host.restart();
    assert_eq!(host.console().version("changeling").as_deref(), Some("1.0.0"));
    assert!(host.log().contains(said), "{}", host.log());
    // A folder that differs in nothing takes nothing back.
    let count = || host.log().matches("the modules folder takes").count();
    let before = count();
    host.restart();
    assert!(count() == before, "{}", host.log());
}

fn a_rejection_names_its_flag_once(database: Database) {
    let (_host, console) = host(database);
    let poorer = console.pushed(&modules::changeling(8));
    let (done, _, complained) = console.run(&["activate", &poorer]);
    assert!(!done);
    for once in ["--allow ROUTE_REMOVED", "changeling: 1 breaking change", "ROUTE_REMOVED readChangeling"] {
        assert_eq!(complained.matches(once).count(), 1, "{once}: {complained}");
    }
    assert_eq!(complained.matches("readChangeling").count(), 1, "{complained}");
}
