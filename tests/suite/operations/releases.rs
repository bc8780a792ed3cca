//! A host of this version takes over the data of each released one. The data of 0.1.0 was made with four modules of a
//! later commit than its host: see `tests/releases/README.md`. Going back to the released host is in
//! `released_hosts.rs`.

use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::released::{self, Fixture, find_difference};
use stoa_tests::{Company, Database, Machine, Receiver, eventually, on_both_databases};

on_both_databases![records_are_the_same, secrets_are_decrypted, stored_responses_are_replayed, numbers_go_on];

/// Every release's data under a host of this version.
fn after_each_upgrade(database: Database, settings: impl Fn() -> Settings, look: impl Fn(&Fixture, &Company)) {
    let releases = released::list();
    assert!(!releases.is_empty());
    for release in releases {
        let left = release.read_fixture(database);
        look(&left, &left.take_over(settings()));
    }
}

fn records_are_the_same(database: Database) {
    after_each_upgrade(database, Settings::default, |left, shop| {
        let reads = left.expected["reads"].as_object().expect("paths and bodies");
        assert!(reads.len() > 10);
        for (path, body) in reads {
            let found = shop.get(path).is(200);
            assert_eq!(find_difference(body, &found.body, ""), None, "{path}");
        }
        shop.verified();
    });
}

fn secrets_are_decrypted(database: Database) {
    let receiver = Receiver::friendly();
    let settings = || Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", receiver.address);
    after_each_upgrade(database, settings, |left, shop| {
        let machine =
            Machine { host: shop.host.clone(), client: String::new(), key_id: String::new(), key: left.text("apiKey") };
        machine.get("context").is(200);
        let hook = json!({
            "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": ["catalog.lookup.created"],
            "expectedVersion": 1,
        });
        shop.put(&format!("webhooks/{}", left.text("webhook")), hook).is(200);
        let before = receiver.list_received().len();
        shop.brand("NEW");
        let received = eventually(|| receiver.list_received().get(before).cloned());
        assert!(received.is_signed("x-webhook-signature", &left.text("secret")), "signed by another secret");
    });
}

fn stored_responses_are_replayed(database: Database) {
    after_each_upgrade(database, Settings::default, |left, shop| {
        let stored = &left.expected["replay"];
        let text = |member: &str| stored[member].as_str().unwrap_or_default();
        let again = shop.request("POST", text("path")).key(text("key")).json(&stored["body"]).send().is(201);
        assert!(again.replayed() && again["id"] == stored["id"], "{again}");
    });
}

fn numbers_go_on(database: Database) {
    after_each_upgrade(database, Settings::default, |left, shop| {
        let orders = |list: &Json| -> Vec<String> {
            let items = list["items"].as_array().cloned().unwrap_or_default();
            items.iter().filter_map(|order| order["number"].as_str().map(String::from)).collect()
        };
        let last = orders(&left.expected["reads"]["sales/orders"]).into_iter().max().expect("an order");
        let (prefix, figure) = last.rsplit_once('-').expect("a number");
        let next: u32 = figure.parse::<u32>().expect("digits") + 1;
        let order = shop.post("sales/orders", left.expected["order"].clone()).is(201);
        assert_eq!(order.text("number"), format!("{prefix}-{next:0width$}", width = figure.len()));
        shop.verified();
    });
}
