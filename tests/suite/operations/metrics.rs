//! The metrics that an operator reads.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use stoa_tests::host::Settings;
use stoa_tests::receiver::{self, Temper};
use stoa_tests::{Database, Receiver, Stoa, company, eventually_within, on_both_databases, tests};

on_both_databases![
    every_series_has_its_help_and_no_series_is_a_summary,
    requests_are_counted_by_operation_and_by_nothing_that_a_caller_writes,
    gauges_show_the_database_the_process_and_the_build,
    a_limit_that_rejects_is_counted,
    deliveries_that_no_relay_takes_are_shown,
];
tests![events_that_are_not_yet_deliveries_are_shown];

/// The gauges are read every ten seconds.
const TWO_LOOKS: Duration = Duration::from_secs(40);

/// The value of the series of this name whose labels hold each of these texts.
fn find(metrics: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let is_of_name = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
    let mut lines = metrics.lines().filter(is_of_name);
    let line = lines.find(|line| labels.iter().all(|label| line.contains(label)))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Waits until a series has a value that is accepted.
fn await_value(host: &Stoa, name: &str, labels: &[&str], accept: impl Fn(f64) -> bool) {
    eventually_within(TWO_LOOKS, || find(&host.metrics(), name, labels).filter(|value| accept(*value)));
}

fn every_series_has_its_help_and_no_series_is_a_summary(database: Database) {
    let shop = company(database);
    shop.get("context").is(200);
    await_value(&shop.host, "stoa_ready", &[], |ready| ready == 1.0);
    let metrics = shop.host.metrics();
    let described = |word: &str| -> BTreeSet<String> {
        let lines = metrics.lines().filter_map(|line| line.strip_prefix(&format!("# {word} "))).map(str::to_owned);
        lines.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    let (helps, types) = (described("HELP"), described("TYPE"));
    assert_eq!(helps, types);
    assert!(helps.len() > 30, "{helps:?}");
    assert!(!metrics.contains(" summary\n"), "summaries of several hosts do not add up");
    let series = metrics.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in series {
        let name = line.split([' ', '{']).next().unwrap_or_default();
        let parts = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
        assert!(helps.contains(name) || parts.is_some_and(|name| helps.contains(name)), "{line}");
    }
}

fn requests_are_counted_by_operation_and_by_nothing_that_a_caller_writes(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let contract = host.contract();
    let path = &contract.document["paths"]["/tenants/{tenantId}/catalog/lookups/{kind}"];
    let operation = format!("operation=\"{}\"", path["get"]["operationId"].as_str().expect("an operation"));
    let operation = operation.as_str();
    for _ in 0..3 {
        shop.get("catalog/lookups/brands").is(200);
    }
    shop.list("catalog/lookups/brands", &[("limit", "0")]).is(400);
    host.request("GET", "/v1/INVENTED-WORD").anonymous().unchecked().send().refused(404, "NOT_FOUND");
    let metrics = host.metrics();
    let labels = [operation, "module=\"catalog\"", "status=\"2xx\""];
    assert_eq!(find(&metrics, "stoa_request_seconds_count", &labels), Some(3.0));
    let last = [operation, "module=\"catalog\"", "status=\"2xx\"", "le=\"+Inf\""];
    assert_eq!(find(&metrics, "stoa_request_seconds_bucket", &last), Some(3.0));
    assert!(find(&metrics, "stoa_request_seconds_bucket", &[operation, "le=\"0.25\""]).is_some());
    assert_eq!(find(&metrics, "stoa_requests_total", &[operation, "status=\"400\""]), Some(1.0));
    assert_eq!(find(&metrics, "stoa_requests_total", &["operation=\"none\"", "status=\"404\""]), Some(1.0));
    assert!(find(&metrics, "stoa_requests_total", &["operation=\"public\"", "status=\"200\""]).is_some());
    for invented in ["INVENTED-WORD", &shop.tenant] {
        assert!(!metrics.contains(invented), "{invented}");
    }
}

fn gauges_show_the_database_the_process_and_the_build(database: Database) {
    let host = company(database).host;
    for name in ["stoa_ready", "stoa_database_up", "stoa_database_has_room", "stoa_build_info"] {
        await_value(&host, name, &[], |value| value == 1.0);
    }
    await_value(&host, "stoa_background_task_late", &["task=\"webhooks\""], |late| late == 0.0);
    let metrics = host.metrics();
    let kind = match database {
        Database::Sqlite => "kind=\"reader\"",
        Database::Postgres => "kind=\"connection\"",
    };
    assert!(find(&metrics, "stoa_database_slots", &[kind, "state=\"limit\""]).is_some_and(|limit| limit >= 1.0));
    assert_eq!(find(&metrics, "stoa_sqlite_wal_bytes", &[]).is_some(), database == Database::Sqlite);
    assert!(find(&metrics, "stoa_database_wait_seconds_count", &[]).is_some_and(|count| count > 0.0));
    assert!(find(&metrics, "stoa_connections", &["state=\"limit\""]).is_some_and(|limit| limit >= 1.0));
    assert_eq!(find(&metrics, "stoa_audit_lost_total", &[]), Some(0.0), "a first loss is an increase");
    if cfg!(target_os = "linux") {
        assert!(find(&metrics, "stoa_process_resident_bytes", &[]).is_some_and(|bytes| bytes > 1e6));
        assert!(find(&metrics, "stoa_process_open_fds", &[]).is_some_and(|count| count > 3.0));
    }
}

fn a_limit_that_rejects_is_counted(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    shop.entitle();
    let machine = shop.machine_of(json!({ "scopes": ["catalog.read"], "requestsPerMinute": 2 }));
    // A minute may end between two requests.
    let rejected = (0..6).filter(|_| machine.get("context").status == 429).count();
    assert!(rejected > 0);
    let counted = find(&host.metrics(), "stoa_rate_limited_total", &["limit=\"minute\""]);
    assert_eq!(counted, u32::try_from(rejected).ok().map(f64::from));
}

/// One company has few lanes at work. Those behind them wait as long as the receiver stalls.
fn deliveries_that_no_relay_takes_are_shown(database: Database) {
    let slow = Receiver::start(|_, _| Temper::Stall);
    let targets: Vec<String> = receiver::list_addresses().iter().map(ToString::to_string).collect();
    let settings = Settings::default().set("STOA_WEBHOOK_DEV_TARGETS", targets.join(","));
    let host = Stoa::start_with(database, settings);
    let shop = host.company();
    for _ in 0..30 {
        let webhook = json!({ "name": "Hook", "url": slow.url(), "status": "ACTIVE", "subscriptions": ["catalog.lookup.created"] });
        shop.post("webhooks", webhook).is(201);
    }
    shop.brand("B");
    await_value(&host, "stoa_webhook_lanes_due", &[], |lanes| lanes >= 1.0);
    await_value(&host, "stoa_webhook_oldest_due_seconds", &[], |seconds| seconds > 0.0);
}

/// A transaction of the company that is under way holds its later events back. A thousand companies without news come first.
fn events_that_are_not_yet_deliveries_are_shown() {
    let host = Stoa::start(Database::Postgres);
    let shop = host.company();
    let webhook = json!({
        "name": "Hook", "url": "https://hooks.example.com/stoa", "status": "ACTIVE",
        "subscriptions": ["catalog.lookup.created"],
    });
    shop.post("webhooks", webhook).is(201);
    shop.change(
        "insert into stoa_webhook_cursor (tenant_id, last_event)
         select lpad(n::text, 32, '0')::uuid, repeat('f', 32)::uuid from generate_series(1, 1000) n",
    );
    let held = shop.hold_watermark();
    shop.brand("B");
    await_value(&host, "stoa_outbox_companies_behind", &[], |companies| companies == 1.0);
    await_value(&host, "stoa_outbox_oldest_seconds", &[], |seconds| seconds > 0.0);
    drop(held);
    await_value(&host, "stoa_outbox_companies_behind", &[], |companies| companies == 0.0);
}
