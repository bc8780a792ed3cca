//! Operators: the host's own records of companies, each change with its audit, and the pages that make changes.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::host::{self, Settings};
use stoa_tests::pages::Browser;
use stoa_tests::receiver::list_addresses;
use stoa_tests::{
    Company, Database, Operator, Receiver, Stoa, company, eventually, eventually_within, modules, on_both_databases,
    on_one_database,
};

on_both_databases![
    companies_are_found_by_name_and_id,
    a_company_is_shown_without_secrets,
    a_suspended_company_is_out_until_it_is_resumed,
    an_entitlement_is_given_and_withdrawn,
    a_revoked_key_is_out_at_once,
    a_delivery_is_delivered_again,
    a_rejected_change_is_recorded,
    pages_change_a_company,
];

// Parts that do not depend on the database.
on_one_database![
    the_operations_are_for_operators,
    pages_push_activate_roll_back_and_deactivate,
    a_page_of_an_old_generation_changes_nothing,
    a_form_needs_its_session_and_its_origin,
    a_session_is_of_a_valid_token,
    a_company_is_verified_by_a_page,
];

/// The newest entry of the operators' audit about a company.
#[track_caller]
fn newest_entry(console: &Operator, shop: &Company) -> Json {
    let page = console.get("audit?limit=100").is(200);
    let entry = page.items().iter().find(|entry| entry["metadata"]["tenantId"] == shop.tenant);
    entry.unwrap_or_else(|| panic!("no entry about {}: {page}", shop.tenant)).clone()
}

#[track_caller]
fn assert_recorded(console: &Operator, shop: &Company, operation: &str, result: &str) {
    let entry = newest_entry(console, shop);
    assert_eq!((&entry["operation"], &entry["result"]), (&json!(operation), &json!(result)), "{entry}");
}

/// The newest entry of the company's own audit about this operation is the operators'.
#[track_caller]
fn assert_by_operator(shop: &Company, operation: &str) {
    let page = shop.list("audit", &[("operation", operation), ("limit", "1")]).is(200);
    let actors: Vec<&Json> = page.items().iter().map(|entry| &entry["actorId"]).collect();
    assert_eq!(actors, ["system:operator"], "{page}");
}

fn companies_are_found_by_name_and_id(database: Database) {
    let host = host::shared(database);
    let console = host.console();
    let word = fresh("Findable");
    let names = [format!("{word} one"), format!("The {word} Two"), format!("{word}%")];
    let token = host.token("owner@example.test");
    let ids: Vec<String> = names
        .iter()
        .map(|name| {
            let body = stoa_tests::company::onboarding(name);
            host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201).text("tenantId")
        })
        .collect();
    let find = |query: &str| console.get(&format!("companies?{query}")).is(200);
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(find(&format!("text={}", word.to_uppercase())).ids(), sorted);
    assert_eq!(find(&format!("text={word}%25")).ids(), [ids[2].clone()], "a percent sign is no wildcard");
    assert_eq!(find(&format!("text={}", ids[1])).ids(), [ids[1].clone()]);
    // Page by page.
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let page = find(&format!("text={word}&limit=1{after}"));
        found.extend(page.ids());
        match page["nextAfter"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(found, sorted);
    for query in ["limit=x", "after=x", "unknown=1"] {
        console.get(&format!("companies?{query}")).refused(400, "VALIDATION_FAILED");
    }
}

