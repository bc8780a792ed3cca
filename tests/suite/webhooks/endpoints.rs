//! Endpoints: what may be made of them, by people and by API clients, and where they may point.

use serde_json::json;
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, at_once, company, modules, on_both_databases};

use super::{MADE, URL, endpoint, get, webhook};

on_both_databases![
    p11_forty_two_subscriptions_and_no_more,
    p12_where_an_endpoint_may_point,
    a_company_has_a_limited_number_of_endpoints,
    endpoints_are_replaced_by_version,
    an_archived_endpoint_stays_as_it_is,
    lists_show_what_is_not_archived,
    people_and_clients_see_the_same_endpoints,
    without_an_endpoint_the_checklist_asks_for_one,
    a_kind_whose_module_was_taken_out_is_reported,
];

fn p11_forty_two_subscriptions_and_no_more(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let mut kinds: Vec<&str> =
        contract.document["webhooks"].as_object().expect("webhooks").keys().map(String::as_str).collect();
    assert!(kinds.contains(&"webhook.test"), "the host's own kind");
    kinds.sort_unstable();
    let made = shop.post("webhooks", webhook(URL, &kinds[..42])).is(201);
    assert_eq!(made["endpoint"]["subscriptions"].as_array().map(Vec::len), Some(42));
    for (kinds, pointer, code) in [
        (kinds[..43].to_vec(), "/subscriptions", "TOO_MANY"),
        (vec![], "/subscriptions", "TOO_FEW"),
        (vec![MADE, MADE], "/subscriptions", "REPEATED"),
        (vec![MADE, "no.such"], "/subscriptions/1", "FORMAT"),
    ] {
        shop.post("webhooks", webhook(URL, &kinds)).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
}

fn p12_where_an_endpoint_may_point(database: Database) {
    let shop = company(database);
    for url in [
        "http://hooks.example.com/",
        "https://hooks.example.com:8443/",
        "https://127.0.0.1/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://2130706433/",
        "https://localhost/",
        "https://user@hooks.example.com/",
        "https://hooks.example.com/?a=b",
        "https://hooks.example.com/#a",
        "http://127.0.0.1:9/",
        "https:hooks.example.com/",
        "https://hooks.example.com/a/../b",
    ] {
        let refused = shop.post("webhooks", webhook(url, &[MADE]));
        refused.refused(400, "VALIDATION_FAILED").fault("/url", "ADDRESS_NOT_ALLOWED");
    }
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    let elsewhere = with(&webhook("https://localhost/", &[MADE]), json!({ "expectedVersion": 1 }));
    let path = format!("webhooks/{id}");
    shop.put(&path, elsewhere).refused(400, "VALIDATION_FAILED").fault("/url", "ADDRESS_NOT_ALLOWED");
    // A caller who may not change endpoints learns nothing of addresses.
    let stranger = shop.as_user("stranger@example.test");
    stranger.post("webhooks", webhook("https://localhost/", &[MADE])).refused(403, "MEMBERSHIP_REQUIRED");
}

/// Fifty where nothing else is set; archived ones do not count, and those that are made at once do.
fn a_company_has_a_limited_number_of_endpoints(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["webhooks.manage"]);
    let (first, _) = endpoint(&shop, URL, &[MADE]);
    // By the interface the host would look a name up for each of them.
    shop.copy_rows("stoa_webhook_endpoint", "1 = 1", 47, &[]);
    let disabled = with(&webhook(URL, &[MADE]), json!({ "status": "DISABLED" }));
    let statuses: Vec<u16> =
        at_once(6, |_| shop.post("webhooks", disabled.clone())).iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 2, "{statuses:?}");
    assert_eq!(shop.count("stoa_webhook_endpoint", "status <> 'ARCHIVED'"), 50);
    let maximum = json!({ "maximum": 50, "counted": "WEBHOOKS" });
    shop.post("webhooks", disabled.clone()).refused(409, "LIMIT_EXCEEDED").bounds("", maximum);
    machine.post("webhooks", webhook(URL, &[MADE])).refused(409, "LIMIT_EXCEEDED");
    company(database).post("webhooks", disabled).is(201);
    shop.archive(&format!("webhooks/{first}")).is(200);
    endpoint(&shop, URL, &[MADE]);
    machine.post("webhooks", webhook(URL, &[MADE])).refused(409, "LIMIT_EXCEEDED");
}

