//! Deliveries: what is sent and to whom, retried until it is taken or five attempts were made, and never lost with the host.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;
use stoa_tests::company::with;
use stoa_tests::receiver::Temper;
use stoa_tests::{Database, Receiver, Stoa, eventually, on_both_databases};

use super::{MADE, attempts, await_end, brand, endpoint, get, settings, shared_host, webhook};

on_both_databases![
    a_delivery_is_what_the_contract_says,
    each_endpoint_hears_of_its_kinds_alone,
    p13_a_receiver_that_comes_back_is_delivered_to_once,
    p14_what_was_committed_before_a_kill_is_delivered_after,
    five_attempts_and_no_more,
    a_receiver_that_is_gone_is_disabled_at_once,
    what_waits_for_an_archived_endpoint_is_cancelled,
    what_is_emitted_while_disabled_is_not_sent_later,
    a_test_goes_to_its_endpoint_alone,
    five_failures_over_three_days_disable,
    what_waits_for_a_disabled_endpoint_fails_after_three_days,
];

fn a_delivery_is_what_the_contract_says(database: Database) {
    let receiver = Receiver::friendly();
    let host = shared_host(database);
    let shop = host.company();
    let (id, secret) = endpoint(&shop, &receiver.url(), &[MADE]);
    let made = shop.post("catalog/lookups/brands", json!({ "name": "Ärmel 麻", "code": "A" })).is(201);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], &delivery["kind"]), (&json!("SUCCEEDED"), &json!(MADE)));
    assert_eq!((delivery["nextAttemptAt"].is_null(), attempts(&delivery).len()), (true, 1));
    assert_eq!(
        (&attempts(&delivery)[0]["responseStatus"], &attempts(&delivery)[0]["error"]),
        (&json!(200), &json!(null))
    );

    let sent = receiver.list_received().remove(0);
    let body = sent.json();
    assert!(sent.is_signed("x-webhook-signature", &secret) && !sent.is_signed("x-webhook-signature", "whsec_x"));
    let seconds: i64 = sent.header("x-webhook-timestamp").parse().expect("seconds");
    assert!((chrono::Utc::now().timestamp() - seconds).abs() < 60);
    assert_eq!(
        (sent.header("x-event-id"), sent.header("content-type")),
        (body["id"].as_str().unwrap_or("?"), "application/json")
    );
    assert_eq!(Some(sent.header("x-request-id")), made.header("x-request-id"));
    assert_eq!((&body["kind"], &body["tenantId"]), (&json!(MADE), &json!(shop.tenant)));
    assert_eq!((&body["resource"]["type"], &body["resource"]["id"]), (&json!("CATALOG_LOOKUP"), &json!(made.id())));
    assert_eq!((&body["requestId"], &body["id"]), (&json!(made.header("x-request-id")), &delivery["eventId"]));
    let contract = host.contract();
    let schema = &contract.document["webhooks"][MADE]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert!(contract.takes(schema, &body), "{body}");
    let event = shop.get(&format!("events/{}", sent.event())).is(200);
    for member in ["id", "kind", "resource", "data", "occurredAt", "requestId"] {
        assert_eq!(event[member], body[member], "{member}");
    }
}

fn each_endpoint_hears_of_its_kinds_alone(database: Database) {
    let (one, other) = (Receiver::friendly(), Receiver::friendly());
    let host = shared_host(database);
    let (shop, neighbour) = (host.company(), host.company());
    let (brands, _) = endpoint(&shop, &one.url(), &[MADE]);
    let (products, _) = endpoint(&shop, &other.url(), &["catalog.product.created", "catalog.variant.created"]);
    endpoint(&neighbour, &one.url(), &["catalog.product.created"]);
    brand(&shop);
    brand(&neighbour);
    shop.article("S1");
    await_end(&shop, &brands, 1);
    let reported = await_end(&shop, &products, 2);
    let kinds = |receiver: &Receiver| -> Vec<String> {
        receiver
            .list_received()
            .iter()
            .map(|sent| sent.json()["kind"].as_str().unwrap_or_default().to_string())
            .collect()
    };
    assert_eq!(kinds(&one), [MADE]);
    let mut heard = kinds(&other);
    heard.sort();
    assert_eq!(heard, ["catalog.product.created", "catalog.variant.created"]);
    assert_eq!(reported.len(), 2);
    assert_eq!(
        shop.list(&format!("webhooks/{products}/deliveries"), &[("kind", "catalog.variant.created")])
            .is(200)
            .items()
            .len(),
        1
    );
    assert!(shop.list(&format!("webhooks/{products}/deliveries"), &[("status", "FAILED")]).is(200).items().is_empty());
}

