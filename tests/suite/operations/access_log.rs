//! The access log: one line for a request, by the setting.

use std::time::Duration;

use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Database, Stoa, eventually, on_both_databases, on_one_database};

on_both_databases![each_request_has_a_line_with_its_id];
on_one_database![a_line_has_nothing_that_a_caller_wrote, slow_requests_alone_have_a_line, no_request_has_a_line];

fn start(database: Database, requests: &str, slow: &str) -> Stoa {
    let settings = Settings::default().set("STOA_ACCESS_LOG", requests).set("STOA_SLOW_REQUEST", slow);
    Stoa::start_with(database, settings.set("STOA_LOG_FORMAT", "json"))
}

/// The lines of the access log. Every line of the log is an object.
fn list_lines(host: &Stoa) -> Vec<Json> {
    let log = host.log();
    let whole = log.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = whole.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no object: {line}")));
    lines.filter(|line: &Json| line["target"] == "stoa::access").collect()
}

/// The line of the request that was answered so.
fn find_line(host: &Stoa, answer: &Answer) -> Json {
    let id = answer.header("x-request-id").expect("a request id");
    eventually(|| list_lines(host).into_iter().find(|line| line["request"] == id))
}

fn each_request_has_a_line_with_its_id(database: Database) {
    let host = start(database, "all", "1h");
    let shop = host.company();
    let line = find_line(&host, &shop.get("catalog/lookups/brands").is(200));
    let contract = host.contract();
    let route = "/tenants/{tenantId}/catalog/lookups/{kind}";
    let expected = json!({
        "level": "INFO", "message": "answered", "method": "GET", "status": 200, "module": "catalog", "route": route,
        "operation": contract.document["paths"][route]["get"]["operationId"], "company": shop.tenant,
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&line[name], value, "{line}");
    }
    assert!(line["ms"].as_f64().is_some_and(|ms| ms > 0.0 && ms < 60_000.0), "{line}");
    assert!(line["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
    // One of the host's own, and one of a caller who may not know the company.
    let line = find_line(&host, &shop.get("context").is(200));
    assert_eq!((line["module"].is_null(), &line["company"]), (true, &json!(shop.tenant)));
    let stranger = shop.as_user("stranger@example.test").get("context");
    let line = find_line(&host, &stranger.refused(403, "MEMBERSHIP_REQUIRED"));
    assert_eq!((line["status"].as_u64(), line["company"].is_null()), (Some(403), true));
}

fn a_line_has_nothing_that_a_caller_wrote(database: Database) {
    let host = start(database, "all", "1h");
    let shop = host.company();
    let list = shop.request("GET", "catalog/lookups/brands").query(&[("wordOfQuery", "1")]);
    find_line(&host, &list.header("user-agent", "wordOfHeader").unchecked().send());
    find_line(&host, &shop.post("catalog/lookups/brands", json!({ "name": "wordOfBody", "code": "wordOfCode" })));
    let none = host.request("BREW", "/v1/wordOfPath").token(&shop.token).unchecked().send();
    let line = find_line(&host, &none);
    assert_eq!((&line["method"], line["operation"].is_null()), (&json!("other"), true));
    let log = host.log();
    for word in ["wordOfQuery", "wordOfHeader", "wordOfBody", "wordOfCode", "wordOfPath", "BREW", &shop.token] {
        assert!(!log.contains(word), "{word}");
    }
}

fn slow_requests_alone_have_a_line(database: Database) {
    let host = start(database, "slow", "0s");
    let line = find_line(&host, &host.company().get("context").is(200));
    assert_eq!((&line["level"], &line["message"]), (&json!("WARN"), &json!("a slow request")));
    let host = start(database, "slow", "1h");
    host.company().get("context").is(200);
    assert_eq!(count_lines_of_ended(&host), 0);
}

fn no_request_has_a_line(database: Database) {
    let host = start(database, "off", "0s");
    host.company().get("context").is(200);
    assert_eq!(count_lines_of_ended(&host), 0);
}

/// How many lines a host has written once it has ended: none is on its way any more.
fn count_lines_of_ended(host: &Stoa) -> usize {
    assert_eq!(host.terminate(Duration::from_secs(30)), Some(0));
    assert!(host.log().contains("stopped"), "{}", host.log());
    list_lines(host).len()
}