fn endpoints_are_replaced_by_version(database: Database) {
    let shop = company(database);
    let (id, secret) = endpoint(&shop, URL, &[MADE]);
    let path = format!("webhooks/{id}");
    let wanted = with(
        &webhook("https://hooks.example.com/other", &["sale.created", "sale.completed"]),
        json!({ "name": " Other ", "status": "DISABLED", "expectedVersion": 1 }),
    );
    let after = shop.put(&path, wanted.clone()).is(200);
    assert_eq!((&after["name"], &after["status"], &after["version"]), (&json!("Other"), &json!("DISABLED"), &json!(2)));
    assert_eq!(after["subscriptions"], json!(["sale.completed", "sale.created"]));
    assert_eq!(after["undeclaredSubscriptions"], json!([]));
    assert!(!after.body.to_string().contains(&secret), "the secret is shown once");
    shop.put(&path, wanted).refused(409, "VERSION_CONFLICT");
    assert_eq!(get(&shop, &id).body, after.body);
    shop.get(&format!("webhooks/{}", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
}

fn an_archived_endpoint_stays_as_it_is(database: Database) {
    let shop = company(database);
    let (id, _) = endpoint(&shop, URL, &[MADE]);
    let path = format!("webhooks/{id}");
    let post = |verb: &str, body| shop.post(&format!("{path}/{verb}"), body);
    post("archive", json!({ "expectedVersion": 2 })).refused(409, "VERSION_CONFLICT");
    let archived = post("archive", json!({ "expectedVersion": 1 })).is(200);
    assert_eq!((&archived["status"], &archived["version"]), (&json!("ARCHIVED"), &json!(2)));
    for verb in ["archive", "rotate-secret", "test"] {
        post(verb, json!({})).refused(409, "ARCHIVED");
    }
    let range = json!({ "from": "2026-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z" });
    post("redeliver", range).refused(409, "ARCHIVED");
    let again = with(&webhook(URL, &[MADE]), json!({ "expectedVersion": 2 }));
    shop.put(&path, again).refused(409, "ARCHIVED");
    assert_eq!(get(&shop, &id)["status"], "ARCHIVED");
}

fn lists_show_what_is_not_archived(database: Database) {
    let shop = company(database);
    let ids: Vec<String> = (0..3).map(|_| endpoint(&shop, URL, &[MADE]).0).collect();
    shop.archive(&format!("webhooks/{}", ids[1])).is(200);
    assert_eq!(shop.get("webhooks").is(200).ids(), [ids[0].as_str(), ids[2].as_str()]);
    assert_eq!(shop.list("webhooks", &[("status", "ARCHIVED")]).is(200).ids(), [ids[1].as_str()]);
    let first = shop.list("webhooks", &[("limit", "1")]).is(200);
    let next = first.text("nextCursor");
    assert_eq!((first.ids(), next.as_str()), (vec![ids[0].clone()], ids[0].as_str()));
    assert_eq!(shop.list("webhooks", &[("limit", "1"), ("cursor", &next)]).is(200).ids(), [ids[2].as_str()]);
    assert!(company(database).get("webhooks").is(200).items().is_empty());
}

fn people_and_clients_see_the_same_endpoints(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["webhooks.manage"]);
    let made = machine.post("webhooks", webhook(URL, &[MADE])).is(201);
    let id = made.id();
    assert_eq!(made["endpoint"]["id"], id.as_str());
    assert_eq!(get(&shop, &id).body, made["endpoint"]);
    let (other, _) = endpoint(&shop, URL, &[MADE]);
    assert_eq!(machine.get("webhooks").is(200).ids(), [id.as_str(), other.as_str()]);
    let wanted = with(&webhook(URL, &["webhook.test"]), json!({ "expectedVersion": 1 }));
    machine.put(&format!("webhooks/{other}"), wanted).is(200);
    machine.post(&format!("webhooks/{other}/archive"), json!({})).is(200);
    assert_eq!(get(&shop, &other)["version"], 3);
    let entries = shop.list("audit", &[("resourceId", &other)]).is(200);
    let operations: Vec<&str> = entries.items().iter().filter_map(|entry| entry["operation"].as_str()).collect();
    assert_eq!(operations, ["apiArchiveWebhook", "apiReplaceWebhook", "createWebhook"]);
    assert!(entries.items().iter().all(|entry| entry["resourceType"] == "WEBHOOK_ENDPOINT"));
}

fn without_an_endpoint_the_checklist_asks_for_one(database: Database) {
    let shop = company(database);
    let status = || {
        let steps = shop.get("onboarding").is(200);
        let step = steps.items().iter().find(|step| step["code"] == "WEBHOOK").cloned();
        step.expect("a step")["status"].clone()
    };
    assert_eq!(status(), "PENDING");
    endpoint(&shop, URL, &[MADE]);
    assert_eq!(status(), "DONE");
}

fn a_kind_whose_module_was_taken_out_is_reported(database: Database) {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let (console, shop) = (host.console(), host.company());
    let kinds = ["changeling.item.added", "webhook.test"];
    let (id, _) = endpoint(&shop, URL, &kinds);
    assert_eq!(get(&shop, &id)["undeclaredSubscriptions"], json!([]));
    console.post("modules/changeling/deactivate", json!({})).is(200);
    let after = get(&shop, &id);
    assert_eq!(after["undeclaredSubscriptions"], json!(["changeling.item.added"]));
    assert_eq!(after["subscriptions"], json!(kinds), "what was asked for stays: the module may come back");
    shop.post("webhooks", webhook(URL, &kinds)).refused(400, "VALIDATION_FAILED").fault("/subscriptions/0", "FORMAT");
}
