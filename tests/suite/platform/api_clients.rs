//! API clients and their keys: what an administrator does with them, and what each change means for the very next request.

use serde_json::{Value as Json, json};
use stoa_tests::{Answer, Company, Database, Machine, at_once, company, on_both_databases};

on_both_databases![
    a_key_tells_what_it_is,
    clients_are_listed_and_read,
    invalid_clients_are_refused,
    p4_clients_and_users_have_keys_of_their_own_for_retries,
    p7_a_key_is_delivered_once,
    p8_keys_that_are_none,
    revoking_is_idempotent_by_state,
    a_revoked_client_stays_so_and_takes_its_keys_with_it,
    scopes_hold_for_the_next_request,
    ten_usable_keys_at_most,
    the_last_use_is_reported,
    wrong_identity_family,
    b28_a_rotated_key_finishes_its_predecessors_retry,
    scopes_are_catalogued,
    scopes_that_a_client_gained_and_lost_are_reported_by_the_audit,
];

/// The company manager's read of a client.
fn client(shop: &Company, machine: &Machine) -> Answer {
    shop.get(&format!("api-clients/{}", machine.client)).is(200)
}

fn set_status(shop: &Company, machine: &Machine, status: &str) -> Answer {
    shop.request("PATCH", &format!("api-clients/{}/status", machine.client)).json(&json!({ "status": status })).send()
}

fn a_key_tells_what_it_is(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["pricing.read", "catalog.read"]);
    let context = machine.get("context").is(200);
    assert_eq!(context["tenantId"], shop.tenant.as_str());
    assert_eq!(context["apiClientId"], machine.client.as_str());
    assert_eq!(context["environment"], "test");
    assert_eq!(context["scopes"], json!(["catalog.read", "pricing.read"]));
    assert_eq!(context["entitlements"], json!(["PUBLIC_API"]));
    assert_eq!(context["rateLimit"]["requestsPerMinute"], 600);
    assert_eq!(context["monthlyQuota"]["limit"], 1_000_000);
    assert_eq!(context["monthlyQuota"]["used"], 1);
    assert_eq!(machine.get("context").is(200)["monthlyQuota"]["used"], 2);

    let keys = shop.get(&format!("api-clients/{}/keys", machine.client)).is(200);
    let key = &keys.items()[0];
    assert_eq!(key["id"], machine.key_id.as_str());
    assert!(machine.key.starts_with(key["prefix"].as_str().unwrap_or("?")), "{key}");
    assert_eq!(key["prefix"].as_str().map(str::len), Some(13));
    assert!(machine.key.ends_with(key["last4"].as_str().unwrap_or("?")), "{key}");
    assert_eq!((&key["status"], &key["revokedAt"]), (&json!("ACTIVE"), &Json::Null));
    assert!(!keys.body.to_string().contains(&machine.key[50..]), "the secret is returned once");
    let secret = &machine.key[42..];
    assert!(!shop.host.log().contains(secret), "the secret is in the log");
    // Nowhere in the clear: not in the key's row, not in the stored answer, not in the audit entry.
    for (table, column) in [
        ("stoa_api_key", "hash"),
        ("stoa_idempotency", "body"),
        ("stoa_idempotency", "headers"),
        ("stoa_audit", "metadata"),
    ] {
        let rows = shop.rows(&format!("select {column} from {table} where {{tenant}} and {column} is not null"));
        assert!(!rows.concat().concat().contains(secret), "the secret is in {table}.{column}");
    }
}

