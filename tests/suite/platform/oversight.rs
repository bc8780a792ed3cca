//! Operators and companies over HTTP: the host's own records, and the changes of status, entitlements and keys, each
//! audited twice.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, onboarding};
use stoa_tests::{Company, Database, host, on_both_databases};
use uuid::Uuid;

on_both_databases![
    companies_are_found_and_paged,
    a_company_is_shown_without_secrets,
    a_suspended_company_is_out_at_once,
    entitlements_are_granted_and_revoked,
    a_revoked_key_is_out_at_once,
    every_change_leaves_two_entries,
    another_caller_learns_nothing,
];

/// A company whose name no other has.
fn make_named(host: &stoa_tests::Stoa, name: &str) -> String {
    let token = host.token("owner@example.test");
    let request = host.request("POST", "/v1/onboarding/companies").token(&token);
    request.json(&onboarding(name)).send().is(201).text("tenantId")
}

fn companies_are_found_and_paged(database: Database) {
    let host = host::shared(database);
    let operator = host.console();
    let word = format!("50%_Wörd{}", Uuid::new_v4().simple());
    let made: Vec<String> = (0..3).map(|n| make_named(&host, &format!("Shop {n} {word} end"))).collect();
    let text = stoa_tests::request::encode(&word.to_lowercase());
    let found = |query: &str| operator.get(&format!("companies?{query}")).is(200);
    assert_eq!(found(&format!("text={text}")).ids(), made);
    assert_eq!(found(&format!("text={}", made[1])).ids(), [made[1].clone()], "by its id");
    let first = found(&format!("text={text}&limit=2"));
    assert_eq!((first.ids(), first.text("nextAfter")), (made[..2].to_vec(), made[1].clone()));
    let last = found(&format!("text={text}&limit=2&after={}", made[1]));
    assert_eq!((last.ids(), &last["nextAfter"]), (vec![made[2].clone()], &Json::Null));
    // Neither sign is a pattern.
    assert!(found(&format!("text={}", stoa_tests::request::encode(&word.replace('%', "x")))).ids().is_empty());
    assert!(found(&format!("text={}", stoa_tests::request::encode(&word.replace('_', "x")))).ids().is_empty());
    assert_eq!(found("limit=1").items().len(), 1);
    for query in ["limit=many", "after=x", "other=1", &format!("text={}", "a".repeat(201))] {
        operator.get(&format!("companies?{query}")).refused(400, "VALIDATION_FAILED");
    }
}

fn a_company_is_shown_without_secrets(database: Database) {
    let host = host::shared(database);
    let (operator, shop) = (host.console(), host.company());
    let machine = shop.machine(&["catalog.read"]);
    let hook =
        json!({ "name": "Hook", "url": "https://hooks.example.com/stoa", "subscriptions": ["catalog.lookup.created"] });
    // No name resolves on this host: the row is made as the host makes it.
    let refused = shop.post("webhooks", hook);
    let shown = operator.get(&format!("companies/{}", shop.tenant)).is(200);
    assert_eq!((&shown["status"], &shown["entitlements"]), (&json!("ACTIVE"), &json!(["PUBLIC_API"])));
    assert_eq!(
        (&shown["clients"][0]["id"], &shown["clients"][0]["scopes"]),
        (&json!(machine.client), &json!(["catalog.read"]))
    );
    let key = &shown["keys"][0];
    assert_eq!((&key["id"], &key["clientId"]), (&json!(machine.key_id), &json!(machine.client)));
    assert_eq!((&key["status"], &key["revokedAt"]), (&json!("ACTIVE"), &Json::Null));
    assert!(machine.key.ends_with(key["last4"].as_str().expect("its end")));
    assert!(!shown.tells(&machine.key) && !shown.tells("secret"), "{shown}");
    assert_eq!(shown["webhooks"].as_array().map(Vec::len), Some(usize::from(refused.status == 201)));
    for path in ["companies/x".to_owned(), format!("companies/{}", Uuid::now_v7())] {
        operator.get(&path).refused(404, "NOT_FOUND");
    }
}

fn a_suspended_company_is_out_at_once(database: Database) {
    let host = host::shared(database);
    let (operator, shop) = (host.console(), host.company());
    let set = |status: &str| operator.post(&format!("companies/{}/status", shop.tenant), json!({ "status": status }));
    assert_eq!(set("SUSPENDED").is(200)["status"], "SUSPENDED");
    shop.get("context").refused(403, "TENANT_SUSPENDED");
    assert_eq!(set("SUSPENDED").is(200)["status"], "SUSPENDED", "as it was");
    assert_eq!(set("ACTIVE").is(200)["status"], "ACTIVE");
    shop.get("context").is(200);
    for body in [json!({}), json!({ "status": "GONE" }), json!({ "status": "ACTIVE", "other": 1 })] {
        operator.post(&format!("companies/{}/status", shop.tenant), body).refused(400, "VALIDATION_FAILED");
    }
    let unknown = format!("companies/{}/status", Uuid::now_v7());
    operator.post(&unknown, json!({ "status": "ACTIVE" })).refused(404, "NOT_FOUND");
}

