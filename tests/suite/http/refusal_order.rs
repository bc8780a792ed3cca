//! The order of refusals: the first that applies is reported, and nothing behind it is betrayed.

use serde_json::json;
use stoa_tests::company::product;
use stoa_tests::{Answer, Database, Request, company, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    each_stage_hides_the_ones_behind_it,
    faults_of_one_stage_are_reported_together,
    stranger_learns_nothing_of_a_body
];

/// Faults of one request, in the order in which they are reported.
const STAGES: [(&str, u16, &str); 9] = [
    ("token", 401, "UNAUTHENTICATED"),
    ("size", 413, "PAYLOAD_TOO_LARGE"),
    ("membership", 403, "MEMBERSHIP_REQUIRED"),
    ("accept", 406, "NOT_ACCEPTABLE"),
    ("type", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ("path", 400, "VALIDATION_FAILED"),
    ("query", 400, "UNKNOWN_QUERY_PARAMETER"),
    ("key", 400, "IDEMPOTENCY_KEY_REQUIRED"),
    ("body", 400, "VALIDATION_FAILED"),
];

fn each_stage_hides_the_ones_behind_it(database: Database) {
    let shop = company(database);
    let stranger = shop.host.token("stranger@example.test");
    let list = shop.price_list("ORDER");
    let before = shop.digest();
    // A price's create: a path parameter, a query that takes nothing, a key, a body of at most one mebibyte.
    for (first, (name, status, code)) in STAGES.into_iter().enumerate() {
        let wrong =
            |stage: &str| STAGES.iter().position(|(name, ..)| *name == stage).is_some_and(|index| index >= first);
        let list = if wrong("path") { "no-uuid" } else { list.as_str() };
        let query = if wrong("query") { "?bogus=1" } else { "" };
        let path = format!("/v1/tenants/{}/pricing/price-lists/{list}/prices{query}", shop.tenant);
        let mut request: Request = shop.host.request("POST", &path);
        request = match (wrong("token"), wrong("membership")) {
            (true, _) => request,
            (false, true) => request.token(&stranger),
            (false, false) => request.token(&shop.token),
        };
        if wrong("accept") {
            request = request.header("accept", "text/html");
        }
        if wrong("type") {
            request = request.header("content-type", "text/plain");
        }
        if wrong("key") {
            request = request.without("idempotency-key");
        }
        let body = if wrong("size") { " ".repeat(2 << 20) } else { "{}".to_string() };
        let answer = request.bytes(body).send();
        assert_eq!((answer.status, &answer["code"]), (status, &json!(code)), "from {name} on: {answer}");
    }
    assert_eq!(shop.digest(), before);
}

fn faults_of_one_stage_are_reported_together(database: Database) {
    let shop = company(database);
    let body = json!({ "name": 7, "productType": "X", "trackInventory": "yes", "variants": [{}, { "sku": "a" }] });
    let answer = shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED");
    let expected = [
        ("/name", "TYPE"),
        ("/productType", "FORMAT"),
        ("/trackInventory", "TYPE"),
        ("/unitOfMeasure", "REQUIRED"),
        ("/variants/0/sku", "REQUIRED"),
        ("/variants/1/sku", "FORMAT"),
    ];
    let mut answer = answer;
    for (pointer, code) in expected {
        answer = answer.fault(pointer, code);
    }
    assert_eq!(answer.errors().len(), expected.len(), "no more than that: {answer}");
    let query = shop.list("catalog/products", &[("limit", "0"), ("cursor", "x"), ("status", "y")]);
    let query = query.refused(400, "VALIDATION_FAILED");
    assert_eq!(query.errors().len(), 3, "{query}");
    // Stages do not mix: a fault of the query is reported without those of the body.
    let mixed = shop.request("POST", "catalog/products?bogus=1").json(&json!({})).send();
    let mixed = mixed.refused(400, "UNKNOWN_QUERY_PARAMETER");
    assert!(mixed.pointers().iter().all(|pointer| pointer.starts_with("/query")), "{mixed}");
    // At most two hundred faults.
    let variants: Vec<_> = (0..100).map(|_| json!({ "sku": 1, "barcode": 2, "storage": 3, "color": 4 })).collect();
    let mut many = product("P");
    many["variants"] = json!(variants);
    let many = shop.post("catalog/products", many).refused(400, "VALIDATION_FAILED");
    assert_eq!(many.errors().len(), 200, "{many}");
}

fn stranger_learns_nothing_of_a_body(database: Database) {
    let shop = company(database);
    let known = shop.product("Known");
    let stranger = shop.as_user("stranger@example.test");
    let ask = |request: Request| -> (u16, serde_json::Value) { request.send().masked() };
    let post = |body: &str| ask(stranger.request("POST", "catalog/products").bytes(body));
    let valid = post(&product("P").to_string());
    assert_eq!((valid.0, &valid.1["code"]), (403, &json!("MEMBERSHIP_REQUIRED")));
    for body in ["", "{", "{}", "[]", "\u{0}", &"[".repeat(200), &format!("{{\"name\":\"{}\"}}", "x".repeat(500_000))] {
        assert_eq!(post(body), valid, "{:.20}", body);
    }
    let read = |path: &str| ask(stranger.request("GET", path));
    let existing = read(&format!("catalog/products/{known}"));
    for path in [
        format!("catalog/products/{}", uuid::Uuid::now_v7()),
        "catalog/products/x".into(),
        "catalog/products?bogus=1".into(),
    ] {
        assert_eq!(read(&path), existing, "{path}");
    }
    // A company that does not exist is reported as one that is not mine.
    let nowhere = format!("/v1/tenants/{}/catalog/products", uuid::Uuid::now_v7());
    let answer: Answer = stranger.host.request("GET", &nowhere).token(&stranger.token).send();
    assert_eq!(answer.masked(), existing);
}
