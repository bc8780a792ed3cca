//! Webhooks and events: each endpoint receives its events, signed and at least once, whatever it does and whenever the host dies.

mod catching_up;
mod crash;
mod deliveries;
mod endpoints;
mod fan_out;
mod names;
mod receivers;
mod redelivery;
mod secrets;
mod tempers;

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, eventually_within, receiver};

/// Short waits: five attempts within a second or two.
const SCHEDULE: &str = "0s,200ms,200ms,200ms,200ms";
const URL: &str = "https://hooks.example.com/stoa";

/// The host that sends to receivers, for tests that neither end it nor take its lanes; shared by the tests of this
/// database.
fn shared_host(database: Database) -> Stoa {
    static HOSTS: [OnceLock<Result<Stoa, String>>; 2] = [OnceLock::new(), OnceLock::new()];
    let started = HOSTS[database as usize].get_or_init(|| Stoa::try_start(database, settings())).clone();
    started.unwrap_or_else(|said| panic!("the host that sends to receivers did not start: {said}"))
}

/// A host that may send to every receiver.
fn settings() -> Settings {
    let targets: Vec<String> = receiver::list_addresses().iter().map(ToString::to_string).collect();
    Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", targets.join(",")).set("STOA_WEBHOOK_SCHEDULE", SCHEDULE)
}

fn webhook(url: &str, kinds: &[&str]) -> Json {
    json!({ "name": "Hook", "url": url, "status": "ACTIVE", "subscriptions": kinds })
}

/// An endpoint, and its secret.
#[track_caller]
fn endpoint(shop: &Company, url: &str, kinds: &[&str]) -> (String, String) {
    let made = shop.post("webhooks", webhook(url, kinds)).is(201);
    (made.id(), made.text("signingSecret"))
}

/// A brand is an event of the kind `catalog.lookup.created`; its id.
fn brand(shop: &Company) -> String {
    shop.brand(&stoa_tests::company::fresh("B"))
}

const MADE: &str = "catalog.lookup.created";

/// The endpoint's deliveries once each has ended.
pub(crate) fn await_end(shop: &Company, endpoint: &str, count: usize) -> Vec<Json> {
    eventually_within(Duration::from_secs(90), || {
        let all = shop.all(&format!("webhooks/{endpoint}/deliveries"), &[("limit", "100")]);
        (all.len() >= count && all.iter().all(|delivery| delivery["status"] != "PENDING")).then_some(all)
    })
}

fn attempts(delivery: &Json) -> &[Json] {
    delivery["attempts"].as_array().map_or(&[], Vec::as_slice)
}

fn get(shop: &Company, endpoint: &str) -> Answer {
    shop.get(&format!("webhooks/{endpoint}")).is(200)
}
