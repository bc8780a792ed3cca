//! The manners of HTTP: routes, methods, types, sizes, HEAD, request ids, and problem+json on every path.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, host, on_both_databases, on_one_database};

// The module may compute for a second, which next to many other tests is short for six mebibytes.
on_both_databases![timed: product_create_takes_sixteen_mebibytes];

// Checked before a request reaches the database, or independent of it.
on_one_database![
    unknown_routes,
    methods_not_allowed,
    every_operation_wants_a_token,
    tokens_that_are_none,
    request_ids,
    media_types_of_bodies,
    media_types_of_answers,
    p19_two_mebibytes_to_an_operation_of_one,
    refusals_reach_who_is_still_sending,
    body_where_none_belongs,
    head_wherever_get_works,
    open_operations_need_no_token,
    contract_has_a_strong_etag,
    large_answers_come_in_gzip_to_whoever_takes_it,
    paths_are_taken_literally,
    malformed_path_parameters,
    options_and_cors,
    concurrent_requests_have_their_own_ids
];

fn unknown_routes(database: Database) {
    let shop = company(database);
    let tenant = &shop.tenant;
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v2/health",
        "/v1/nothing",
        "/v1/tenants",
        "/v1/catalog/products",
        &format!("/v1/tenants/{tenant}"),
        &format!("/v1/tenants/{tenant}/catalog"),
        &format!("/v1/tenants/{tenant}/catalog/products/"),
        &format!("/v1/tenants/{tenant}//catalog/products"),
        &format!("/v1/tenants/{tenant}/Catalog/products"),
        &format!("/V1/tenants/{tenant}/catalog/products"),
        &format!("/v1/tenants/{tenant}/catalog/products/{tenant}/nothing"),
        "/operator/modules",
        "/metrics",
    ] {
        for token in [None, Some(&shop.token)] {
            for method in ["GET", "POST", "DELETE"] {
                let mut request = shop.host.request(method, path);
                if let Some(token) = token {
                    request = request.token(token);
                }
                request.send().refused(404, "NOT_FOUND");
            }
        }
    }
}

/// 405 with an `Allow` of exactly the methods that the contract shows; HEAD where there is GET.
fn methods_not_allowed(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let mut paths: Vec<&str> = contract.operations.iter().map(|operation| operation.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.len() > 10, "{paths:?}");
    for path in paths {
        let of_path: Vec<_> = contract.operations.iter().filter(|operation| operation.path == path).collect();
        let mut expected: Vec<&str> = of_path.iter().map(|operation| operation.method.as_str()).collect();
        if expected.contains(&"GET") {
            expected.push("HEAD");
        }
        let filled = of_path[0].filled(&shop.tenant, |name| match name {
            "kind" => "brands".to_string(),
            _ => uuid::Uuid::now_v7().to_string(),
        });
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"] {
            if expected.contains(&method) {
                continue;
            }
            // Another template may take this path too: /lookups/{kind}/{id} and /lookups/units/{id}.
            if contract.operation(method, &filled).is_some() {
                continue;
            }
            let answer = shop.host.request(method, &filled).send().refused(405, "METHOD_NOT_ALLOWED");
            let allow = answer.header("allow").unwrap_or_default();
            let allowed: Vec<&str> = allow.split(',').map(str::trim).filter(|method| *method != "OPTIONS").collect();
            for method in &expected {
                assert!(allowed.contains(method), "Allow lacks {method}: {allow} {answer}");
            }
            for method in &allowed {
                let known = expected.contains(method) || contract.operation(method, &filled).is_some();
                assert!(known, "Allow shows {method}: {allow} {answer}");
            }
        }
    }
}

fn every_operation_wants_a_token(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    for operation in contract.operations.iter().filter(|operation| operation.of_tenant()) {
        let path = operation.filled(&shop.tenant, |_| uuid::Uuid::now_v7().to_string());
        let answer = shop.host.request(&operation.method, &path).bytes("{").send();
        assert_eq!(answer["code"], "UNAUTHENTICATED", "{}: {answer}", operation.id);
    }
}

