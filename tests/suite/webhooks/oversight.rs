//! Operators and deliveries: they are shown with their attempts and without bodies, and sent again.

use serde_json::{Value as Json, json};
use stoa_tests::receiver::Temper;
use stoa_tests::{Database, Receiver, on_both_databases};

use super::{MADE, await_end, brand, endpoint, shared_host};

on_both_databases![an_operator_sends_a_delivery_again];

fn an_operator_sends_a_delivery_again(database: Database) {
    let receiver = Receiver::start(|_, nth| Temper::Status(if nth < 5 { 500 } else { 200 }));
    let host = shared_host(database);
    let (operator, shop) = (host.console(), host.company());
    let (id, _) = endpoint(&shop, &receiver.url(), &[MADE]);
    let made = brand(&shop);
    let failed = await_end(&shop, &id, 1).remove(0);
    let deliveries_of = |id: &str| format!("companies/{}/webhooks/{id}/deliveries", shop.tenant);
    let listed = operator.get(&format!("{}?status=FAILED", deliveries_of(&id))).is(200);
    assert_eq!(listed.items(), std::slice::from_ref(&failed));
    assert!(!listed.tells(&made), "no body of an event: {listed}");
    let shown = operator.get(&format!("companies/{}", shop.tenant)).is(200);
    let counted = json!({ "PENDING": 0, "SUCCEEDED": 0, "FAILED": 1, "CANCELLED": 0 });
    assert_eq!(shown["webhooks"][0]["newestDeliveries"], counted);
    assert!(!shown.tells("whsec"), "{shown}");

    let again = format!("{}/{}/redeliver", deliveries_of(&id), failed["id"].as_str().unwrap_or_default());
    let delivery = operator.post(&again, json!({})).is(200).text("deliveryId");
    let both = await_end(&shop, &id, 2);
    assert_eq!((&both[1]["id"], &both[1]["status"]), (&json!(delivery), &json!("SUCCEEDED")));
    assert_eq!(both[1]["eventId"], failed["eventId"]);
    assert_eq!(receiver.list_received().len(), 6, "five attempts and one");
    let newest = operator.get(&format!("{}?limit=1", deliveries_of(&id))).is(200);
    assert_eq!((newest.ids(), newest.text("nextBefore")), (vec![delivery.clone()], delivery.clone()));
    assert_eq!(operator.get(&format!("{}?before={delivery}", deliveries_of(&id))).is(200).items(), [failed]);
    let entry = &shop.all("audit", &[("actorType", "SYSTEM")])[0];
    assert_eq!((&entry["operation"], &entry["resourceId"]), (&json!("redeliverWebhookDelivery"), &json!(id)));

    let none = uuid::Uuid::now_v7().to_string();
    operator.post(&format!("{}/{none}/redeliver", deliveries_of(&id)), json!({})).refused(404, "NOT_FOUND");
    operator.get(&deliveries_of(&none)).refused(404, "NOT_FOUND");
    let version: Json = shop.get(&format!("webhooks/{id}")).is(200)["version"].clone();
    shop.post(&format!("webhooks/{id}/archive"), json!({ "expectedVersion": version })).is(200);
    operator.post(&again, json!({})).refused(409, "ILLEGAL_STATE");
}
