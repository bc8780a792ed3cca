//! Limits: who is let in how often, what the headers state, what is counted and what survives.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::{
    Answer, Company, Database, Machine, Stoa, at_once, company, eventually, in_one_window, on_both_databases,
};

on_both_databases![
    every_authenticated_answer_carries_the_limits,
    p15_exactly_as_many_as_the_limit,
    the_company_limits_all_its_clients_together,
    users_are_limited_by_company,
    a_stranger_is_limited_wherever_he_asks,
    the_month_is_limited,
    what_the_minute_refuses_costs_nothing_of_the_month,
    p6_a_replay_after_the_entitlement_was_withdrawn,
    b29_a_replay_gives_its_unit_back,
    counters_survive_a_restart_and_a_crash,
    refusals_come_in_their_order,
    admissions_are_audited_and_counted,
    denials_leave_an_entry_and_change_nothing,
];

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default()
}

fn number(answer: &Answer, header: &str) -> u64 {
    answer.header(header).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {header}: {answer}"))
}

fn limited(shop: &Company, per_minute: u64, quota: u64) -> Machine {
    shop.entitle();
    let members = json!({ "scopes": ["catalog.read"], "requestsPerMinute": per_minute, "monthlyQuota": quota });
    shop.machine_of(members)
}

fn every_authenticated_answer_carries_the_limits(database: Database) {
    let shop = company(database);
    let machine = limited(&shop, 7, 100);
    let two = in_one_window(|| {
        let machine = limited(&shop, 7, 100);
        (0..2).map(|_| machine.get("context").is(200)).collect()
    });
    for (answer, expected) in two.iter().zip([6, 5]) {
        assert_eq!(number(answer, "x-ratelimit-limit"), 7);
        assert_eq!(number(answer, "x-ratelimit-remaining"), expected);
        let reset = number(answer, "x-ratelimit-reset");
        assert!(reset.is_multiple_of(60) && reset > seconds() - 2 && reset <= seconds() + 61, "{reset}");
    }
    let refused = [
        machine.request("GET", "context").query(&[("no", "1")]).send().refused(400, "UNKNOWN_QUERY_PARAMETER"),
        shop.get("catalog/products/not-a-uuid").refused(400, "VALIDATION_FAILED"),
        shop.as_user("stranger@example.test").get("context").refused(403, "MEMBERSHIP_REQUIRED"),
        shop.post("api-clients", json!({})).refused(400, "VALIDATION_FAILED"),
    ];
    for answer in refused.into_iter().chain([shop.get("context").is(200)]) {
        for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
            number(&answer, header);
        }
    }
    let anonymous = shop.host.request("GET", "/v1/auth/me").anonymous().send().refused(401, "UNAUTHENTICATED");
    assert_eq!(anonymous.header("x-ratelimit-limit"), None);
}

fn p15_exactly_as_many_as_the_limit(database: Database) {
    let shop = company(database);
    for limit in [1, 40, 97] {
        let answers = in_one_window(|| {
            let machine = limited(&shop, limit, 1_000_000);
            at_once(32, |_| (0..6).map(|_| machine.get("context")).collect::<Vec<_>>()).concat_all()
        });
        let admitted = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(admitted as u64, limit);
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            let answer = answer.refused(429, "RATE_LIMITED");
            assert_eq!(number(&answer, "x-ratelimit-remaining"), 0);
            let (wait, reset) = (number(&answer, "retry-after"), number(&answer, "x-ratelimit-reset"));
            assert!((1..=60).contains(&wait) && seconds() + wait + 1 >= reset, "{wait} s until {reset}");
        }
    }
}

trait ConcatAll<T> {
    fn concat_all(self) -> Vec<T>;
}

impl<T> ConcatAll<T> for Vec<Vec<T>> {
    fn concat_all(self) -> Vec<T> {
        self.into_iter().flatten().collect()
    }
}

fn the_company_limits_all_its_clients_together(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_TENANT_REQUESTS_PER_MINUTE", 25));
    let answers = in_one_window(|| {
        let shop = host.company();
        let machines: Vec<Machine> = (0..3).map(|_| limited(&shop, 600, 1_000_000)).collect();
        at_once(12, |index| (0..4).map(|_| machines[index % 3].get("context")).collect::<Vec<_>>()).concat_all()
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 25);
    let first = &answers[0];
    assert_eq!(number(first, "x-ratelimit-limit"), 25, "the effective one");
    // Another company has its own.
    limited(&host.company(), 600, 10).get("context").is(200);
}

fn users_are_limited_by_company(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_USER_REQUESTS_PER_MINUTE", 20));
    let other = host.company();
    let answers = in_one_window(|| {
        let one = host.company();
        at_once(8, |_| (0..4).map(|_| one.get("context")).collect::<Vec<_>>()).concat_all()
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 20);
    let refused = answers.into_iter().find(|answer| answer.status != 200).expect("a refusal");
    let refused = refused.refused(429, "RATE_LIMITED");
    assert_eq!((number(&refused, "x-ratelimit-limit"), number(&refused, "x-ratelimit-remaining")), (20, 0));
    other.get("context").is(200);
}

fn a_stranger_is_limited_wherever_he_asks(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_USER_REQUESTS_PER_MINUTE", 10));
    let answers = in_one_window(|| {
        let token = host.token(&format!("{}@example.test", fresh("stranger")));
        (0..14).map(|_| host.get_with(&format!("/v1/tenants/{}/context", uuid::Uuid::now_v7()), &token)).collect()
    });
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 403).count(), 10, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 4, "{statuses:?}");
}

