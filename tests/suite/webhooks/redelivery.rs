//! Sending again: one delivery, or the events of a time; each is the same event with attempts of its own.

use serde_json::json;
use stoa_tests::receiver::Temper;
use stoa_tests::{Database, Receiver, eventually, on_both_databases};

use super::{MADE, attempts, await_end, brand, endpoint, shared_host};

on_both_databases![
    an_ended_delivery_is_delivered_again,
    a_pending_one_is_not,
    t16_a_range_is_delivered_again_each_event_once,
];

fn an_ended_delivery_is_delivered_again(database: Database) {
    let receiver = Receiver::start(|_, nth| Temper::Status(if nth < 5 { 500 } else { 200 }));
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    let failed = await_end(&shop, &id, 1).remove(0);
    let path = |delivery: &str| format!("webhooks/{id}/deliveries/{delivery}/redeliver");
    let again = shop.post(&path(failed["id"].as_str().unwrap_or_default()), json!({})).is(201).text("deliveryId");
    let both = await_end(&shop, &id, 2);
    assert_eq!((&both[0], &both[1]["id"]), (&failed, &json!(again)));
    assert_eq!((&both[1]["status"], &both[1]["eventId"]), (&json!("SUCCEEDED"), &failed["eventId"]));
    assert_eq!(attempts(&both[1]).len(), 1, "attempts of its own");
    let sent = receiver.list_received();
    assert!(sent.len() == 6 && sent.iter().all(|one| one.body == sent[0].body), "the same event");
    shop.post(&path(&again), json!({})).is(201);
    shop.post(&path(&uuid::Uuid::now_v7().to_string()), json!({})).refused(404, "NOT_FOUND");
    let (other, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    shop.post(&format!("webhooks/{other}/deliveries/{again}/redeliver"), json!({})).refused(404, "NOT_FOUND");
}

fn a_pending_one_is_not(database: Database) {
    let receiver = Receiver::start(|_, _| Temper::Status(500));
    let settings = stoa_tests::host::Settings::default()
        .set("STOA_WEBHOOK_DEV_TARGETS", receiver.address)
        .set("STOA_WEBHOOK_SCHEDULE", "0s,1h");
    let host = stoa_tests::Stoa::start_with(database, settings);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    brand(&shop);
    let path = format!("webhooks/{id}/deliveries");
    let pending = eventually(|| shop.get(&path).is(200).items().first().cloned());
    let delivery = pending["id"].as_str().unwrap_or_default();
    shop.post(&format!("{path}/{delivery}/redeliver"), json!({})).refused(409, "ILLEGAL_STATE");
    let range = json!({ "from": "2026-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z" });
    assert_eq!(shop.post(&format!("webhooks/{id}/redeliver"), range).is(201)["count"], 0);
}

fn t16_a_range_is_delivered_again_each_event_once(database: Database) {
    let receiver = Receiver::friendly();
    let host = shared_host(database);
    let shop = host.company();
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE, "catalog.product.created"]);
    brand(&shop);
    brand(&shop);
    shop.product("P");
    let first = await_end(&shop, &id, 3);
    let path = format!("webhooks/{id}/redeliver");
    let times: Vec<&str> = first.iter().filter_map(|delivery| delivery["createdAt"].as_str()).collect();
    let (from, to) = (times.iter().min().copied(), times.iter().max().copied());
    let redeliver = |extra: serde_json::Value| {
        let body = stoa_tests::company::with(&json!({ "from": from, "to": to }), extra);
        shop.post(&path, body).is(201)["count"].clone()
    };
    assert_eq!(redeliver(json!({ "status": "FAILED" })), 0);
    assert_eq!(redeliver(json!({ "kind": "catalog.product.created" })), 1);
    await_end(&shop, &id, 4);
    // The product's event has two deliveries in the range by now, or one beyond it: it goes out once all the same.
    let all = shop.post(&path, json!({ "from": from, "to": "2100-01-01T00:00:00Z" })).is(201);
    assert_eq!(all["count"], 3);
    let ended = await_end(&shop, &id, 7);
    assert_eq!((ended.len(), receiver.list_received().len()), (7, 7));
    let late = json!({ "from": "2100-01-01T00:00:00Z", "to": "2100-01-02T00:00:00Z" });
    assert_eq!(shop.post(&path, late).is(201)["count"], 0);
}
