//! kill -9 at random instants, again and again: no committed event is lost, none comes without its change; and two
//! hosts that relay never send one delivery at once. [P14]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::receiver::Temper;
use stoa_tests::{Company, Database, Dice, Receiver, Stoa, cuts, eventually, on_both_databases};

use super::{MADE, await_end, brand, endpoint, settings};

stoa_tests::tests![two_hosts_never_send_one_delivery_at_once];

on_both_databases![p14_no_committed_event_is_lost_and_none_comes_without_its_change];

const WRITERS: usize = 4;

/// Writes brands until the host is gone; what was answered.
fn write_until_killed(host: &Stoa, shop: &Company, round: usize, sleep: Duration) -> Vec<String> {
    let answered = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let answered = &answered;
            scope.spawn(move || {
                for n in 0.. {
                    let body = json!({ "name": "B", "code": format!("K{round}-{writer}-{n}") });
                    match shop.request("POST", "catalog/lookups/brands").json(&body).unchecked().try_send() {
                        Ok(answer) if answer.status == 201 => answered.lock().expect("no panic").push(answer.id()),
                        _ => break,
                    }
                }
            });
        }
        thread::sleep(sleep);
        host.kill9();
    });
    answered.into_inner().expect("no panic")
}

fn p14_no_committed_event_is_lost_and_none_comes_without_its_change(database: Database) {
    let receiver = Receiver::friendly();
    // Attempts that were cut off count: with waits this short no receiver is given up because of them.
    let settings = Settings::default()
        .set("STOA_WEBHOOK_DEV_TARGETS", receiver.address)
        .set("STOA_WEBHOOK_SCHEDULE", "0s,100ms,100ms,100ms,100ms");
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    let mut dice = Dice::new("p14_no_committed_event_is_lost");
    let mut answered = BTreeSet::new();
    let rounds = cuts::rounds(5, 25);
    for round in 0..rounds {
        let sleep = Duration::from_millis(dice.between(5, 401));
        answered.extend(write_until_killed(&host, &shop, round, sleep));
        host.restart();
    }
    assert!(answered.len() > rounds, "the writers hardly wrote");
    let committed: BTreeSet<String> = shop
        .all("catalog/lookups/brands", &[("limit", "100")])
        .iter()
        .filter_map(|item| item["id"].as_str().map(str::to_string))
        .collect();
    assert!(answered.is_subset(&committed), "an acknowledged write is gone");
    let deliveries = await_end(&shop, &id, committed.len());
    assert_eq!(deliveries.len(), committed.len(), "one delivery for each event");
    let mut heard: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for sent in receiver.list_received() {
        let about = sent.json()["resource"]["id"].as_str().unwrap_or_default().to_string();
        heard.entry(about).or_default().insert(sent.event());
    }
    let about: BTreeSet<String> = heard.keys().cloned().collect();
    assert_eq!(about, committed, "informed of what was committed, and of nothing else");
    assert!(heard.values().all(|events| events.len() == 1), "one event by two ids");
    let most = deliveries.iter().map(|delivery| super::attempts(delivery).len()).max();
    assert!(most <= Some(5), "{most:?} attempts");
}

fn two_hosts_never_send_one_delivery_at_once() {
    let receiver = Receiver::start(|_, _| {
        // Long enough for the other host to come upon it.
        thread::sleep(Duration::from_millis(30));
        Temper::Status(200)
    });
    let one = Stoa::start_with(Database::Postgres, settings());
    let other = one.beside();
    let shops: Vec<Company> = (0..3).map(|_| one.company()).collect();
    let endpoints: Vec<String> = shops.iter().map(|shop| endpoint(shop, &receiver.url(), &[MADE]).0).collect();
    let there: Vec<Company> = shops.iter().map(|shop| Company { host: other.clone(), ..shop.clone() }).collect();
    const EACH: usize = 60;
    thread::scope(|scope| {
        for shop in shops.iter().chain(&there) {
            scope.spawn(move || {
                for _ in 0..EACH {
                    brand(shop);
                }
            });
        }
    });
    for (shop, id) in shops.iter().zip(&endpoints) {
        let deliveries = await_end(shop, id, 2 * EACH);
        assert!(deliveries.iter().all(|delivery| delivery["status"] == "SUCCEEDED"), "{deliveries:?}");
    }
    let sent = receiver.list_received();
    let events: BTreeSet<String> = sent.iter().map(stoa_tests::receiver::Received::event).collect();
    assert_eq!((sent.len(), events.len()), (6 * EACH, 6 * EACH), "each once");
    // Deliveries that a host took and did not end, the other takes.
    one.kill9();
    let late = brand(&there[0]);
    eventually(|| {
        receiver.list_received().iter().any(|sent| sent.json()["resource"]["id"] == late.as_str()).then_some(())
    });
}
