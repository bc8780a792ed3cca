//! A receiver that does everything a receiver can do, by seed, next to one that is well: each event is delivered, or
//! was tried five times; the one that is well waits for nothing; memory stays flat. [F13]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, product, with};
use stoa_tests::receiver::Temper;
use stoa_tests::{Company, Database, Receiver, Stoa, at_once, eventually, eventually_within, on_both_databases};

use super::{MADE, attempts, await_end, brand, endpoint, get, settings};

on_both_databases![
    f13_a_flapping_receiver_holds_up_nobody,
    a_slow_endpoint_delays_no_other,
    informational_answers_without_end_are_no_answer,
];

on_both_databases![timed: lanes_are_left_for_companies_that_have_none, a_lane_is_left_after_one_wave_while_others_wait];

const EVENTS: usize = 120;
/// Lanes of a host, and those of one company (`host/src/events/relay.rs`).
const LANES: usize = 64;
const LANES_OF_COMPANY: usize = 4;

fn f13_a_flapping_receiver_holds_up_nobody(database: Database) {
    let trap = Receiver::friendly();
    let to = trap.address;
    let tempers = move |nth: usize| match nth % 17 {
        0 | 5 => Temper::Status(200),
        1 => Temper::Status(204),
        2 => Temper::Redirect(to),
        3 => Temper::Status(400),
        4 => Temper::Patience,
        6 | 7 => Temper::Status(500),
        8 => Temper::Reset,
        9 => Temper::Garbage,
        10 if nth < 17 => Temper::Stall,
        11 if nth < 17 => Temper::Drip,
        12 if nth < 34 => Temper::Gibibyte,
        13 if nth < 34 => Temper::Flood,
        _ => Temper::Status(404),
    };
    let flapping = Receiver::start(move |_, nth| tempers(nth));
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let shop = host.company();
    let (bad, secret) = endpoint(&shop, &flapping.url(), &[MADE]);
    let (good, _) = endpoint(&shop, &well.url(), &[MADE]);
    brand(&shop);
    await_end(&shop, &good, 1);
    let before = host.resident();
    for _ in 1..EVENTS {
        brand(&shop);
    }
    let written = Instant::now();
    eventually(|| (well.list_received().len() >= EVENTS).then_some(()));
    assert!(written.elapsed() < Duration::from_secs(20), "the one that is well waited {:?}", written.elapsed());
    let deliveries = await_end(&shop, &bad, EVENTS);
    let grown = host.resident().saturating_sub(before);
    assert!(grown < 96 << 20, "{} MiB more", grown >> 20);
    assert_eq!(deliveries.len(), EVENTS);
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for one in flapping.list_received() {
        assert!(one.is_signed("x-webhook-signature", &secret), "{one:?}");
        *sent.entry(one.event()).or_default() += 1;
    }
    for delivery in &deliveries {
        let reported = attempts(delivery);
        let count = sent.get(delivery["eventId"].as_str().unwrap_or_default()).copied().unwrap_or_default();
        let taken = |attempt: &Json| attempt["responseStatus"].as_u64().is_some_and(|status| status / 100 == 2);
        match delivery["status"].as_str() {
            Some("SUCCEEDED") => assert!(reported.last().is_some_and(taken) && reported.len() <= 5, "{delivery}"),
            Some("FAILED") => assert!(reported.len() == 5 && !reported.iter().any(taken), "{delivery}"),
            _ => panic!("{delivery}"),
        }
        assert_eq!(count, reported.len(), "as many as came: {delivery}");
    }
    assert!(trap.list_received().is_empty(), "a redirect was followed");
    assert_eq!(get(&shop, &bad)["status"], "ACTIVE");
    let metrics = host.metrics();
    for outcome in ["taken", "refused", "INVALID_ANSWER", "TIMED_OUT"] {
        assert!(metrics.contains(&format!("stoa_webhook_attempts_total{{outcome=\"{outcome}\"}}")), "{outcome}");
    }
}

