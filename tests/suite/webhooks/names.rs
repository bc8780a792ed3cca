//! Names that lead into the deployment: refused when an endpoint is made, and at each attempt where they change their
//! mind later. [F14]

use serde_json::json;
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::name_server::NameServer;
use stoa_tests::{Database, Stoa, eventually, on_one_database};

use super::{MADE, SCHEDULE, URL, attempts, await_end, brand, endpoint, webhook};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    p12_a_name_is_judged_by_what_it_resolves_to,
    p12_a_replay_is_as_it_was_whatever_the_name_says_now,
    strangers_have_no_name_asked_for_them,
    members_without_the_permission_have_no_name_asked_for_them
];

/// Public and of no machine that would respond: data sent there goes nowhere.
const PUBLIC: &str = "192.31.196.1";

fn p12_a_name_is_judged_by_what_it_resolves_to(database: Database) {
    let names = NameServer::start(&[PUBLIC]);
    let settings =
        Settings::default().set("STOA_WEBHOOK_RESOLVER", names.address).set("STOA_WEBHOOK_SCHEDULE", SCHEDULE);
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    for forbidden in [
        &["127.0.0.1"][..],
        &["10.0.0.1"],
        &["169.254.169.254"],
        &["100.64.0.1"],
        &["0.0.0.0"],
        &["::1"],
        &["::ffff:10.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["fe80::1"],
        &["fd00::1"],
        &[PUBLIC, "192.168.0.1"],
        &[PUBLIC, "::1"],
        &["2606:4700::1111", "10.0.0.1"],
    ] {
        names.set(forbidden);
        let refused = shop.post("webhooks", webhook(URL, &[MADE]));
        refused.refused(400, "VALIDATION_FAILED").fault("/url", "ADDRESS_NOT_ALLOWED");
    }
    names.set(&[PUBLIC]);
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    // Public when it was made, and then no more.
    for forbidden in ["127.0.0.1", "10.0.0.1", "::1", "::ffff:10.0.0.1"] {
        names.set(&[forbidden]);
        let path = format!("webhooks/{id}");
        let version = shop.get(&path).is(200)["version"].clone();
        let again = with(&webhook(URL, &[MADE]), json!({ "expectedVersion": version }));
        shop.put(&path, again).refused(400, "VALIDATION_FAILED").fault("/url", "ADDRESS_NOT_ALLOWED");
    }
    brand(&shop);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], attempts(&delivery).len()), (&json!("FAILED"), 5));
    assert!(attempts(&delivery).iter().all(|attempt| attempt["error"] == "ADDRESS_NOT_ALLOWED"), "{delivery}");
    // A name that is gone for now is taken: each attempt judges again.
    names.set(&[]);
    let (gone, _) = endpoint(&shop, "https://later.example.com/", &["webhook.test"]);
    shop.post(&format!("webhooks/{gone}/test"), json!({})).is(201);
    eventually(|| {
        let reported = shop.get(&format!("webhooks/{gone}/deliveries")).is(200);
        let first = reported.items().first().and_then(|delivery| attempts(delivery).first().cloned())?;
        (first["error"] == "NAME_NOT_RESOLVED").then_some(())
    });
}

fn p12_a_replay_is_as_it_was_whatever_the_name_says_now(database: Database) {
    let names = NameServer::start(&[PUBLIC]);
    let host = Stoa::start_with(database, Settings::default().set("STOA_WEBHOOK_RESOLVER", names.address));
    let shop = host.company();
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    let (path, key) = (format!("webhooks/{id}"), uuid::Uuid::new_v4().to_string());
    let renamed = with(&webhook(URL, &[MADE]), json!({ "name": "Renamed", "expectedVersion": 1 }));
    let send = || shop.request("PUT", &path).key(&key).json(&renamed).send();
    let first = send().is(200);
    names.set(&["127.0.0.1"]);
    let again = send().is(200);
    assert_eq!((first.replayed(), again.replayed(), &again.body), (false, true, &first.body));
}

fn strangers_have_no_name_asked_for_them(database: Database) {
    let names = NameServer::start(&[PUBLIC]);
    let host = Stoa::start_with(database, Settings::default().set("STOA_WEBHOOK_RESOLVER", names.address));
    let shop = host.company();
    let stranger = shop.as_user("stranger@example.test");
    stranger.post("webhooks", webhook(URL, &[MADE])).refused(403, "MEMBERSHIP_REQUIRED");
    assert_eq!(names.count_questions(), 0);
    endpoint(&shop, URL, &[MADE]);
    assert!(names.count_questions() > 0);
}

fn members_without_the_permission_have_no_name_asked_for_them(database: Database) {
    let names = NameServer::start(&[PUBLIC]);
    let host = Stoa::start_with(database, Settings::default().set("STOA_WEBHOOK_RESOLVER", names.address));
    let shop = host.company();
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    let reader = shop.role("READER", &["catalog.read"]);
    let (_, member) = shop.member("reader", &[&reader]);
    let before = names.count_questions();
    member.post("webhooks", webhook(URL, &[MADE])).refused(403, "PERMISSION_DENIED");
    let renamed = with(&webhook(URL, &[MADE]), json!({ "name": "Renamed", "expectedVersion": 1 }));
    member.put(&format!("webhooks/{id}"), renamed).refused(403, "PERMISSION_DENIED");
    assert_eq!(names.count_questions(), before);
}
