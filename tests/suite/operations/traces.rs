//! The trace of a request, as a collector receives it.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::collector::{Collector, TraceSpan};
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::receiver::{Receiver, Temper};
use stoa_tests::selling::Counter;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, modules, on_both_databases, on_one_database};

on_both_databases![an_order_of_ten_lines_is_traced_whole, webhooks_carry_the_parent];
on_one_database![
    a_parent_is_continued,
    unsampled_requests_send_nothing,
    a_refusal_is_traced_by_its_code,
    a_dead_collector_holds_up_nobody,
    the_line_of_a_problem_names_the_trace,
];

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";
const PROXY: &str = "127.0.0.1";

fn settings(collector: &Collector, ratio: f64) -> Settings {
    Settings::default().set("STOA_OTLP_ENDPOINT", collector.endpoint()).set("STOA_TRACE_RATIO", ratio)
}

/// A parent with these flags.
fn parent(flags: &str) -> String {
    format!("00-{TRACE}-{SPAN}-{flags}")
}

/// A brand that is made by a request with this parent.
#[track_caller]
fn make_brand(shop: &Company, parent: Option<&str>) -> Answer {
    let code = fresh("B");
    let request = shop.request("POST", "catalog/lookups/brands").json(&json!({ "name": code, "code": code }));
    parent.into_iter().fold(request, |request, parent| request.header("traceparent", parent)).send().is(201)
}

fn names<'a>(trace: &'a [TraceSpan], beginning: &str) -> Vec<&'a str> {
    trace.iter().map(|span| span.name.as_str()).filter(|name| name.starts_with(beginning)).collect()
}

/// The steps of the request, modules with their versions, and calls to the database; never a value.
fn an_order_of_ten_lines_is_traced_whole(database: Database) {
    const AMOUNT: &str = "7913.55";
    let collector = Collector::start();
    let host = Stoa::start_with(database, settings(&collector, 1.0));
    let shop = host.company_with(json!({ "keepsBooks": true }));
    let counter = Counter::new(shop.clone());
    let variants: Vec<String> = (0..20).map(|_| counter.good(AMOUNT, "0")).collect();
    let draft = |lines: usize| {
        let line = |variant: &String| json!({ "variantId": variant, "quantity": "3" });
        counter.try_draft(variants[..lines].iter().map(line).collect::<Json>()).is(201)
    };
    let answer = draft(10);
    let order = answer.id();
    counter.read(&order);
    let trace = collector.await_trace(&answer);

    let request = &trace[0];
    assert_eq!(request.name, "POST /v1/tenants/{tenantId}/sales/orders");
    let request_id = answer.header("x-request-id").expect("an id");
    for (attribute, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/v1/tenants/{tenantId}/sales/orders"),
        ("http.response.status_code", "201"),
        ("stoa.company", shop.tenant.as_str()),
        ("stoa.request", request_id),
    ] {
        assert_eq!(request.attribute(attribute), value, "{attribute}");
    }
    assert_eq!((request.trace.as_str(), request.parent.as_str()), (request_id.replace('-', "").as_str(), ""));
    let steps = trace.iter().filter(|span| span.parent == request.id).map(|span| span.name.as_str());
    let steps: Vec<&str> = steps.collect();
    assert_eq!(steps, ["admit", "read", "wait", "open", "run sales", "commit", "answer"]);

    for span in &trace[1..] {
        let around = trace.iter().find(|around| around.id == span.parent).expect("the span around it");
        assert!(around.start <= span.start && span.start <= span.end && span.end <= around.end, "{span:?} {around:?}");
        assert_eq!(span.trace, request.trace);
    }
    let console = host.console();
    let with_module = trace.iter().filter(|span| span.name.starts_with("run ") || span.name.starts_with("call "));
    let mut called = BTreeSet::new();
    for span in with_module {
        let module = span.attribute("stoa.module");
        assert_eq!(Some(span.attribute("stoa.module.version").to_string()), console.version(module), "{span:?}");
        called.insert(module);
    }
    assert!(["catalog", "inventory", "pricing", "sales"].iter().all(|module| called.contains(module)), "{called:?}");
    assert!(!names(&trace, "call commerce:catalog/articles#").is_empty(), "{:?}", names(&trace, "call "));

    let stores: Vec<_> = trace.iter().filter(|span| span.name == "store").collect();
    let system = if database == Database::Sqlite { "sqlite" } else { "postgresql" };
    for span in &stores {
        let is_reported =
            !span.attribute("stoa.statements").is_empty() && !span.attribute("stoa.statements").contains('?');
        assert!(is_reported && span.attribute("db.system.name") == system, "{span:?}");
        let round_trips = span.attribute("stoa.round_trips").parse::<u32>();
        assert_eq!(round_trips.is_ok(), database == Database::Postgres, "{span:?}");
    }
    let inserts = stores.iter().any(|span| span.attribute("stoa.statements").contains("insert "));
    assert!(inserts, "{stores:?}");
    // The calls to the database do not grow with the lines.
    let twice = collector.await_trace(&draft(20));
    assert_eq!(names(&twice, "store"), names(&trace, "store"));

    let posted = collector.text();
    let values = [AMOUNT, "Acme", &counter.customer, &counter.list, &order, &shop.token];
    for value in values.into_iter().chain(variants.iter().map(String::as_str)) {
        assert!(!posted.contains(value), "{value:?} was posted");
    }
}