fn tokens_that_are_none(database: Database) {
    let shop = company(database);
    let token = shop.token.clone();
    let parts: Vec<&str> = token.split('.').collect();
    let other_payload = shop.host.token("somebody-else@example.test");
    let other_payload = other_payload.split('.').nth(1).unwrap_or_default().to_string();
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let flipped = {
        let signature = parts[2];
        let first = if signature.starts_with('A') { 'B' } else { 'A' };
        format!("{}.{}.{first}{}", parts[0], parts[1], &signature[1..])
    };
    let cases = [
        format!("Bearer {}.{}.", parts[0], parts[1]),
        format!("Bearer {}.{other_payload}.{}", parts[0], parts[2]),
        format!("Bearer {none}.{}.", parts[1]),
        format!("Bearer {none}.{}.{}", parts[1], parts[2]),
        format!("Bearer {flipped}"),
        format!("Bearer {token}x"),
        format!("Bearer {token}."),
        format!("Bearer {}", parts[1]),
        "Bearer".into(),
        "Bearer ".into(),
        "Bearer x".into(),
        "Bearer a.b.c".into(),
        format!("Basic {token}"),
        format!("Token {token}"),
        token.clone(),
        format!("Bearer {}", "A".repeat(20_000)),
        "Bearer live_0192f3a4-5b6c-7d8e-9f01-23456789abcd_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".into(),
    ];
    for case in cases {
        let answer = shop.request("GET", "catalog/products").header("authorization", &case).send();
        answer.refused(401, "UNAUTHENTICATED");
    }
    // Two credentials count as no credential.
    let twice = shop.request("GET", "catalog/products").also("authorization", &format!("Bearer {token}")).send();
    twice.refused(401, "UNAUTHENTICATED");
    shop.request("GET", "catalog/products").header("authorization", &format!("bearer {token}")).send().is(200);
}

fn request_ids(database: Database) {
    let shop = company(database);
    let mine = "00000000-0000-7000-8000-000000000000";
    for answer in [
        shop.request("GET", "catalog/products").header("x-request-id", mine).send(),
        shop.request("GET", "catalog/nothing").header("x-request-id", mine).send(),
        shop.request("POST", "catalog/products").header("x-request-id", mine).json(&json!({})).send(),
    ] {
        assert_ne!(answer.header("x-request-id"), Some(mine), "the server makes its own: {answer}");
    }
}

fn media_types_of_bodies(database: Database) {
    let shop = company(database);
    let body = product("Typed").to_string();
    let post = |kind: Option<&str>| {
        let request = shop.request("POST", "catalog/products").bytes(body.clone());
        match kind {
            Some(kind) => request.header("content-type", kind).send(),
            None => request.without("content-type").send(),
        }
    };
    for kind in
        ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "application/json;"]
    {
        let answer = post(Some(kind));
        assert_eq!(answer.status, 201, "{kind}: {answer}");
    }
    let before = shop.digest();
    for kind in [
        None,
        Some(""),
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/xml"),
        Some("application/jsonp"),
        Some("text/json"),
        Some("application/json; charset=utf-16"),
        Some("application/json, text/plain"),
        Some("json"),
    ] {
        let answer = post(kind);
        assert_eq!((answer.status, &answer["code"]), (415, &json!("UNSUPPORTED_MEDIA_TYPE")), "{kind:?}: {answer}");
    }
    for encoding in ["gzip", "br", "deflate", "zstd"] {
        let answer =
            shop.request("POST", "catalog/products").bytes(body.clone()).header("content-encoding", encoding).send();
        assert_eq!(answer.status, 415, "{encoding}: {answer}");
    }
    assert_eq!(shop.digest(), before);
}

