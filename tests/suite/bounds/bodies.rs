//! A body costs memory and time before anybody knows whether it is wanted: more than a little of it is read from those alone who may ask.

use stoa_tests::raw::Connection;
use stoa_tests::{Database, company, on_one_database};

// Judged before a database is asked, or of what no database knows.
on_one_database![a_strangers_large_body_is_refused_unread, one_user_leaves_places_for_large_bodies];

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

/// Four bodies that stall once had all the places, for thirty seconds.
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
    // Those that stall lose their places, long before thirty seconds have passed.
    for connection in stalled {
        let reply = connection.answer();
        assert_eq!(reply.status, Some(503), "{}", reply.text);
    }
}
