//! Several hosts on one database run the same, whichever host received the command; and a host that is killed in
//! the middle of a change comes back with one generation, whole.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::held::Held;
use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Dice, Stoa, at_once, cuts, eventually, modules, on_both_databases};

stoa_tests::tests![two_hosts_swap_together, of_two_activations_at_once_one_wins,];

on_both_databases![killed_at_every_step];

fn host(database: Database) -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder).set("STOA_LOG", "info"))
}

fn two_hosts_swap_together() {
    let one = host(Database::Postgres);
    let other = one.beside();
    let (here, there) = (one.console(), one.console().at(&other));
    let shop = one.company();
    let digest = here.pushed(&modules::changeling(6));
    let first = here.pushed(&modules::changeling(1));
    let mut quickest = Duration::MAX;
    for round in 0..6 {
        let (reported, follows, digest, version) = match round % 2 {
            0 => (&here, &there, &digest, "1.0.2"),
            _ => (&there, &here, &first, "1.0.0"),
        };
        let activated = reported.activate(digest, json!({ "allow": ["MODULE_VERSION_LOWERED"] })).is(200);
        let begin = Instant::now();
        assert_eq!(reported.version("changeling").as_deref(), Some(version));
        eventually(|| (follows.version("changeling").as_deref() == Some(version)).then_some(()));
        quickest = quickest.min(begin.elapsed());
        assert_eq!(follows.runs(), activated["generation"].as_u64().unwrap_or_default());
    }
    // The best counts: the rest of the suite runs on the same machine.
    assert!(quickest < Duration::from_secs(2), "followed after {quickest:?}");
    // Each reports what it runs.
    let generation = here.runs();
    let hosts = eventually(|| {
        let shown = here.shown();
        let hosts = shown["hosts"].as_array().cloned().unwrap_or_default();
        (hosts.len() == 2 && hosts.iter().all(|host| host["generation"] == generation)).then_some(hosts)
    });
    assert!(hosts.iter().all(|host| host["trouble"].is_null()), "{hosts:?}");
    shop.get("changeling").is(200);
    // One that ends in order is off the list at once.
    assert_eq!(other.terminate(Duration::from_secs(20)), Some(0));
    let hosts = here.shown()["hosts"].as_array().map(Vec::len);
    assert_eq!(hosts, Some(1));
}

fn of_two_activations_at_once_one_wins() {
    let one = host(Database::Postgres);
    let other = one.beside();
    let consoles = [one.console(), one.console().at(&other)];
    let digests = [consoles[0].pushed(&modules::changeling(6)), consoles[0].pushed(&modules::changeling(2))];
    for round in 0..4 {
        let active = eventually(|| {
            let runs = [consoles[0].runs(), consoles[1].runs()];
            (runs[0] == runs[1]).then_some(runs[0])
        });
        let statuses = at_once(2, |host| {
            let body = json!({ "expectedGeneration": active, "allow": ["MODULE_VERSION_LOWERED", "ROUTE_REMOVED"] });
            // Another module for each, and never the one that is active.
            let digest = &digests[(host + round) % 2];
            consoles[host].activate(digest, body).status
        });
        let won = statuses.iter().filter(|status| **status == 200).count();
        assert!(won >= 1 && statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
        let recorded = one.rows("select number from stoa_generation");
        assert!(recorded.len() as u64 <= active + 1, "two generations took the place of one: {recorded:?}");
    }
}

/// An activation that adds a column and a route, killed before its commit, after it, and at points of its way that
/// chance chooses.
fn killed_at_every_step(database: Database) {
    let host = host(database);
    let shop = host.company();
    shop.post("changeling/items", json!({ "name": "kept" })).is(201);
    let console = host.console();
    let digest = console.pushed(&modules::changeling(2));
    let begin = Instant::now();
    console.activate(&digest, json!({})).is(200);
    let whole = begin.elapsed();
    host.kill9();
    host.restart();
    host.forget_contract();
    // No host can record a generation meanwhile.
    let hold = || shop.hold("lock table stoa_generation in exclusive mode");
    let done = kill_while_activating(&host, &shop, Some(&hold), |_| thread::sleep(whole));
    assert!(!done, "a generation was recorded though no host could build it");
    let done = kill_while_activating(&host, &shop, None, |before| {
        eventually(|| (generations(&host) > before).then_some(()));
    });
    assert!(done, "a generation that was recorded is gone");
    let mut dice = Dice::new("killed_at_every_step");
    let steps = cuts::rounds(6, 30) as u64;
    for step in 0..steps {
        let pause = whole * (step * 100 + dice.between(0, 100)) as u32 / (50 * steps as u32);
        kill_while_activating(&host, &shop, None, |_| thread::sleep(pause));
    }
}

/// Kills the host at a moment of an activation, which may depend on the generation before it. `hold`: keeps a lock
/// meanwhile. Returns whether the activation was recorded.
fn kill_while_activating(
    host: &Stoa,
    shop: &Company,
    hold: Option<&dyn Fn() -> Held>,
    moment: impl FnOnce(u64),
) -> bool {
    // The folder of --dev says version 1.0.0 again at every start.
    let console = host.console();
    let before = console.runs();
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let digest = console.pushed(&modules::changeling(2));
    let held = hold.map(|hold| hold());
    thread::scope(|scope| {
        scope.spawn(|| {
            // The connection breaks with the host: whatever comes of it is looked up afterwards.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| console.activate(&digest, json!({}))));
        });
        moment(before);
        host.kill9();
    });
    drop(held);
    let recorded = generations(host);
    assert!(recorded <= before + 1, "{} generations of one activation", recorded - before);
    let sets = host.rows("select generation, count(*) from stoa_generation_module group by generation");
    assert_eq!(sets.len() as u64, recorded, "a generation without modules");
    host.restart();
    host.forget_contract();
    assert_eq!(shop.get("changeling").is(200)["items"].as_u64(), Some(1));
    recorded > before
}

fn generations(host: &Stoa) -> u64 {
    host.rows("select max(number) from stoa_generation")[0][0].parse().expect("a number")
}