/// Companies that point many endpoints at a receiver that stalls take their share and no more.
fn a_slow_endpoint_delays_no_other(database: Database) {
    let slow = Receiver::start(|_, _| Temper::Stall);
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let (greedy, shop) = (host.company(), host.company());
    for _ in 0..30 {
        endpoint(&greedy, &slow.url(), &["catalog.variant.created"]);
    }
    let (good, _) = endpoint(&shop, &well.url(), &[MADE]);
    // Four events of one transaction.
    let variants: Vec<Json> = (0..4).map(|_| json!({ "sku": fresh("S") })).collect();
    greedy.post("catalog/products", with(&product("P"), json!({ "variants": variants }))).is(201);
    eventually(|| (!slow.list_received().is_empty()).then_some(()));
    let began = Instant::now();
    brand(&shop);
    assert_eq!(await_end(&shop, &good, 1)[0]["status"], json!("SUCCEEDED"));
    assert!(began.elapsed() < Duration::from_secs(8), "it waited {:?}", began.elapsed());
    for _ in 0..3 {
        brand(&shop);
    }
    await_end(&shop, &good, 4);
    // Meanwhile the relay had every chance to begin more attempts. Each of them stalls for ten seconds, so those that
    // came within eight were under way at once: four lanes of the company, two deliveries of each.
    let received = slow.list_received();
    let first = received[0].time;
    let at_once = received.iter().filter(|one| one.time - first < Duration::from_secs(8)).count();
    assert!(at_once <= 8, "{at_once} attempts of one company at once");
}

/// Companies with this many endpoints each, and so many events of one transaction for each endpoint.
fn greedy_companies(host: &Stoa, count: usize, endpoints: usize, slow: &Receiver) -> Vec<Company> {
    let companies: Vec<Company> = (0..count).map(|_| host.company()).collect();
    for company in &companies {
        for _ in 0..endpoints {
            endpoint(company, &slow.url(), &["catalog.variant.created"]);
        }
    }
    companies
}

fn emit(company: &Company, events: usize) {
    let variants: Vec<Json> = (0..events).map(|_| json!({ "sku": fresh("S") })).collect();
    company.post("catalog/products", with(&product("P"), json!({ "variants": variants }))).is(201);
}

/// How long after the first attempt that stalls the other company's event came.
fn find_wait(slow: &Receiver, well: &Receiver) -> Duration {
    eventually_within(Duration::from_secs(60), || {
        Some(well.list_received().first()?.time.duration_since(slow.list_received().first()?.time))
    })
}

/// A user with many companies, each with as many stalled endpoints as it may have lanes: they do not get all lanes. An
/// attempt stalls for ten seconds, so that nothing but a lane that was left free serves the other company within nine.
fn lanes_are_left_for_companies_that_have_none(database: Database) {
    let slow = Receiver::start(|_, _| Temper::Stall);
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let companies = greedy_companies(&host, LANES / LANES_OF_COMPANY, LANES_OF_COMPANY, &slow);
    let shop = host.company();
    endpoint(&shop, &well.url(), &[MADE]);
    at_once(companies.len(), |nth| emit(&companies[nth], 1));
    // The last sixteen lanes take one of each company that has none.
    eventually(|| (slow.list_received().len() >= LANES - 16).then_some(()));
    brand(&shop);
    let wait = find_wait(&slow, &well);
    assert!(wait < Duration::from_secs(9), "it waited {wait:?}");
}

/// As many companies as there are lanes, each with attempts for several waves of ten seconds: the other company waits
/// for one wave.
fn a_lane_is_left_after_one_wave_while_others_wait(database: Database) {
    let slow = Receiver::start(|_, _| Temper::Stall);
    let well = Receiver::friendly();
    let host = Stoa::start_with(database, settings());
    let companies = greedy_companies(&host, LANES, 1, &slow);
    let shop = host.company();
    endpoint(&shop, &well.url(), &[MADE]);
    at_once(companies.len(), |nth| emit(&companies[nth], 6));
    // Two attempts of each lane: all lanes are taken.
    eventually(|| (slow.list_received().len() >= 2 * LANES).then_some(()));
    brand(&shop);
    let wait = find_wait(&slow, &well);
    assert!(wait < Duration::from_secs(19), "it waited {wait:?}");
}

fn informational_answers_without_end_are_no_answer(database: Database) {
    let hinting = Receiver::start(|_, _| Temper::Informational);
    let host = Stoa::start_with(database, settings());
    let shop = host.company();
    let (id, _) = endpoint(&shop, &hinting.url(), &[MADE]);
    brand(&shop);
    let delivery = await_end(&shop, &id, 1).remove(0);
    assert_eq!((&delivery["status"], attempts(&delivery).len()), (&json!("FAILED"), 5));
    for attempt in attempts(&delivery) {
        assert_eq!((&attempt["error"], &attempt["responseStatus"]), (&json!("INVALID_ANSWER"), &json!(null)));
    }
}
