//! A receiver that does everything a receiver can do, by seed, beside one that is well: each event is delivered, or was tried five times;
//! the one that is well waits for nothing; memory stays flat. [F13]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::receiver::Temper;
use stoa_tests::{Database, Receiver, Stoa, eventually, on_both_databases};

use super::{MADE, attempts, await_end, brand, endpoint, get, settings_for};

on_both_databases![f13_a_flapping_receiver_holds_up_nobody, a_slow_endpoint_delays_no_other];

const EVENTS: usize = 120;

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
    let host = Stoa::start_with(database, settings_for(&[&flapping, &well]));
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
        let taken =
            |attempt: &serde_json::Value| attempt["responseStatus"].as_u64().is_some_and(|status| status / 100 == 2);
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
    let host = Stoa::start_with(database, settings_for(&[&slow, &well]));
    let (greedy, shop) = (host.company(), host.company());
    for _ in 0..30 {
        endpoint(&greedy, &slow.url(), &[MADE]);
    }
    let (good, _) = endpoint(&shop, &well.url(), &[MADE]);
    brand(&greedy);
    eventually(|| (!slow.list_received().is_empty()).then_some(()));
    let began = Instant::now();
    brand(&shop);
    assert_eq!(await_end(&shop, &good, 1)[0]["status"], json!("SUCCEEDED"));
    assert!(began.elapsed() < Duration::from_secs(8), "it waited {:?}", began.elapsed());
}