fn clients_are_listed_and_read(database: Database) {
    let shop = company(database);
    let made: Vec<Machine> = (0..3).map(|_| shop.machine(&["catalog.read"])).collect();
    let ids: Vec<&str> = made.iter().map(|machine| machine.client.as_str()).collect();
    let first = shop.list("api-clients", &[("limit", "2")]).is(200);
    assert_eq!(first.ids(), &ids[..2]);
    let cursor = first.text("nextCursor");
    assert_eq!(cursor, ids[1]);
    let rest = shop.list("api-clients", &[("limit", "2"), ("cursor", &cursor)]).is(200);
    assert_eq!((rest.ids(), &rest["nextCursor"]), (vec![ids[2].to_string()], &Json::Null));
    set_status(&shop, &made[1], "SUSPENDED").is(200);
    assert_eq!(shop.list("api-clients", &[("status", "SUSPENDED")]).is(200).ids(), [ids[1]]);
    shop.list("api-clients", &[("state", "ACTIVE")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
    let other = company(database);
    other.get(&format!("api-clients/{}", ids[0])).refused(404, "NOT_FOUND");
    other.get(&format!("api-clients/{}/keys", ids[0])).refused(404, "NOT_FOUND");
    other.get(&format!("api-clients/{}/usage", ids[0])).refused(404, "NOT_FOUND");
    other.post(&format!("api-clients/{}/keys", ids[0]), json!({})).refused(404, "NOT_FOUND");
    assert!(other.get("api-clients").is(200).items().is_empty());
}

fn invalid_clients_are_refused(database: Database) {
    let shop = company(database);
    let good = json!({ "name": "N", "scopes": ["catalog.read"] });
    let cases = [
        (json!({ "name": " " }), "/name", "RANGE"),
        (json!({ "name": "n".repeat(101) }), "/name", "RANGE"),
        (json!({ "scopes": ["catalog.read", "catalog.read"] }), "/scopes", "REPEATED"),
        (json!({ "scopes": ["no.such"] }), "/scopes/0", "FORMAT"),
        (json!({ "requestsPerMinute": 0 }), "/requestsPerMinute", "RANGE"),
        (json!({ "requestsPerMinute": 6001 }), "/requestsPerMinute", "RANGE"),
        (json!({ "monthlyQuota": 100_000_001 }), "/monthlyQuota", "RANGE"),
        (json!({ "status": "ACTIVE" }), "", "NOT_ALLOWED"),
    ];
    for (change, pointer, code) in cases {
        let body = stoa_tests::company::with(&good, change);
        shop.post("api-clients", body).refused(400, "VALIDATION_FAILED").fault(pointer, code);
    }
    let machine = shop.machine_of(good);
    let keys = format!("api-clients/{}/keys", machine.client);
    let in_days = |days: i64| {
        (chrono::Utc::now() + chrono::TimeDelta::days(days)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    for expires_at in [in_days(-1), in_days(366)] {
        let answer = shop.post(&keys, json!({ "expiresAt": expires_at }));
        answer.refused(400, "VALIDATION_FAILED").fault("/expiresAt", "RANGE");
    }
    shop.post(&keys, json!({ "environment": "live" }))
        .refused(400, "VALIDATION_FAILED")
        .fault("/environment", "NOT_ALLOWED");
    shop.post(&keys, json!({ "environment": "test", "expiresAt": in_days(364) })).is(201);
}

fn p4_clients_and_users_have_keys_of_their_own_for_retries(database: Database) {
    let shop = company(database);
    let machines = [shop.machine(&["catalog.write"]), shop.machine(&["catalog.write"])];
    let key = uuid::Uuid::new_v4().to_string();
    let body = |code: &str| json!({ "name": code, "code": code });
    let create = |index: usize| {
        machines[index].request("POST", "catalog/lookups/brands").key(&key).json(&body(&format!("B{index}"))).send()
    };
    let (one, other) = (create(0).is(201), create(1).is(201));
    assert_ne!(one.id(), other.id());
    shop.request("POST", "catalog/lookups/brands").key(&key).json(&body("U")).send().is(201);
    assert!(create(1).is(201).replayed());
}

fn p7_a_key_is_delivered_once(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let path = format!("api-clients/{}/keys", machine.client);
    let key = uuid::Uuid::new_v4().to_string();
    let issue = || shop.request("POST", &path).key(&key).json(&json!({})).send();
    let both = at_once(2, |_| issue());
    let mut statuses: Vec<u16> = both.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    for _ in 0..2 {
        let again = issue().refused(409, "CREDENTIAL_ALREADY_DELIVERED");
        assert!(!again.replayed());
    }
    shop.request("POST", &path)
        .key(&key)
        .json(&json!({ "environment": "test" }))
        .send()
        .refused(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(shop.count("stoa_api_key", "true"), 2, "the first key and one more");
    assert_eq!(shop.count("stoa_idempotency", "operation = 'issueApiKey' and body is not null"), 0);
    let issued = both.iter().find(|answer| answer.status == 201).expect("one was delivered");
    assert_eq!(issued.header("cache-control"), Some("no-store"));
}

fn p8_keys_that_are_none(database: Database) {
    let shop = company(database);
    let keep = shop.machine(&["catalog.read"]);
    let expired = shop.machine(&["catalog.read"]);
    let revoked = shop.machine(&["catalog.read"]);
    let suspended = shop.machine(&["catalog.read"]);
    let foreign = shop.machine(&["catalog.read"]);
    for machine in [&keep, &expired, &revoked, &suspended, &foreign] {
        machine.get("context").is(200);
    }
    let past = match database {
        Database::Sqlite => "1",
        Database::Postgres => "now() - interval '1 hour'",
    };
    let condition = |machine: &Machine| match database {
        Database::Sqlite => format!("id = x'{}'", machine.key_id.replace('-', "")),
        Database::Postgres => format!("id = '{}'", machine.key_id),
    };
    shop.change(&format!("update stoa_api_key set expires_at = {past} where {{tenant}} and {}", condition(&expired)));
    shop.post(&format!("api-clients/{}/keys/{}/revoke", revoked.client, revoked.key_id), json!({})).is(201);
    set_status(&shop, &suspended, "SUSPENDED").is(200);

    let mut flipped = keep.key.clone();
    let last = if flipped.ends_with('A') { 'E' } else { 'A' };
    flipped.pop();
    flipped.push(last);
    let unknown = keep.key.replacen(&keep.key_id, &uuid::Uuid::now_v7().to_string(), 1);
    let elsewhere = keep.key.replacen("test_", "live_", 1);
    let tokens = [
        &expired.key,
        &revoked.key,
        &suspended.key,
        &flipped,
        &unknown,
        &elsewhere,
        &keep.key[..84],
        "test_",
        "live_x",
    ];
    let mut bodies = Vec::new();
    for token in tokens {
        for path in ["/v1/api-client/context", &format!("/v1/tenants/{}/context", shop.tenant)] {
            let answer = shop.host.get_with(path, token).refused(401, "UNAUTHENTICATED");
            // The fault is reported to the holder of the key's secret; any other caller reads that there is no such key.
            let reported = answer.header("www-authenticate").unwrap_or_default().to_owned();
            let why = if token == &*expired.key {
                "The key has expired."
            } else if token == &*revoked.key {
                "The key is revoked."
            } else {
                ""
            };
            assert!(reported.starts_with("Bearer error=\"invalid_token\", ") && reported.contains(why), "{reported}");
            assert_eq!(answer.header("x-ratelimit-limit"), None);
            bodies.push(answer.masked());
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "each receives the same: {bodies:?}");
    // The expired one is shown as such; a resumed client's key works again.
    let keys = shop.get(&format!("api-clients/{}/keys", expired.client)).is(200);
    assert_eq!(keys.items()[0]["status"], "EXPIRED");
    set_status(&shop, &suspended, "ACTIVE").is(200);
    suspended.get("context").is(200);
    shop.change("update stoa_tenant set status = 'SUSPENDED' where {id}");
    keep.get("context").refused(401, "UNAUTHENTICATED");
    shop.get("context").refused(403, "TENANT_SUSPENDED");
    shop.change("update stoa_tenant set status = 'ACTIVE' where {id}");
    keep.get("context").is(200);
}

fn revoking_is_idempotent_by_state(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let path = format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id);
    let first = shop.request("POST", &path).without("idempotency-key").json(&json!({})).send().is(201);
    assert_eq!(first["status"], "REVOKED");
    assert!(first["revokedBy"].is_string());
    let again = shop.request("POST", &path).without("idempotency-key").json(&json!({})).send().is(201);
    assert_eq!(again.body, first.body);
    let absent = format!("api-clients/{}/keys/{}/revoke", machine.client, uuid::Uuid::now_v7());
    shop.post(&absent, json!({})).refused(404, "NOT_FOUND");
    let other = shop.machine(&["catalog.read"]);
    let crossed = format!("api-clients/{}/keys/{}/revoke", other.client, machine.key_id);
    shop.post(&crossed, json!({})).refused(404, "NOT_FOUND");
}

fn a_revoked_client_stays_so_and_takes_its_keys_with_it(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    machine.get("context").is(200);
    set_status(&shop, &machine, "REVOKED").is(200);
    machine.get("context").refused(401, "UNAUTHENTICATED");
    set_status(&shop, &machine, "ACTIVE").refused(409, "ILLEGAL_STATE");
    assert_eq!(set_status(&shop, &machine, "REVOKED").is(200)["status"], "REVOKED");
    let scopes = format!("api-clients/{}/scopes", machine.client);
    shop.put(&scopes, json!({ "scopes": [] })).refused(409, "ILLEGAL_STATE");
    shop.post(&format!("api-clients/{}/keys", machine.client), json!({})).refused(409, "ILLEGAL_STATE");
    let keys = shop.get(&format!("api-clients/{}/keys", machine.client)).is(200);
    assert_eq!(keys.items()[0]["status"], "REVOKED");
}

fn scopes_hold_for_the_next_request(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["pricing.read"]);
    machine.get("context").refused(403, "SCOPE_DENIED");
    let path = format!("api-clients/{}/scopes", machine.client);
    shop.put(&path, json!({ "scopes": ["catalog.read"] })).is(200);
    machine.get("context").is(200);
    shop.put(&path, json!({ "scopes": [] })).is(200);
    machine.get("context").refused(403, "SCOPE_DENIED");
    assert_eq!(client(&shop, &machine)["scopes"], json!([]));
}

fn ten_usable_keys_at_most(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let path = format!("api-clients/{}/keys", machine.client);
    let issued = at_once(16, |_| shop.post(&path, json!({})));
    let made: Vec<&Answer> = issued.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(made.len(), 9, "one was there");
    let most = json!({ "maximum": 10, "counted": "KEYS" });
    shop.post(&path, json!({})).refused(409, "LIMIT_EXCEEDED").bounds("", most);
    shop.post(&format!("{path}/{}/revoke", made[0].id()), json!({})).is(201);
    shop.post(&path, json!({})).is(201);
}

fn the_last_use_is_reported(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let path = format!("api-clients/{}/keys", machine.client);
    let last_used = || shop.get(&path).is(200).items()[0]["lastUsedAt"].clone();
    assert_eq!(last_used(), Json::Null);
    machine.get("context").is(200);
    let reported = stoa_tests::eventually(|| Some(last_used()).filter(Json::is_string));
    machine.get("context").is(200);
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert_eq!(last_used(), reported, "written once a minute at most");
}

fn wrong_identity_family(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let answer = shop.host.get_with(&format!("/v1/tenants/{}/context", shop.tenant), &machine.key);
    let answer = answer.refused(403, "WRONG_IDENTITY_FAMILY");
    assert_eq!(answer.header("x-ratelimit-limit"), Some("600"));
    let answer = shop.host.get_with("/v1/api-client/context", &shop.token).refused(403, "WRONG_IDENTITY_FAMILY");
    assert!(answer.header("x-ratelimit-limit").is_some());
    assert_eq!(machine.get("context").is(200)["monthlyQuota"]["used"], 1, "the wrong family costs nothing");
}

/// Retries belong to the client, not to the key that it happens to use.
fn b28_a_rotated_key_finishes_its_predecessors_retry(database: Database) {
    let shop = company(database);
    let first = shop.machine(&["catalog.write"]);
    let second = shop.machine_for(&first.client);
    let key = uuid::Uuid::new_v4().to_string();
    let body = json!({ "name": "Rotated", "code": "ROTATED" });
    let create = |machine: &Machine| machine.request("POST", "catalog/lookups/brands").key(&key).json(&body).send();
    let made = create(&first).is(201);
    shop.post(&format!("api-clients/{}/keys/{}/revoke", first.client, first.key_id), json!({})).is(201);
    create(&first).refused(401, "UNAUTHENTICATED");
    let before = shop.records();
    let again = create(&second).is(201);
    assert!(again.replayed(), "{again}");
    assert_eq!(again.bytes, made.bytes);
    assert_eq!(shop.records(), before, "one effect");
}

fn scopes_are_catalogued(database: Database) {
    let shop = company(database);
    let scopes = shop.get("api-clients/scopes").is(200);
    let read = scopes.items().iter().find(|scope| scope["code"] == "catalog.read").expect("catalog.read");
    assert_eq!(read["module"], "catalog");
    assert!(read["operations"].as_array().is_some_and(|all| all.contains(&json!("apiGetContext"))), "{read}");
    let keyed = shop.machine(&["catalog.read"]);
    let answer = shop.host.get_with(&format!("/v1/tenants/{}/api-clients/scopes", shop.tenant), &keyed.key);
    answer.refused(403, "WRONG_IDENTITY_FAMILY");
}

fn scopes_that_a_client_gained_and_lost_are_reported_by_the_audit(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read", "pricing.read"]);
    let body = json!({ "scopes": ["pricing.read", "pricing.write"] });
    shop.put(&format!("api-clients/{}/scopes", machine.client), body).is(200);
    set_status(&shop, &machine, "SUSPENDED").is(200);
    let entries = shop.all("audit", &[("resourceId", &machine.client), ("result", "SUCCESS")]);
    let reported: Vec<(&Json, &Json)> =
        entries.iter().rev().map(|entry| (&entry["operation"], &entry["metadata"]["detail"])).collect();
    let expected = [
        (json!("createApiClient"), json!({ "gained": ["catalog.read", "pricing.read"] })),
        (json!("replaceApiClientScopes"), json!({ "gained": ["pricing.write"], "lost": ["catalog.read"] })),
        (json!("setApiClientStatus"), json!({ "status": "SUSPENDED" })),
    ];
    assert_eq!(reported, expected.each_ref().map(|(operation, detail)| (operation, detail)));
}