fn the_month_is_limited(database: Database) {
    let shop = company(database);
    let machine = limited(&shop, 600, 12);
    let answers = at_once(6, |_| (0..3).map(|_| machine.get("context")).collect::<Vec<_>>()).concat_all();
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 12);
    let refused = machine.get("context").refused(429, "QUOTA_EXCEEDED");
    let wait = number(&refused, "retry-after");
    assert!((1..=31 * 24 * 3600).contains(&wait), "{wait}");
}

fn what_the_minute_refuses_costs_nothing_of_the_month(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let answers = in_one_window(|| {
        let slow = limited(&shop, 2, 100);
        (0..6).map(|_| slow.get("context")).collect()
    });
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 2);
    let slow = limited(&shop, 2, 100);
    let admitted = (0..6).filter(|_| slow.get("context").status == 200).count() as u64;
    // The minute passes: the host gives back what it had in hand, and its window is of a minute ago.
    assert_eq!(host.terminate(Duration::from_secs(40)), Some(0));
    let past = match database {
        Database::Sqlite => "window_start - 60000",
        Database::Postgres => "window_start - interval '1 minute'",
    };
    shop.change(&format!("update stoa_permit set window_start = {past} where {{tenant}} and scope = 'MINUTE'"));
    host.restart();
    assert_eq!(slow.get("context").is(200)["monthlyQuota"]["used"], admitted + 1);
}

/// The host checks a company's right to use keys before it returns a replay of its keys.
fn p6_a_replay_after_the_entitlement_was_withdrawn(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read", "catalog.write"]);
    let key = uuid::Uuid::new_v4().to_string();
    let body = json!({ "name": "B", "code": "B" });
    let create = || machine.request("POST", "catalog/lookups/brands").key(&key).json(&body).send();
    let made = create().is(201);
    let withdraw = || shop.change("update stoa_tenant set entitlements = '[]' where {id}");
    withdraw();
    let before = shop.records();
    for _ in 0..3 {
        let refused = create().refused(429, "PUBLIC_API_DISABLED");
        assert_eq!(number(&refused, "retry-after"), 3600);
    }
    assert_eq!(shop.records(), before);
    // Given back: the same answer.
    shop.entitle();
    let again = create().is(201);
    assert!(again.replayed(), "{again}");
    assert_eq!(again.bytes, made.bytes);
    withdraw();
    // A key that never was let in receives the same.
    shop.machine_for(&machine.client).get("context").refused(429, "PUBLIC_API_DISABLED");
    shop.entitle();
    assert_eq!(machine.get("context").is(200)["monthlyQuota"]["used"], 2, "refusals cost no quota");
}

fn b29_a_replay_gives_its_unit_back(database: Database) {
    let shop = company(database);
    let answers = in_one_window(|| {
        let machine = shop.machine(&["catalog.read", "catalog.write"]);
        let (key, body) = (uuid::Uuid::now_v7().to_string(), json!({ "name": "B", "code": fresh("B") }));
        let create = || machine.request("POST", "catalog/lookups/brands").key(&key).json(&body).send().is(201);
        let context = || machine.get("context").is(200);
        vec![create(), context(), create(), context()]
    });
    let remaining = |nth: usize| number(&answers[nth], "x-ratelimit-remaining");
    assert!(answers[2].replayed());
    assert_eq!(answers[3]["monthlyQuota"]["used"], 3, "the replay counts for nothing");
    assert_eq!(remaining(3), remaining(1) - 2, "but to the minute");
}

fn counters_survive_a_restart_and_a_crash(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let machine = limited(&shop, 50, 1000);
    let used = || machine.get("context").is(200)["monthlyQuota"]["used"].as_u64().unwrap_or_default();
    for expected in 1..=7 {
        assert_eq!(used(), expected);
    }
    // Permits that a host still holds go back as it stops in order; after a crash they count as used.
    assert_eq!(host.terminate(Duration::from_secs(40)), Some(0));
    host.restart();
    assert_eq!(used(), 8);
    host.kill9();
    host.restart();
    let after = used();
    assert!((9..=8 + 5 + 1).contains(&after), "{after}");
    let rows = shop.rows("select used from stoa_permit where {tenant} and scope = 'MONTH'");
    assert!(rows[0][0].parse::<u64>().is_ok_and(|leased| leased >= after), "{rows:?}");
}