fn p13_a_receiver_that_comes_back_is_delivered_to_once(database: Database) {
    // A port without a listener yet.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let settings = stoa_tests::host::Settings::default()
        .set("STOA_WEBHOOK_DEV_TARGETS", address)
        .set("STOA_WEBHOOK_SCHEDULE", "0s,1s,3s,3s,3s");
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &format!("http://{address}/hook"), &[MADE]);
    brand(&shop);
    let path = format!("webhooks/{id}/deliveries");
    let failed = eventually(|| {
        let delivery = shop.get(&path).is(200).items().first().cloned()?;
        (!attempts(&delivery).is_empty()).then_some(delivery)
    });
    assert_eq!(attempts(&failed)[0]["error"], "CONNECTION_FAILED");
    assert!(attempts(&failed)[0]["responseStatus"].is_null() && failed["nextAttemptAt"].is_string(), "{failed}");
    let receiver = Receiver::on(TcpListener::bind(address).expect("the port"), |_, _| Temper::Status(204));
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!(delivery["status"], "SUCCEEDED");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(receiver.list_received().len(), 1, "once for each 2xx");
}

fn p14_what_was_committed_before_a_kill_is_delivered_after(database: Database) {
    let receiver = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    let brands: Vec<String> = (0..5).map(|_| brand(&shop)).collect();
    host.kill9();
    host.restart();
    await_end(&shop, &id, 5);
    let mut heard: Vec<String> = receiver
        .list_received()
        .iter()
        .map(|sent| sent.json()["resource"]["id"].as_str().unwrap_or_default().to_string())
        .collect();
    heard.sort();
    heard.dedup();
    assert_eq!(heard, brands);
}

fn five_attempts_and_no_more(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(500));
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], attempts(&delivery).len()), (&json!("FAILED"), 5));
    assert!(attempts(&delivery).iter().all(|attempt| attempt["responseStatus"] == 500));
    std::thread::sleep(Duration::from_secs(2));
    let sent = receiver.list_received();
    assert_eq!(sent.len(), 5);
    assert!(
        sent.iter().all(|one| one.body == sent[0].body && one.event() == sent[0].event()),
        "the same bytes each time"
    );
    assert_eq!(get(&shop, &id)["status"], "ACTIVE", "one delivery disables nothing");
}

fn a_receiver_that_is_gone_is_disabled_at_once(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(410));
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    let disabled = eventually(|| Some(get(&shop, &id)).filter(|webhook| webhook["status"] == "DISABLED"));
    assert_eq!(disabled["version"], 2);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(receiver.list_received().len(), 1, "not sent again");
    let deliveries = shop.get(&format!("webhooks/{id}/deliveries")).is(200);
    assert_eq!(deliveries.items()[0]["status"], "PENDING", "it waits");
    let entries = shop.list("audit", &[("resourceId", &id), ("actorType", "SYSTEM")]).is(200);
    let entry = &entries.items()[0];
    assert_eq!((&entry["operation"], &entry["actorId"]), (&json!("disableWebhook"), &json!("system:relay")));
    assert_eq!(entry["metadata"]["detail"]["status"], "DISABLED");
    shop.post(&format!("webhooks/{id}/test"), json!({})).refused(409, "ILLEGAL_STATE");
}

fn what_waits_for_an_archived_endpoint_is_cancelled(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(500));
    let settings = stoa_tests::host::Settings::default()
        .set("STOA_WEBHOOK_DEV_TARGETS", receiver.address)
        .set("STOA_WEBHOOK_SCHEDULE", "0s,1h");
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    eventually(|| (receiver.list_received().len() == 1).then_some(()));
    shop.archive(&format!("webhooks/{id}")).is(200);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], delivery["nextAttemptAt"].is_null()), (&json!("CANCELLED"), true));
    brand(&shop);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(shop.get(&format!("webhooks/{id}/deliveries")).is(200).items().len(), 1, "nothing new for it");
}

