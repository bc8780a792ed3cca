//! Memory that callers make the host hold: bodies that do not end.

use stoa_tests::host::Settings;
use stoa_tests::raw::Connection;
use stoa_tests::{Database, Stoa, on_one_database};

use super::bodies::head;

// No database is asked for a body that has not arrived.
on_one_database![timed: bodies_that_do_not_end_have_a_budget];

/// Bodies of just less than a large one, that lack a byte.
const BODIES: usize = 300;
const LENGTH: usize = 1 << 20;
/// More than the budget with all that a connection costs, and far less than those bodies.
const GROWTH: u64 = 200 << 20;

fn bodies_that_do_not_end_have_a_budget(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_BODY_MEMORY", "64MiB"));
    let greedy = host.company_of("greedy@example.test");
    let other = host.company_of("other@example.test");
    let path = format!("/v1/tenants/{}/catalog/products", greedy.tenant);
    let product = |name: &str| {
        let mut body =
            format!("{{\"name\":\"{name}\",\"productType\":\"GOOD\",\"unitOfMeasure\":\"UNIT\"").into_bytes();
        body.resize(900 << 10, b' ');
        body.push(b'}');
        let request = other.request("POST", "catalog/products").header("content-type", "application/json");
        request.bytes(body).send().is(201);
    };
    product("Before");
    let before = host.resident();
    let part = vec![b' '; LENGTH - 1];
    let mut most = before;
    let held: Vec<Connection> = (0..BODIES)
        .map(|nth| {
            let mut connection = Connection::open(&host);
            connection.write(head(&path, &host.address(), &greedy.token, LENGTH).as_bytes());
            connection.write(&part);
            if nth % 10 == 0 {
                most = most.max(host.resident());
            }
            connection
        })
        .collect();
    product("Meanwhile");
    most = most.max(host.resident());
    assert!(most - before < GROWTH, "{} MiB more", (most - before) >> 20);
    for connection in held {
        let reply = connection.answer();
        assert_eq!(reply.status, Some(503), "{}", reply.text);
    }
    product("After");
}
