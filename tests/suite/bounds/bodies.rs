//! A body costs memory and time before the host has checked the caller: it reads more than a little only from callers
//! with permission.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::host::Settings;
use stoa_tests::raw::Connection;
use stoa_tests::{Database, Stoa, company, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![a_strangers_large_body_is_refused_unread, one_user_leaves_places_for_large_bodies];
on_one_database![timed: large_bodies_are_judged_apart];

pub(super) fn head(path: &str, address: &str, token: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Idempotency-Key: {}\r\nContent-Length: {length}\r\n\r\n",
        uuid::Uuid::new_v4()
    )
}

fn a_strangers_large_body_is_refused_unread(database: Database) {
    let shop = company(database);
    let path = format!("/v1/tenants/{}/catalog/products", shop.tenant);
    let mut connection = Connection::open(&shop.host);
    connection.write(head(&path, &shop.host.address(), &shop.host.token("nobody@example.test"), 5 << 20).as_bytes());
    // Not a byte of the body is sent, and the answer comes all the same.
    let reply = connection.answer();
    assert_eq!(reply.status, Some(403), "{}", reply.text);
    assert!(reply.text.contains("MEMBERSHIP_REQUIRED"), "{}", reply.text);
}

/// Bodies that stall had places for thirty seconds once. They have none now, and end soon.
fn one_user_leaves_places_for_large_bodies(database: Database) {
    let shop = company(database).host.company_of("stalling@example.test");
    let path = format!("/v1/tenants/{}/catalog/products", shop.tenant);
    let token = shop.token.clone();
    let part = vec![b' '; (1 << 20) + (64 << 10)];
    let stalled: Vec<Connection> = (0..4)
        .map(|_| {
            let mut connection = Connection::open(&shop.host);
            connection.write(head(&path, &shop.host.address(), &token, 4 << 20).as_bytes());
            connection.write(&part);
            connection
        })
        .collect();
    let other = shop.host.company_of("another@example.test");
    let mut large = b"{\"name\":\"Large\",\"productType\":\"GOOD\",\"unitOfMeasure\":\"UNIT\"".to_vec();
    large.extend_from_slice(&part);
    large.push(b'}');
    let answer =
        other.request("POST", "catalog/products").bytes(large).header("content-type", "application/json").send();
    assert_eq!(answer.status, 201, "{answer}");
    // Those that stall are answered long before thirty seconds have passed.
    for connection in stalled {
        let reply = connection.answer();
        assert_eq!(reply.status, Some(503), "{}", reply.text);
    }
}

/// The host has one worker: if it judged the body, a request that comes meanwhile would wait for the end of that.
fn large_bodies_are_judged_apart(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("TOKIO_WORKER_THREADS", 1));
    let shop = host.company();
    // Nearly as many values as are read of any body, and all of them wrong.
    let products = "{\"a\":{}},".repeat(900_000);
    let body = format!("{{\"products\":[{}]}}", products.trim_end_matches(','));
    let path = format!("/v1/tenants/{}/catalog/imports", shop.tenant);
    let judged = AtomicBool::new(false);
    let (reply, took, slowest) = thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let mut connection = Connection::open(&host);
            connection.write(head(&path, &host.address(), &shop.token, body.len()).as_bytes());
            connection.write(body.as_bytes());
            let sent = Instant::now();
            let reply = connection.answer();
            judged.store(true, Ordering::SeqCst);
            (reply, sent.elapsed())
        });
        let mut slowest = Duration::ZERO;
        while !judged.load(Ordering::SeqCst) {
            let begin = Instant::now();
            host.get("/v1/health").is(200);
            slowest = slowest.max(begin.elapsed());
        }
        let (reply, took) = sender.join().expect("an answer");
        (reply, took, slowest)
    });
    assert_eq!(reply.status, Some(400), "{}", reply.text);
    assert!(slowest * 2 < took, "a request waited {slowest:?} while a body was judged for {took:?}");
}
