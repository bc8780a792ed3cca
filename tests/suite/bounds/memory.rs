//! Memory that callers make the host hold: bodies that do not end, and answers that are not read.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::json;
use stoa_tests::company::{fresh, product, with};
use stoa_tests::host::Settings;
use stoa_tests::raw::Connection;
use stoa_tests::{Company, Database, Stoa, eventually, on_one_database};

use super::bodies::head;

// Databases have no part in it.
on_one_database![answers_that_are_not_read_have_a_budget];
on_one_database![timed: bodies_that_do_not_end_have_a_budget, answers_over_http_1_that_are_not_read_end];

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Runtime::new().expect("the clients' runtime"));

/// Bodies of just less than a large one, that lack a byte.
const BODIES: usize = 300;
const LENGTH: usize = 1 << 20;
/// More than the budget with all that a connection costs, and far less than those bodies.
const GROWTH: u64 = 200 << 20;

fn bodies_that_do_not_end_have_a_budget(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_BODY_MEMORY", "128MiB"));
    let greedy = host.company_of("greedy@example.test");
    let other = host.company_of("other@example.test");
    let path = format!("/v1/tenants/{}/catalog/products", greedy.tenant);
    let make = |name: &str| {
        let mut body =
            format!("{{\"name\":\"{name}\",\"productType\":\"GOOD\",\"unitOfMeasure\":\"UNIT\"").into_bytes();
        body.resize(900 << 10, b' ');
        body.push(b'}');
        let request = other.request("POST", "catalog/products").header("content-type", "application/json");
        request.bytes(body).send().is(201);
    };
    make("Before");
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
    make("Meanwhile");
    most = most.max(host.resident());
    assert!(most - before < GROWTH, "{} MiB more", (most - before) >> 20);
    for connection in held {
        let reply = connection.answer();
        assert_eq!(reply.status, Some(503), "{}", reply.text);
    }
    make("After");
}

/// Answers that wait for their reader, of one caller. The budget of one caller has room for fewer.
const ANSWERS: usize = 30;

/// The query of a large page.
const PAGE: [(&str, &str); 1] = [("limit", "100")];

/// A company with a page of large products, and how many such pages its caller may let wait.
fn shop_with_a_large_page(host: &Stoa) -> (Company, usize) {
    let shop = host.company();
    let attributes = json!({ "attributes": { "a": "\u{1f600}".repeat(15_900) } });
    let made = shop.post("catalog/products", with(&product("Large"), attributes)).is(201);
    let slug = made.text("slug");
    shop.copy_rows("catalog_product", &format!("slug = '{slug}'"), 99, &[("slug", "t.slug || s.n")]);
    let length = shop.list("catalog/products", &PAGE).is(200).bytes.len();
    let room = (16 << 20) / length;
    assert!((8..ANSWERS).contains(&room), "pages of {length} bytes");
    (shop, room)
}

fn answers_that_are_not_read_have_a_budget(database: Database) {
    let host = Stoa::start_with(database, Settings::default().set("STOA_RESPONSE_MEMORY", "32MiB"));
    let (shop, room) = shop_with_a_large_page(&host);
    let (_, second) = shop.member("second", &[&shop.owner_role()]);

    let url = format!("{}/v1/tenants/{}/catalog/products?limit=100", host.url(), shop.tenant);
    // A window that takes next to nothing: the answers stay with the host.
    let client = reqwest::Client::builder().http2_prior_knowledge().http2_initial_stream_window_size(1024);
    let client = client.no_proxy().build().expect("a client");
    let heads = RUNTIME.block_on(async {
        let mut heads = Vec::new();
        for _ in 0..ANSWERS {
            heads.push(client.get(&url).bearer_auth(&shop.token).send().await.expect("a head"));
        }
        heads
    });
    assert!(heads.iter().all(|head| matches!(head.status().as_u16(), 200 | 503)));
    let admitted = heads.iter().filter(|head| head.status() == 200).count();
    assert!((room - 1..=room + 1).contains(&admitted), "{admitted} of {ANSWERS} answers, {room} have room");
    // A write is answered, and another caller reads.
    shop.brand(&fresh("READER"));
    second.list("catalog/products", &PAGE).is(200);
    drop((heads, client));
    eventually(|| (shop.list("catalog/products", &PAGE).status == 200).then_some(()));
}

/// Requests of a connection that reads nothing, one behind the other: more than the system's own buffers have room for.
const PIPELINED: usize = 40;

fn answers_over_http_1_that_are_not_read_end(database: Database) {
    let settings = Settings::default().set("STOA_RESPONSE_MEMORY", "32MiB").set("STOA_CONNECTION_TIMEOUT", "8s");
    let host = Stoa::start_with(database, settings);
    let (shop, _) = shop_with_a_large_page(&host);
    let (_, second) = shop.member("second", &[&shop.owner_role()]);
    let request = format!(
        "GET /v1/tenants/{}/catalog/products?limit=100 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        shop.tenant,
        host.address(),
        shop.token
    );
    let deaf: Vec<Connection> = (0..ANSWERS)
        .map(|_| {
            let mut connection = Connection::open(&host);
            connection.write(request.repeat(PIPELINED).as_bytes());
            connection
        })
        .collect();
    // The caller's part of the budget is taken: no more than that is held for it, and others are served.
    eventually(|| (super::count(&host, "stoa_responses_refused_total", "") > 0).then_some(()));
    second.list("catalog/products", &PAGE).is(200);
    // The host leaves connections that take nothing, though their clients hold them open.
    eventually(|| (shop.list("catalog/products", &PAGE).status == 200).then_some(()));
    let is_left = |connection: Connection| {
        let reply = connection.read(Duration::from_secs(20));
        reply.is_closed && reply.text.matches("HTTP/1.1 ").count() < PIPELINED
    };
    assert!(deaf.into_iter().any(is_left), "each connection was answered to its end");
}