fn what_is_emitted_while_disabled_is_not_sent_later(database: Database) {
    let receiver = Receiver::friendly();
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    let set = |status: &str, version: u64| {
        let wanted = with(&webhook(&receiver.url(), &[MADE]), json!({ "status": status, "expectedVersion": version }));
        shop.put(&format!("webhooks/{id}"), wanted).is(200);
    };
    let before = brand(&shop);
    set("DISABLED", 1);
    brand(&shop);
    std::thread::sleep(Duration::from_secs(2));
    set("ACTIVE", 2);
    let after = brand(&shop);
    await_end(&shop, &id, 2);
    let heard: BTreeSet<String> = receiver
        .list_received()
        .iter()
        .map(|sent| sent.json()["resource"]["id"].as_str().unwrap_or_default().to_string())
        .collect();
    assert_eq!(heard, BTreeSet::from([before, after]));
}

fn a_test_goes_to_its_endpoint_alone(database: Database) {
    let (one, other) = (Receiver::friendly(), Receiver::friendly());
    let host = shared_host(database);
    let shop = host.company();
    let (tried, secret) = endpoint(&shop, &one.url(), &[MADE]);
    let (unrelated, _) = endpoint(&shop, &other.url(), &["webhook.test"]);
    let tested = shop.post(&format!("webhooks/{tried}/test"), json!({})).is(201);
    await_end(&shop, &tried, 1);
    let sent = one.list_received().remove(0);
    assert_eq!((sent.event(), sent.is_signed("x-webhook-signature", &secret)), (tested.text("eventId"), true));
    let body = sent.json();
    assert_eq!((&body["kind"], &body["resource"]["id"]), (&json!("webhook.test"), &json!(tried)));
    let contract = host.contract();
    let schema =
        &contract.document["webhooks"]["webhook.test"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert!(contract.takes(schema, &body), "{body}");
    assert!(other.list_received().is_empty());
    assert!(shop.get(&format!("webhooks/{unrelated}/deliveries")).is(200).items().is_empty());
}

fn five_failures_over_three_days_disable(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(500));
    let settings = stoa_tests::host::Settings::default()
        .set("STOA_WEBHOOK_DEV_TARGETS", receiver.address)
        .set("STOA_WEBHOOK_SCHEDULE", "0s");
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    for count in 1..=4 {
        brand(&shop);
        await_end(&shop, &id, count);
    }
    assert_eq!(get(&shop, &id)["status"], "ACTIVE", "four in an hour");
    // As if the first had failed three days ago.
    let since = match database {
        Database::Sqlite => "failing_since - 259200000",
        Database::Postgres => "failing_since - interval '3 days'",
    };
    shop.change(&format!("update stoa_webhook_lane set failing_since = {since} where {{tenant}}"));
    brand(&shop);
    await_end(&shop, &id, 5);
    eventually(|| (get(&shop, &id)["status"] == "DISABLED").then_some(()));
}

fn what_waits_for_a_disabled_endpoint_fails_after_three_days(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(410));
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    eventually(|| (get(&shop, &id)["status"] == "DISABLED").then_some(()));
    let (since, now) = match database {
        Database::Sqlite => ("disabled_at - 259200001", "1"),
        Database::Postgres => ("disabled_at - interval '3 days 1 second'", "'2020-01-01T00:00:00Z'"),
    };
    // Once the relay has left it, with the end of the wait ahead.
    eventually(|| (shop.count("stoa_webhook_lane", "holder is null and due_at is not null") == 1).then_some(()));
    shop.change(&format!("update stoa_webhook_endpoint set disabled_at = {since} where {{tenant}}"));
    shop.change(&format!("update stoa_webhook_lane set due_at = {now} where {{tenant}}"));
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], attempts(&delivery).len()), (&json!("FAILED"), 1));
}
