//! A PostgreSQL on another machine: reached over TLS that is verified, and waited for no longer than was said.

use std::time::{Duration, Instant};

use serde_json::json;
use stoa_tests::faulty_link::FaultyLink;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, at_once, eventually};

stoa_tests::tests![
    a_silent_database_is_answered_503_and_found_again,
    a_request_waits_for_a_silent_database_once,
    a_database_with_a_ca_of_its_own_is_verified_by_it,
    a_database_that_no_ca_vouches_for_is_refused,
];

/// Longer than a request may take.
const PATIENCE: Duration = Duration::from_secs(14);

fn behind(link: &FaultyLink) -> Settings {
    let link = link.clone();
    Settings::default().by(move |url| link.route_to(url))
}

/// The server accepts and never responds. No caller waits for ever, and when it responds again all is as before.
fn a_silent_database_is_answered_503_and_found_again() {
    let link = FaultyLink::default();
    let host = Stoa::start_with(Database::Postgres, behind(&link));
    let token = host.token("clerk@example.com");
    let me = || {
        let begin = Instant::now();
        let answer = host.get_with("/v1/auth/me", &token);
        (answer.status, begin.elapsed())
    };
    assert_eq!(me().0, 200);
    link.block();
    for _ in 0..2 {
        let (status, took) = me();
        assert_eq!(status, 503);
        assert!(took < PATIENCE, "{took:?}");
    }
    assert_eq!(host.get("/v1/ready").status, 503);
    link.unblock();
    let begin = Instant::now();
    while host.get("/v1/ready").status != 200 {
        assert!(begin.elapsed() < PATIENCE, "the database is back, and the host does not see it");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(me().0, 200);
    assert!(host.is_running());
}

/// Requests that wait for the database several times, some of them behind each other, are answered in the time of one.
fn a_request_waits_for_a_silent_database_once() {
    const LONGEST: Duration = Duration::from_secs(15);
    let link = FaultyLink::default();
    let host = Stoa::start_with(Database::Postgres, behind(&link));
    let (shop, fresh) = (host.company(), host.company());
    let machine = shop.machine(&["catalog.read"]);
    let since = [("updatedSince", "2020-01-01T00:00:00Z")];
    let news = || machine.request("GET", "catalog/products").query(&since).send();
    // The permits of these are in memory; those of the fresh company have yet to be read, one request after the other.
    machine.get("catalog/products").is(200);
    news().is(200);
    shop.get("catalog/products").is(200);
    shop.brand("BEFORE");
    link.block();
    let answers = at_once(16, |nth| {
        let begin = Instant::now();
        let answer = match nth % 4 {
            0 => fresh.get("context"),
            1 => shop.get("catalog/products"),
            2 => news(),
            _ => shop.post("catalog/lookups/brands", json!({ "name": "Meanwhile", "code": format!("MEANWHILE{nth}") })),
        };
        (nth % 4, answer.status, begin.elapsed())
    });
    for (kind, status, took) in answers {
        assert!(status == 503 && took < LONGEST, "{kind}: {status} after {took:?}");
    }
    link.unblock();
    eventually(|| (host.get("/v1/ready").status == 200).then_some(()));
    fresh.get("context").is(200);
}

fn a_database_with_a_ca_of_its_own_is_verified_by_it() {
    let (link, _folder, ca) = FaultyLink::with_tls();
    let settings = behind(&link).set("STOA_DATABASE_TLS_CA", ca.display());
    let host = Stoa::start_with(Database::Postgres, settings);
    let token = host.token("clerk@example.com");
    assert_eq!(host.get_with("/v1/auth/me", &token).status, 200);
}

fn a_database_that_no_ca_vouches_for_is_refused() {
    let (link, _folder, _) = FaultyLink::with_tls();
    let (_, _other, foreign) = FaultyLink::with_tls();
    for settings in [behind(&link), behind(&link).set("STOA_DATABASE_TLS_CA", foreign.display())] {
        let said = Stoa::try_start(Database::Postgres, settings).err().expect("the host started");
        assert!(said.contains("certificate") || said.contains("UnknownIssuer"), "{said}");
    }
}
