//! A place that is away: its companies are answered 503 at once, and everybody and everything else goes on.

use std::time::Duration;

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::people::somebody;
use stoa_tests::places::host_with;
use stoa_tests::{Company, Database, Receiver, Stoa, eventually_within, receiver, tests};

tests![
    a_place_that_is_away_takes_its_own_companies_along,
    webhooks_of_other_places_go_on,
    a_host_starts_without_a_place_and_serves_it_later,
];

/// Its companies are answered 503 from now on.
fn await_refusal(shop: &Company) {
    eventually_within(Duration::from_secs(10), || (shop.get("catalog/products").status == 503).then_some(()));
}

fn a_place_that_is_away_takes_its_own_companies_along() {
    let host = host_with(2);
    let email = somebody("owner");
    let [here, gone, other] = ["home", "place-1", "place-2"].map(|place| host.company_at(place, &email));
    host.take_away("place-1");
    await_refusal(&gone);
    let problem = gone.get("catalog/products").refused(503, "UNAVAILABLE");
    assert!(problem.header("retry-after").is_some());
    for shop in [&here, &other] {
        shop.list("catalog/products", &[]).is(200);
        shop.brand("B");
    }
    let me = host.get_with("/v1/auth/me", &host.token(&email)).is(200);
    assert_eq!((me["memberships"].as_array().map(Vec::len), &me["unreachable"]), (Some(2), &json!([gone.tenant])));
    // A request may have met the end of a connection. From here on the host treats the place as down.
    let is_shown = || host.metrics().contains("stoa_place_serves{place=\"place-1\"} 0");
    eventually_within(Duration::from_secs(30), || is_shown().then_some(()));
    // A company that is made now goes to a place that serves.
    let places: Vec<String> = (0..4).map(|_| host.company_of(&email).place()).collect();
    assert!(places.iter().all(|place| place != "place-1"), "{places:?}");
    host.get("/v1/ready").is(200);

    host.bring_back("place-1");
    eventually_within(Duration::from_secs(30), || (gone.get("catalog/products").status == 200).then_some(()));
    gone.brand("B");
    let me = host.get_with("/v1/auth/me", &host.token(&email)).is(200);
    assert_eq!(me.body.get("unreachable"), None);
}

fn webhooks_of_other_places_go_on() {
    let receiver = Receiver::friendly();
    let targets: Vec<String> = receiver::list_addresses().iter().map(ToString::to_string).collect();
    let settings = Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", targets.join(",")).places(3);
    let host = Stoa::start_with(Database::Postgres, settings);
    let [gone, other] = ["place-1", "place-2"].map(|place| host.company_at(place, "owner@example.test"));
    for shop in [&gone, &other] {
        let kinds = ["catalog.lookup.created"];
        let body = json!({ "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": kinds });
        shop.post("webhooks", body).is(201);
    }
    host.take_away("place-1");
    await_refusal(&gone);
    other.brand("B");
    let received = eventually_within(Duration::from_secs(60), || receiver.list_received().into_iter().next());
    assert_eq!(received.json()["tenantId"], json!(other.tenant));
}

fn a_host_starts_without_a_place_and_serves_it_later() {
    let host = host_with(1);
    let [here, gone] = ["home", "place-1"].map(|place| host.company_at(place, "owner@example.test"));
    host.take_away("place-1");
    host.kill9();
    host.restart();
    here.list("catalog/products", &[]).is(200);
    gone.get("catalog/products").refused(503, "UNAVAILABLE");
    host.bring_back("place-1");
    eventually_within(Duration::from_secs(30), || (gone.get("catalog/products").status == 200).then_some(()));
}