fn media_types_of_answers(database: Database) {
    let shop = company(database);
    for accept in [
        "application/json",
        "*/*",
        "application/*",
        "text/html, application/json;q=0.1",
        "application/json; charset=utf-8",
        "text/html,application/xhtml+xml,*/*;q=0.8",
        "APPLICATION/JSON",
    ] {
        let answer = shop.request("GET", "catalog/products").header("accept", accept).send();
        assert_eq!(answer.status, 200, "{accept}: {answer}");
    }
    for accept in ["text/html", "application/xml", "image/*", "application/json;q=0", "text/html, application/json;q=0"]
    {
        let answer = shop.request("GET", "catalog/products").header("accept", accept).send();
        assert_eq!((answer.status, &answer["code"]), (406, &json!("NOT_ACCEPTABLE")), "{accept}: {answer}");
        let before = shop.digest();
        let write = shop.request("POST", "catalog/products").header("accept", accept).json(&product("P")).send();
        assert_eq!((write.status, shop.digest() == before), (406, true), "{accept}: {write}");
    }
}

/// [P19] An operation of one mebibyte: a lookup's create.
fn p19_two_mebibytes_to_an_operation_of_one(database: Database) {
    let shop = company(database);
    let body = |size: usize| {
        let frame = json!({ "name": "", "code": "BIG" }).to_string();
        json!({ "name": "x".repeat(size - frame.len()), "code": "BIG" }).to_string()
    };
    let path = "catalog/lookups/brands";
    let before = shop.digest();
    let begin = Instant::now();
    let too_large = shop.request("POST", path).bytes(body(2 << 20)).send();
    too_large.refused(413, "PAYLOAD_TOO_LARGE");
    assert!(begin.elapsed() < Duration::from_secs(5), "promptly");
    shop.request("POST", path).bytes(body((1 << 20) + 1)).send().refused(413, "PAYLOAD_TOO_LARGE");
    // At the limit the body is read, and judged as what it is.
    shop.request("POST", path).bytes(body(1 << 20)).send().refused(400, "VALIDATION_FAILED").at("/name");
    // Space counts as well.
    let spaced = format!("{}{}", " ".repeat(1 << 20), json!({ "name": "Small", "code": "SMALL" }));
    shop.request("POST", path).bytes(spaced).send().refused(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(shop.digest(), before);
}

/// Decision 0.1: a product with a hundred variants of full attributes is lawful, and larger than one mebibyte.
fn product_create_takes_sixteen_mebibytes(database: Database) {
    let shop = company(database);
    let attributes = json!({ "a": "\u{1F600}".repeat(15_992) });
    let variants: Vec<Json> =
        (0..100).map(|n| json!({ "sku": format!("BIG-{n}"), "attributes": attributes })).collect();
    let body = with(&product("Big"), json!({ "variants": variants })).to_string();
    assert!(body.len() > 6 << 20, "{} bytes", body.len());
    let made = shop.request("POST", "catalog/products").bytes(body).send().is(201);
    assert_eq!(made["variantCount"], json!(100));
    let huge = format!("{}{}", " ".repeat(16 << 20), product("Huge"));
    shop.request("POST", "catalog/products").bytes(huge).send().refused(413, "PAYLOAD_TOO_LARGE");
}

/// A request rejected before its body was wanted: the caller, who is still sending, gets the answer, not a broken pipe.
fn refusals_reach_who_is_still_sending(database: Database) {
    let shop = company(database);
    let body = "x".repeat(8 << 20);
    let own_path = format!("/v1/tenants/{}/catalog/products", shop.tenant);
    let foreign = format!("/v1/tenants/{}/catalog/products", uuid::Uuid::now_v7());
    let refusals = [
        ("POST", own_path.as_str(), None, 401),
        ("POST", own_path.as_str(), Some("garbage"), 401),
        ("POST", "/v1/api-client/inventory/adjustments", Some(shop.token.as_str()), 403),
        ("POST", foreign.as_str(), Some(shop.token.as_str()), 403),
        ("POST", "/v1/nothing", None, 404),
        ("PUT", own_path.as_str(), None, 405),
        ("POST", "/v1/health", None, 405),
    ];
    for (method, path, token, status) in refusals {
        for _ in 0..5 {
            let mut request = shop.host.request(method, path);
            if let Some(token) = token {
                request = request.token(token);
            }
            assert_eq!(request.bytes(body.clone()).send().status, status, "{method} {path}");
        }
    }
    let mut stranger = shop.host.console();
    stranger.token = "wrong".into();
    for _ in 0..5 {
        stranger.send("POST", "modules", &[], body.clone().into_bytes()).refused(401, "UNAUTHENTICATED");
    }
}

fn body_where_none_belongs(database: Database) {
    let shop = company(database);
    let id = shop.product("P");
    // An archive takes an empty object.
    let path = format!("catalog/products/{id}/archive");
    let send = |body: &str| shop.request("POST", &path).bytes(body).send();
    send("{\"reason\":\"x\"}").refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
    for other in ["[]", "null"] {
        send(other).refused(400, "VALIDATION_FAILED").fault("", "TYPE");
    }
    shop.request("POST", &path).send().refused(415, "UNSUPPORTED_MEDIA_TYPE");
    assert_eq!(shop.get(&format!("catalog/products/{id}")).is(200)["status"], "ACTIVE");
}

fn head_wherever_get_works(database: Database) {
    let shop = company(database);
    let id = shop.product("P");
    let tenant = &shop.tenant;
    for path in [
        "/v1/health".to_string(),
        "/v1/ready".into(),
        "/v1/openapi.json".into(),
        format!("/v1/tenants/{tenant}/catalog/products"),
        format!("/v1/tenants/{tenant}/catalog/products/{id}"),
        format!("/v1/tenants/{tenant}/catalog/products/{}", uuid::Uuid::now_v7()),
        format!("/v1/tenants/{tenant}/catalog/products?bogus=1"),
        "/v1/nothing".into(),
    ] {
        let get = shop.host.request("GET", &path).token(&shop.token).send();
        let head = shop.host.request("HEAD", &path).token(&shop.token).send();
        assert_eq!(head.status, get.status, "{head}");
        assert!(head.bytes.is_empty(), "{head}");
        for name in ["content-type", "etag"] {
            assert_eq!(head.header(name), get.header(name), "{name}: {head}");
        }
    }
}

fn open_operations_need_no_token(database: Database) {
    let host = host::shared(database);
    assert_eq!(host.get("/v1/health").is(200).body, json!({ "status": "ok", "service": "api" }));
    assert_eq!(host.get("/v1/ready").is(200).body, json!({ "status": "ok", "service": "api", "database": "ready" }));
    let docs = host.get("/v1/docs").is(200);
    assert!(docs.header("content-type").unwrap_or_default().starts_with("text/html"), "{docs}");
    let page = String::from_utf8_lossy(&docs.bytes);
    for outside in ["https://cdn", "http://cdn", "//unpkg", "fonts.googleapis"] {
        assert!(!page.contains(outside), "the reference works offline: {outside}");
    }
    // An invalid credential does not hinder a request that needs no credential.
    host.request("GET", "/v1/health").header("authorization", "Bearer nonsense").send().is(200);
}

fn large_answers_come_in_gzip_to_whoever_takes_it(database: Database) {
    let shop = company(database);
    let host = &shop.host;
    let ask = |path: &str, accepted: &str| {
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: {accepted}\r\nConnection: close\r\n\r\n",
            host.address()
        );
        let mut stream = std::net::TcpStream::connect(host.address()).expect("a connection");
        stream.write_all(text.as_bytes()).expect("written");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        (head, answer.split_off(end).len())
    };
    let (head, plain) = ask("/v1/openapi.json", "identity");
    assert!(!head.contains("content-encoding") && head.contains("vary: accept-encoding"), "{head}");
    let (head, packed) = ask("/v1/openapi.json", "br, gzip");
    assert!(head.contains("content-encoding: gzip\r\n") && head.contains("vary: accept-encoding"), "{head}");
    assert!(head.contains("etag: w/\""), "other bytes have no strong tag in common: {head}");
    assert!(packed * 5 < plain, "{packed} of {plain} bytes");
    let (head, _) = ask("/v1/health", "gzip");
    assert!(!head.contains("content-encoding"), "{head}");
}