fn refusals_come_in_their_order(database: Database) {
    let shop = company(database);
    let exhausted = limited(&shop, 600, 1);
    exhausted.get("context").is(200);
    let big = "x".repeat((1 << 20) + 1);
    let post = |machine: &Machine| machine.request("POST", "catalog/lookups/brands").bytes(big.clone()).send();
    // 429 before 413, 413 before the scope, the scope before the body's faults.
    post(&exhausted).refused(429, "QUOTA_EXCEEDED");
    let machine = shop.machine(&["catalog.read"]);
    post(&machine).refused(413, "PAYLOAD_TOO_LARGE");
    machine.request("POST", "catalog/lookups/brands").bytes("{").send().refused(403, "SCOPE_DENIED");
    // The entitlement before the quota; an invalid key before everything.
    shop.change("update stoa_tenant set entitlements = '[]' where {id}");
    exhausted.get("context").refused(429, "PUBLIC_API_DISABLED");
    post(&machine).refused(429, "PUBLIC_API_DISABLED");
    for machine in [&exhausted, &machine] {
        shop.post(&format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id), json!({})).is(201);
        post(machine).refused(401, "UNAUTHENTICATED");
        machine.get("context").refused(401, "UNAUTHENTICATED");
    }
}

fn admissions_are_audited_and_counted(database: Database) {
    let shop = company(database);
    let machine = limited(&shop, 600, 3);
    let answers: Vec<Answer> = (0..5).map(|_| machine.get("context")).collect();
    machine.request("GET", "context").query(&[("no", "1")]).send();
    let ids: BTreeMap<String, u16> = answers
        .iter()
        .map(|answer| (answer.header("x-request-id").unwrap_or_default().to_string(), answer.status))
        .collect();
    let entries = eventually(|| {
        let query = "select request_id, metadata, resource_id, operation, actor_type from stoa_audit
            where {tenant} and resource_type = 'API_REQUEST' order by id";
        Some(shop.rows(query)).filter(|rows| rows.len() == 6)
    });
    for row in entries.iter().filter(|row| ids.contains_key(&row[0])) {
        let metadata: Json = serde_json::from_str(&row[1]).expect("metadata");
        let admitted = ids[&row[0]] == 200;
        assert_eq!(metadata["result"], if admitted { "ADMITTED" } else { "DENIED" });
        assert_eq!(metadata["responseCode"], ids[&row[0]]);
        assert_eq!(metadata["reason"].as_str(), (!admitted).then_some("QUOTA_EXCEEDED"));
        assert_eq!(metadata["keyId"], machine.key_id.as_str());
        assert_eq!(
            (row[2].as_str(), row[3].as_str(), row[4].as_str()),
            (machine.client.as_str(), "apiGetContext", "API_CLIENT")
        );
    }
    let usage = shop.get(&format!("api-clients/{}/usage", machine.client)).is(200);
    assert_eq!(usage.items().len(), 1);
    assert_eq!(usage.items()[0]["admitted"], 3);
    assert_eq!(usage.items()[0]["denied"]["QUOTA_EXCEEDED"], 3);
    assert_eq!(usage.items()[0]["denied"]["RATE_LIMITED"], 0);
    let path = format!("api-clients/{}/usage", machine.client);
    assert!(shop.list(&path, &[("from", "2020-01-01"), ("to", "2020-01-31")]).is(200).items().is_empty());
    let reversed = shop.list(&path, &[("from", "2020-02-01"), ("to", "2020-01-31")]);
    reversed.refused(400, "VALIDATION_FAILED").fault("/query/from", "RANGE");
    shop.list(&path, &[("from", "2020-02-30")]).refused(400, "VALIDATION_FAILED").fault("/query/from", "FORMAT");
}

fn denials_leave_an_entry_and_change_nothing(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["catalog.read"]);
    let before = shop.records();
    let denied = machine.post("catalog/lookups/brands", json!({ "name": "B", "code": "B" }));
    let denied = denied.refused(403, "SCOPE_DENIED");
    let request = shop.literal(denied.header("x-request-id").unwrap_or_default());
    let entries = || {
        let query = format!(
            "select resource_type, operation, metadata from stoa_audit where {{tenant}} and request_id = {request} \
             order by resource_type"
        );
        shop.rows(&query)
    };
    let entries = eventually(|| Some(entries()).filter(|rows| rows.len() == 2));
    let reported: Vec<(&str, &str, Json)> = entries
        .iter()
        .map(|row| {
            let metadata: Json = serde_json::from_str(&row[2]).expect("metadata");
            (row[0].as_str(), row[1].as_str(), metadata["result"].clone())
        })
        .collect();
    assert_eq!(
        reported,
        [("API_REQUEST", "apiCreateLookup", json!("ADMITTED")), ("CATALOG_LOOKUP", "apiCreateLookup", json!("DENIED"))]
    );
    assert_eq!(shop.records(), before);
    let actor = shop.literal(&machine.client);
    assert_eq!(shop.count("stoa_idempotency", &format!("actor_id = {actor}")), 0, "the key is free");
}