fn a_company_is_shown_without_secrets(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let machine = shop.machine(&["catalog.read"]);
    let body = json!({ "name": "Hook", "url": "https://hooks.example.com/stoa", "status": "ACTIVE",
        "subscriptions": ["catalog.product.created"] });
    let webhook = shop.post("webhooks", body).is(201);
    let shown = console.get(&format!("companies/{}", shop.tenant)).is(200);
    assert_eq!((&shown["id"], &shown["status"]), (&json!(shop.tenant), &json!("ACTIVE")), "{shown}");
    assert_eq!(shown["entitlements"], json!(["PUBLIC_API"]));
    let key = &shown["keys"][0];
    assert_eq!((&key["id"], &key["status"]), (&json!(machine.key_id), &json!("ACTIVE")), "{shown}");
    assert_eq!(key["last4"].as_str(), Some(&machine.key[machine.key.len() - 4..]));
    assert_eq!(shown["webhooks"][0]["id"], webhook.id(), "{shown}");
    for secret in [&machine.key, &webhook.text("signingSecret")] {
        assert!(!shown.tells(secret), "a secret is shown");
    }
    console.get(&format!("companies/{}", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
    console.get("companies/nothing").refused(404, "NOT_FOUND");
}

fn a_suspended_company_is_out_until_it_is_resumed(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let set = |status: &str| console.post(&format!("companies/{}/status", shop.tenant), json!({ "status": status }));
    assert_eq!(set("SUSPENDED").is(200)["status"], "SUSPENDED");
    assert_recorded(&console, &shop, "setCompanyStatus", "SUCCESS");
    shop.get("catalog/products").refused(403, "TENANT_SUSPENDED");
    assert_eq!(set("ACTIVE").is(200)["status"], "ACTIVE");
    shop.get("catalog/products").is(200);
    assert_by_operator(&shop, "resumeTenant");
    set("CLOSED").refused(400, "VALIDATION_FAILED");
}

fn an_entitlement_is_given_and_withdrawn(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let machine = shop.machine(&["catalog.read"]);
    let set = |body: Json| console.post(&format!("companies/{}/entitlements", shop.tenant), body);
    assert_eq!(set(json!({ "remove": ["PUBLIC_API"] })).is(200)["entitlements"], json!([]));
    machine.get("context").refused(429, "PUBLIC_API_DISABLED");
    assert_by_operator(&shop, "revokeEntitlement");
    assert_eq!(set(json!({ "add": ["PUBLIC_API"] })).is(200)["entitlements"], json!(["PUBLIC_API"]));
    assert_recorded(&console, &shop, "setEntitlements", "SUCCESS");
    machine.get("context").is(200);
    for body in
        [json!({}), json!({ "add": ["EVERYTHING"] }), json!({ "add": ["PUBLIC_API"], "remove": ["PUBLIC_API"] })]
    {
        set(body).refused(400, "VALIDATION_FAILED");
    }
}

fn a_revoked_key_is_out_at_once(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let machine = shop.machine(&["catalog.read"]);
    let other = shop.machine_for(&machine.client);
    machine.get("context").is(200);
    let revoke = |company: &str, key: &str| console.post(&format!("companies/{company}/keys/{key}/revoke"), json!({}));
    let stranger = shop.host.company();
    revoke(&stranger.tenant, &machine.key_id).refused(404, "NOT_FOUND");
    machine.get("context").is(200);
    revoke(&shop.tenant, &machine.key_id).is(200);
    machine.get("context").refused(401, "UNAUTHENTICATED");
    other.get("context").is(200);
    assert_recorded(&console, &shop, "revokeApiKey", "SUCCESS");
    assert_by_operator(&shop, "revokeApiKey");
    revoke(&shop.tenant, &machine.key_id).refused(409, "ILLEGAL_STATE");
}

/// A host that sends to the receivers of the suite.
fn sending_host(database: Database) -> Stoa {
    let targets: Vec<String> = list_addresses().iter().map(ToString::to_string).collect();
    Stoa::start_with(database, Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", targets.join(",")))
}

fn a_delivery_is_delivered_again(database: Database) {
    let receiver = Receiver::friendly();
    let shop = sending_host(database).company();
    let console = shop.host.console();
    let body = json!({ "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": ["catalog.lookup.created"] });
    let webhook = shop.post("webhooks", body).is(201).id();
    shop.brand("B");
    let path = format!("companies/{}/webhooks/{webhook}/deliveries", shop.tenant);
    let succeeded = || console.get(&format!("{path}?status=SUCCEEDED")).is(200);
    let first = eventually(|| succeeded().items().first().cloned());
    assert_eq!(first["attempts"][0]["responseStatus"], 200, "{first}");
    assert!(first["data"].is_null() && first["body"].is_null(), "no content of the event: {first}");
    let delivery = first["id"].as_str().unwrap_or_default();
    let made = console.post(&format!("{path}/{delivery}/redeliver"), json!({})).is(200).text("deliveryId");
    assert_recorded(&console, &shop, "redeliverDelivery", "SUCCESS");
    let ended = eventually(|| Some(succeeded()).filter(|page| page.items().len() == 2));
    assert_eq!(ended.ids(), [made, delivery.to_owned()], "the newest first");
    let received = receiver.list_received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].body, received[1].body, "the same event");
    let older = console.get(&format!("{path}?limit=1&before={}", ended.ids()[0])).is(200);
    assert_eq!(older.ids(), [delivery]);
    let nothing = uuid::Uuid::now_v7();
    console.post(&format!("{path}/{nothing}/redeliver"), json!({})).refused(404, "NOT_FOUND");
    console.get(&format!("companies/{}/webhooks/{nothing}/deliveries", shop.tenant)).refused(404, "NOT_FOUND");
}

fn a_rejected_change_is_recorded(database: Database) {
    let shop = company(database);
    let console = shop.host.console();
    let nothing = uuid::Uuid::now_v7();
    for (path, operation) in [
        (format!("keys/{nothing}/revoke"), "revokeApiKey"),
        (format!("webhooks/{nothing}/deliveries/{nothing}/redeliver"), "redeliverDelivery"),
    ] {
        console.post(&format!("companies/{}/{path}", shop.tenant), json!({})).refused(404, "NOT_FOUND");
        assert_recorded(&console, &shop, operation, "NOT_FOUND");
    }
    for (path, operation) in [("status", "setCompanyStatus"), ("entitlements", "setEntitlements")] {
        console
            .post(&format!("companies/{}/{path}", shop.tenant), json!({ "no": 1 }))
            .refused(400, "VALIDATION_FAILED");
        assert_recorded(&console, &shop, operation, "VALIDATION_FAILED");
    }
}

fn the_operations_are_for_operators(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let shop = host.company();
    let mut stranger = host.console();
    stranger.token = shop.token.clone();
    let company = format!("companies/{}", shop.tenant);
    let id = uuid::Uuid::now_v7();
    for path in ["companies", &company, &format!("{company}/webhooks/{id}/deliveries"), "audit"] {
        stranger.get(path).refused(401, "UNAUTHENTICATED");
    }
    for path in
        ["status", "entitlements", &format!("keys/{id}/revoke"), &format!("webhooks/{id}/deliveries/{id}/redeliver")]
    {
        stranger.post(&format!("{company}/{path}"), json!({})).refused(401, "UNAUTHENTICATED");
    }
}

fn pages_change_a_company(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let browser = shop.host.operator_browser();
    let start = browser.open("/operator").form("sign-in").submit("Sign in with the development token");
    let found = start.follow("Companies").form("filter").fill("text", &shop.tenant).submit("Find");
    assert_eq!(found.rows().len(), 2, "the head and one company: {}", found.text());
    let page = browser.open(&format!("/operator/console/companies/{}", shop.tenant));
    assert!(page.has(&machine.key[machine.key.len() - 4..]) && !page.has(&machine.key), "{}", page.text());
    let page = page.form("status").submit("Suspend");
    shop.get("catalog/products").refused(403, "TENANT_SUSPENDED");
    let page = page.form("status").submit("Resume");
    shop.get("catalog/products").is(200);
    let page = page.form("withdraw-PUBLIC_API").submit("Withdraw PUBLIC_API");
    machine.get("context").refused(429, "PUBLIC_API_DISABLED");
    let page = page.form("entitle").fill("add", "PUBLIC_API").submit("Entitle");
    machine.get("context").is(200);
    // A key is asked about first.
    let asked = page.follow("Revoke");
    machine.get("context").is(200);
    asked.form("revoke").submit("Revoke the key");
    machine.get("context").refused(401, "UNAUTHENTICATED");
    assert!(browser.open("/operator/console/audit").has("revokeApiKey"));
}

/// A host with only the changeling.
fn host_of_changeling(database: Database) -> Stoa {
    let folder = modules::empty_with(&[("changeling.wasm", &modules::changeling(1))]);
    Stoa::start_with(database, Settings::default().modules_in(folder))
}

fn pages_push_activate_roll_back_and_deactivate(database: Database) {
    let host = host_of_changeling(database);
    let console = host.console();
    let browser = host.operator_browser();
    browser.open("/operator/console").form("sign-in").submit("Sign in with the development token");
    let signed = host.signed(&modules::changeling(2));
    let admission = BASE64_STANDARD.decode(&signed.admission).expect("an admission");
    let admission = String::from_utf8(admission).expect("JSON");
    let form = || browser.open("/operator/console/modules").form("push").attach("component", &signed.bytes);
    let rejected = form().submit("Push");
    assert!(rejected.status == 400 && rejected.has("SIGNATURE_MISSING"), "{}", rejected.text());
    form().fill("admission", &admission).fill("csrf", "").submit("Push").is(403);
    assert_eq!(console.shown()["artifacts"].as_array().map(Vec::len), Some(1), "nothing came in");
    let mut page = form().fill("admission", &admission).submit("Push").is(200);
    // A machine that is busy compiles it for more than the patience of a push.
    let page = eventually_within(Duration::from_secs(240), || {
        if page.has("The host compiles the module.") {
            page = page.follow("Read again");
            return None;
        }
        Some(page.clone())
    });
    let digest = console.shown()["artifacts"][0]["digest"].as_str().unwrap_or_default().to_owned();
    assert_eq!(page.path, format!("/operator/console/module/{digest}"));
    assert!(page.has("MODULE_VERSION_RAISED") && page.has("listChangelingSizes"), "{}", page.text());
    page.form("activate").submit("Activate").is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.1.0"));
    let page = browser.open("/operator/console/active/changeling");
    page.form("rollback").submit("Roll back changeling").is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    let asked = browser.open("/operator/console/active/changeling").follow("Deactivate");
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"), "it is asked first");
    asked.form("deactivate").submit("Deactivate changeling").is(200);
    assert_eq!(console.version("changeling"), None);
    let page = browser.open("/operator/console/generations");
    page.form("restore-1").submit("Restore 1").is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.0"));
    assert!(browser.open("/operator/console").has("generation 5"));
}

/// A module that breaks callers is activated once its code is allowed, and an old page changes nothing.
fn a_page_of_an_old_generation_changes_nothing(database: Database) {
    let host = host_of_changeling(database);
    let console = host.console();
    let browser = host.operator_browser();
    browser.open("/operator").form("sign-in").submit("Sign in with the development token");
    let poorer = console.pushed(&modules::changeling(8));
    let page = browser.open(&format!("/operator/console/module/{poorer}"));
    let again = console.pushed(&modules::changeling(6));
    console.activate(&again, json!({})).is(200);
    let rejected = page.form("activate").choose("allow", &["ROUTE_REMOVED"]).submit("Activate");
    assert!(rejected.status == 409 && rejected.has("GENERATION_CHANGED"), "{}", rejected.text());
    let page = browser.open(&format!("/operator/console/module/{poorer}"));
    let rejected = page.form("activate").submit("Activate");
    assert!(rejected.status == 409 && rejected.has("ROUTE_REMOVED"), "{}", rejected.text());
    assert_eq!(console.version("changeling").as_deref(), Some("1.0.2"));
    page.form("activate").choose("allow", &["ROUTE_REMOVED"]).submit("Activate").is(200);
    assert_eq!(console.version("changeling").as_deref(), Some("2.0.0"));
}

fn a_form_needs_its_session_and_its_origin(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let shop = host.company();
    let (browser, other) = (host.operator_browser(), host.operator_browser());
    for browser in [&browser, &other] {
        browser.open("/operator").form("sign-in").submit("Sign in with the development token");
    }
    let path = format!("/operator/console/companies/{}", shop.tenant);
    let read_token = |browser: &Browser| browser.open(&path).form("status").value("csrf").to_owned();
    let (own, foreign) = (read_token(&browser), read_token(&other));
    assert_ne!(own, read_token(&browser), "each page has another token");
    let origin = format!("http://{}", host.private_address());
    let kind = "application/x-www-form-urlencoded";
    let post = |origin: &str, csrf: &str| {
        let headers = [("content-type", kind), ("origin", origin)];
        browser.send("POST", &path, &headers, format!("csrf={csrf}&status=SUSPENDED").into_bytes())
    };
    post(&origin, &foreign).is(403);
    post(&origin, "").is(403);
    post("https://elsewhere.example", &own).is(403);
    shop.get("settings").is(200);
    post(&origin, &own).is(303);
    shop.get("settings").refused(403, "TENANT_SUSPENDED");
}

fn a_session_is_of_a_valid_token(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()));
    let browser = host.operator_browser();
    let page = browser.open("/operator/console/companies");
    let rejected = page.form("sign-in").fill("token", "wrong").submit("Sign in");
    assert!(rejected.status == 401 && rejected.has("UNAUTHENTICATED"), "{}", rejected.text());
    // The sign-in leads to the page that was asked for.
    let page = page.form("sign-in").fill("token", &host.console().token).submit("Sign in");
    assert!(page.path.starts_with("/operator/console/companies"), "{}", page.path);
    let cookie = browser.cookies()["stoa_operator"].clone();
    assert!(!cookie.contains(&host.console().token), "the token is sealed");
    let end = cookie.len() - 1;
    let last = if cookie.ends_with('A') { "B" } else { "A" };
    browser.set_cookie("stoa_operator", &format!("{}{last}", &cookie[..end]));
    assert!(browser.open("/operator/console").path.starts_with("/operator/console/sign-in"));
    browser.set_cookie("stoa_operator", &cookie);
    let page = browser.open("/operator/console");
    page.form("sign-out").submit("Sign out");
    assert!(browser.open("/operator/console").path.starts_with("/operator/console/sign-in"));
}

fn a_company_is_verified_by_a_page(database: Database) {
    let shop = company(database);
    let browser = shop.host.operator_browser();
    browser.open("/operator").form("sign-in").submit("Sign in with the development token");
    let page = browser.open("/operator/console/verify").form("verify").fill("companies", &shop.tenant).submit("Verify");
    assert!(page.status == 200 && page.has("Companies verified: 1. Findings: 0."), "{}", page.text());
    let rejected = browser.open("/operator/console/verify").form("verify").fill("companies", "x").submit("Verify");
    assert!(rejected.status == 400 && rejected.has("VALIDATION_FAILED"), "{}", rejected.text());
}