fn entitlements_are_granted_and_revoked(database: Database) {
    let host = host::shared(database);
    let (operator, shop) = (host.console(), host.company());
    let set = |body: Json| operator.post(&format!("companies/{}/entitlements", shop.tenant), body);
    assert_eq!(set(json!({ "add": ["PUBLIC_API"] })).is(200)["entitlements"], json!(["PUBLIC_API"]));
    let machine = shop.machine_of(json!({ "scopes": ["catalog.read"] }));
    machine.get("context").is(200);
    assert_eq!(set(json!({ "remove": ["PUBLIC_API"] })).is(200)["entitlements"], json!([]));
    machine.get("context").refused(429, "PUBLIC_API_DISABLED");
    for body in [
        json!({}),
        json!({ "add": ["EVERYTHING"] }),
        json!({ "add": ["PUBLIC_API"], "remove": ["PUBLIC_API"] }),
        json!({ "add": "PUBLIC_API" }),
    ] {
        set(body).refused(400, "VALIDATION_FAILED");
    }
}

fn a_revoked_key_is_out_at_once(database: Database) {
    let host = host::shared(database);
    let (operator, shop) = (host.console(), host.company());
    let machine = shop.machine(&["catalog.read"]);
    let other = shop.machine_for(&machine.client);
    let path = |key: &str| format!("companies/{}/keys/{key}/revoke", shop.tenant);
    machine.get("context").is(200);
    operator.post(&path(&machine.key_id), json!({})).is(200);
    machine.get("context").refused(401, "UNAUTHENTICATED");
    other.get("context").is(200);
    let keys = shop.get(&format!("api-clients/{}/keys", machine.client)).is(200);
    let key = keys.items().iter().find(|key| key["id"] == json!(machine.key_id)).expect("the key");
    assert_eq!((&key["status"], &key["revokedBy"]), (&json!("REVOKED"), &Json::Null));
    operator.post(&path(&machine.key_id), json!({})).refused(409, "ILLEGAL_STATE");
    operator.post(&path(&Uuid::now_v7().to_string()), json!({})).refused(404, "NOT_FOUND");
    // A key of another company does not exist in this one.
    let stranger = host.company().machine(&["catalog.read"]);
    operator.post(&path(&stranger.key_id), json!({})).refused(404, "NOT_FOUND");
    stranger.get("context").is(200);
}

/// Operation, result and resource of the company's entries by operators.
fn entries(shop: &Company) -> Vec<(String, String)> {
    let all = shop.all("audit", &[("actorType", "SYSTEM")]);
    let text = |entry: &Json, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    all.iter().map(|entry| (text(entry, "operation"), text(entry, "resourceType"))).collect()
}

fn every_change_leaves_two_entries(database: Database) {
    let host = host::shared(database);
    let (operator, shop) = (host.console(), host.company());
    let machine = shop.machine(&["catalog.read"]);
    let post = |path: &str, body: Json| operator.post(&format!("companies/{}/{path}", shop.tenant), body);
    post("status", json!({ "status": "SUSPENDED" })).is(200);
    post("status", json!({ "status": "ACTIVE" })).is(200);
    post("entitlements", json!({ "remove": ["PUBLIC_API"] })).is(200);
    post(&format!("keys/{}/revoke", machine.key_id), json!({})).is(200);
    post(&format!("keys/{}/revoke", machine.key_id), json!({})).refused(409, "ILLEGAL_STATE");
    let known = |operation: &str, kind: &str| (operation.to_owned(), kind.to_owned());
    let expected = [
        known("revokeApiKey", "API_KEY"),
        known("revokeEntitlement", "TENANT"),
        known("resumeTenant", "TENANT"),
        known("suspendTenant", "TENANT"),
    ];
    assert_eq!(entries(&shop), expected, "the newest first");

    // The pages of the operators' audit with this company's changes.
    let mut listed: Vec<(String, String)> = Vec::new();
    let mut path = "audit?limit=100".to_owned();
    loop {
        let page = operator.get(&path).is(200);
        for entry in page.items() {
            if entry["metadata"]["tenantId"] == json!(shop.tenant) {
                assert_eq!(entry["actor"], "dev");
                let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
                listed.push((text("operation"), text("result")));
            }
        }
        let Some(before) = page["nextBefore"].as_str().filter(|_| listed.len() < 5) else { break };
        path = format!("audit?limit=100&before={before}");
    }
    let expected = [
        known("revokeApiKey", "ILLEGAL_STATE"),
        known("revokeApiKey", "SUCCESS"),
        known("setEntitlements", "SUCCESS"),
        known("setCompanyStatus", "SUCCESS"),
        known("setCompanyStatus", "SUCCESS"),
    ];
    assert_eq!(listed, expected);
}

fn another_caller_learns_nothing(database: Database) {
    let host = host::shared(database);
    let stranger = host.console_with(&fresh("stranger"));
    let tenant = host.company().tenant;
    for path in ["companies".to_owned(), format!("companies/{tenant}"), "audit".to_owned()] {
        stranger.get(&path).refused(401, "UNAUTHENTICATED");
    }
    stranger
        .post(&format!("companies/{tenant}/status"), json!({ "status": "SUSPENDED" }))
        .refused(401, "UNAUTHENTICATED");
    host.get("/operator/companies").refused(404, "NOT_FOUND");
}