fn contract_has_a_strong_etag(database: Database) {
    let host = host::shared(database);
    let first = host.get("/v1/openapi.json").is(200);
    let tag = first.etag();
    assert!(tag.starts_with('"') && tag.len() > 4, "{tag}");
    assert_eq!((&first["openapi"], &first["info"]["version"]), (&json!("3.1.0"), &json!("1.32.0")));
    let again = |tags: &str| host.request("GET", "/v1/openapi.json").header("if-none-match", tags).send();
    for tags in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".into()] {
        let answer = again(&tags);
        assert_eq!((answer.status, answer.bytes.len()), (304, 0), "{tags}: {answer}");
        assert_eq!(answer.etag(), tag);
    }
    for tags in ["\"x\"", "x"] {
        assert_eq!(again(tags).is(200).bytes, first.bytes);
    }
}

/// No decoding of structure out of values, and no climbing.
fn paths_are_taken_literally(database: Database) {
    let shop = company(database);
    let tenant = &shop.tenant;
    let id = shop.product("P");
    for wrong in [
        "..%2f..%2fpricing",
        &format!("{id}%00"),
        &format!("%7B{id}%7D"),
        &format!("{id}%20"),
        "%ff",
        &format!("{id};x=1"),
    ] {
        shop.get(&format!("catalog/products/{wrong}")).refused(400, "VALIDATION_FAILED").fault("/path/id", "FORMAT");
    }
    let joined = format!("/v1/tenants/{tenant}%2fcatalog%2fproducts");
    shop.host.request("GET", &joined).token(&shop.token).send().refused(404, "NOT_FOUND");
    let spelt = format!("/v1/tenants/{tenant}/catalog/products/{}", id.to_uppercase());
    assert_eq!(shop.host.request("GET", &spelt).token(&shop.token).send().is(200).id(), id);
    let escaped = format!("/v1/tenants/{tenant}/catalog/%70roducts/{id}");
    shop.host.request("GET", &escaped).token(&shop.token).send().refused(404, "NOT_FOUND");
}