fn webhooks_carry_the_parent(database: Database) {
    let collector = Collector::start();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let receiver = Receiver::on(listener, |_, _| Temper::Status(200));
    let settings = settings(&collector, 0.0).set("STOA_TRUSTED_PROXIES", PROXY);
    let host = Stoa::start_with(database, settings.set("STOA_WEBHOOK_DEV_TARGETS", receiver.address));
    let shop = host.company();
    let kinds = json!(["catalog.lookup.created"]);
    let hook = json!({ "name": "Hook", "url": receiver.url(), "status": "ACTIVE", "subscriptions": kinds });
    shop.post("webhooks", hook).is(201);
    let header_of = |answer: &Answer| {
        let request = answer.header("x-request-id").expect("an id").to_string();
        let received = || receiver.list_received().into_iter().find(|sent| sent.header("x-request-id") == request);
        eventually(received).headers.get("traceparent").cloned()
    };

    let traced = make_brand(&shop, Some(&parent("01")));
    let root = collector.await_trace(&traced).remove(0);
    assert_eq!(header_of(&traced), Some(format!("00-{TRACE}-{}-01", root.id)));
    assert_ne!(root.id, SPAN);
    assert_eq!(header_of(&make_brand(&shop, Some(&parent("00")))), Some(parent("00")));
    assert_eq!(header_of(&make_brand(&shop, None)), None);
}

fn a_parent_is_continued(database: Database) {
    let collector = Collector::start();
    let shop = Stoa::start_with(database, settings(&collector, 1.0)).company();
    // The sampled flag counts from a proxy only, the trace id from every caller.
    for flags in ["01", "00"] {
        let root = collector.await_trace(&make_brand(&shop, Some(&parent(flags)))).remove(0);
        assert_eq!((root.trace.as_str(), root.parent.as_str()), (TRACE, SPAN), "{flags}");
    }
    for malformed in [format!("00-{TRACE}-{SPAN}"), "00-0-0-01".into(), "x".repeat(4_000)] {
        let answer = make_brand(&shop, Some(&malformed));
        let root = collector.await_trace(&answer).remove(0);
        let request_id = answer.header("x-request-id").expect("an id").replace('-', "");
        assert_eq!((root.trace, root.parent), (request_id, String::new()), "{malformed}");
    }
}

/// A host that stops has sent every queued trace, so that a trace that is absent then was never recorded.
fn unsampled_requests_send_nothing(database: Database) {
    let collector = Collector::start();
    let host = Stoa::start_with(database, settings(&collector, 0.0));
    // A stranger's word.
    make_brand(&host.company(), Some(&parent("01")));
    assert_eq!(host.terminate(Duration::from_secs(30)), Some(0));
    assert_eq!(collector.count_posts(), 0);

    let host = Stoa::start_with(database, settings(&collector, 1.0).set("STOA_TRUSTED_PROXIES", PROXY));
    let shop = host.company();
    let traced = [make_brand(&shop, Some(&parent("01"))), make_brand(&shop, None)];
    let untraced = make_brand(&shop, Some(&parent("00")));
    // No operation has this path.
    host.request("GET", "/v1/nowhere").send().refused(404, "NOT_FOUND");
    assert_eq!(host.terminate(Duration::from_secs(30)), Some(0));
    let traces = collector.traces();
    let is_sent = |answer: &Answer| {
        let request = answer.header("x-request-id").unwrap_or_default();
        traces.iter().any(|trace| trace[0].attribute("stoa.request") == request)
    };
    assert_eq!((traced.each_ref().map(is_sent), is_sent(&untraced)), ([true, true], false));
    assert!(traces.iter().all(|trace| !trace[0].name.is_empty()), "{traces:?}");
}

fn a_refusal_is_traced_by_its_code(database: Database) {
    let collector = Collector::start();
    let host = Stoa::start_with(database, settings(&collector, 1.0));
    let (shop, other) = (host.company_of("one@example.test"), host.company_of("other@example.test"));
    let stranger = Company { token: shop.token.clone(), ..other.clone() };
    let answer = stranger.get("catalog/products").refused(403, "MEMBERSHIP_REQUIRED");
    let root = collector.await_trace(&answer).remove(0);
    let expected = ("MEMBERSHIP_REQUIRED", "403");
    assert_eq!((root.attribute("stoa.problem"), root.attribute("http.response.status_code")), expected);
    assert!(!root.attributes.contains_key("stoa.company"), "a stranger's company: {root:?}");
}

/// A collector that takes a connection and says nothing.
fn a_dead_collector_holds_up_nobody(database: Database) {
    let collector = Collector::of_temper(Temper::Stall);
    let host = Stoa::start_with(database, settings(&collector, 1.0));
    let shop = host.company();
    let begin = Instant::now();
    for _ in 0..20 {
        shop.get("catalog/products").is(200);
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let is_counted = || host.metrics().contains("stoa_traces_dropped_total{reason=\"collector\"}").then_some(());
    eventually(is_counted);
    shop.get("catalog/products").is(200);
    assert_eq!(host.terminate(Duration::from_secs(15)), Some(0));
}

fn the_line_of_a_problem_names_the_trace(database: Database) {
    let folder = modules::with(&[("hostile.wasm", &modules::guest("hostile"))]);
    let host = Stoa::start_with(database, Settings::default().modules_in(folder));
    let request = host.company().request("POST", "hostile/allocate").json(&json!({ "text": "" }));
    let answer = request.header("traceparent", &parent("00")).send().refused(500, "MODULE_FAILED");
    let line = eventually(|| {
        let log = host.log();
        log.lines().find(|line| line.contains("a module failed")).map(str::to_string)
    });
    let request = answer.header("x-request-id").expect("an id");
    assert!(line.contains(&format!("request={request} trace={TRACE}")), "{line}");
}