fn malformed_path_parameters(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    for operation in contract.operations.iter().filter(|operation| operation.of_tenant()) {
        let ids: Vec<&str> = operation
            .path_parameters()
            .into_iter()
            .filter(|name| !["tenantId", "kind", "mode"].contains(name))
            .collect();
        for wrong in ids {
            for value in ["x", "1", "0192f3a4-5b6c-7d8e-9f01-23456789abc", "0192f3a45b6c7d8e9f0123456789abcd"] {
                let path = operation.filled(&shop.tenant, |name| match name {
                    name if name == wrong => value.to_string(),
                    "kind" => "brands".into(),
                    _ => uuid::Uuid::now_v7().to_string(),
                });
                let answer = shop.host.request(&operation.method, &path).token(&shop.token).json(&json!({})).send();
                answer.refused(400, "VALIDATION_FAILED").at(&format!("/path/{wrong}"));
            }
        }
    }
    // A tenant that is not a uuid is no company's.
    let answer = shop.host.request("GET", "/v1/tenants/x/catalog/products").token(&shop.token).send();
    answer.refused(403, "MEMBERSHIP_REQUIRED");
}

fn options_and_cors(database: Database) {
    let shop = company(database);
    for method in ["OPTIONS", "GET"] {
        let answer = shop
            .request(method, "catalog/products")
            .header("origin", "https://evil.example")
            .header("access-control-request-method", "GET")
            .unchecked()
            .send();
        assert!(answer.header("access-control-allow-origin").is_none(), "no CORS by default: {answer}");
        assert!(answer.header("x-request-id").is_some(), "{answer}");
    }
}

fn concurrent_requests_have_their_own_ids(database: Database) {
    let shop = company(database);
    let ids = stoa_tests::at_once(16, |_| {
        (0..10)
            .map(|_| shop.get("catalog/products").header("x-request-id").unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    });
    let all: std::collections::BTreeSet<&String> = ids.iter().flatten().collect();
    assert_eq!(all.len(), 160);
}
