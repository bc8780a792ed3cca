//! Bytes that no HTTP library would send: smuggling pairs, lying lengths, monstrous heads, slow and half requests. [B6]

use serde_json::json;
use stoa_tests::company::product;
use stoa_tests::{Company, Database, company, on_one_database, raw};

// Judged before the database is asked.
on_one_database![
    smuggling_pairs,
    heads_that_are_none,
    requests_name_one_host,
    monstrous_heads,
    chunked_bodies,
    lengths_that_lie,
    old_and_strange_versions,
    expect_continue,
    refusals_are_problems_here_too,
    declared_size_is_refused_unread,
];

fn head(shop: &Company, extra: &str) -> String {
    format!(
        "POST /v1/tenants/{}/catalog/products HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {}\r\nContent-Type: application/json\r\n{extra}",
        shop.tenant,
        shop.host.address(),
        shop.token,
        uuid::Uuid::new_v4(),
    )
}

/// The host is well and the company unharmed.
fn well(shop: &Company) {
    shop.get("catalog/products").is(200);
}

/// Two readings of where a request ends must never become two requests.
fn smuggling_pairs(database: Database) {
    let shop = company(database);
    let body = product("Smuggled").to_string();
    let inner = format!("{}Content-Length: {}\r\n\r\n{body}", head(&shop, ""), body.len());
    let before = shop.digest();
    let cases = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\n0\r\n\r\n",
        "Content-Length: 5, 6\r\n\r\n0\r\n\r\n",
        "Content-Length: +5\r\n\r\n0\r\n\r\n",
        "Content-Length: 0x5\r\n\r\n0\r\n\r\n",
        "Content-Length: -1\r\n\r\n0\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        "Content-Length\x00: 5\r\n\r\n0\r\n\r\n",
        " Content-Length: 5\r\n\r\n0\r\n\r\n",
    ];
    for case in cases {
        // The bytes that follow are a whole write of their own: if it runs, the first request's end was read in two ways.
        let bytes = format!("{}{inner}", head(&shop, case));
        let reply = raw::send_to_the_end(&shop.host, bytes.as_bytes());
        assert!(reply.is_closed, "{case:?}: the connection is still open: {reply:?}");
        let smuggled = reply.text.contains("201 Created");
        assert!(!smuggled, "{case:?} was followed by a write: {reply:?}");
        // None where the host has closed before the answer was read.
        assert!(reply.status.is_none_or(|status| status == 400), "{case:?}: {reply:?}");
    }
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn heads_that_are_none(database: Database) {
    let shop = company(database);
    let address = shop.host.address();
    let cases: Vec<(Option<u16>, Vec<u8>)> = vec![
        (None, b"\r\n\r\n\r\n".to_vec()),
        (Some(400), b"GET\r\n\r\n".to_vec()),
        (Some(400), b"GET /v1/health\r\n\r\n".to_vec()),
        (Some(400), format!("GET /v1/hea lth HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()),
        (Some(400), format!("GET /v1/health HTTP/1.1\r\nHost: {address}\r\nX: a\0b\r\n\r\n").into_bytes()),
        (Some(400), format!("GET /v1/health HTTP/1.1\r\nHost: {address}\r\nno colon\r\n\r\n").into_bytes()),
        (Some(400), format!("G\u{7f}T /v1/health HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()),
        (Some(400), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        // The preface of HTTP/2, and then no frame of it.
        (None, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense".to_vec()),
        (Some(400), vec![0xff; 4096]),
        (Some(404), format!("CONNECT evil.example:443 HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()),
        (Some(404), format!("GET http://evil.example/ HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()),
        (Some(404), format!("OPTIONS * HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes()),
    ];
    for (status, bytes) in cases {
        let reply = match status {
            Some(_) => raw::send(&shop.host, &bytes),
            None => raw::send_and_end(&shop.host, &bytes),
        };
        let asked = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
        assert_eq!(reply.status, status, "{asked:?}: {reply:?}");
    }
    well(&shop);
}

/// Nothing here depends on the name of the host, but a proxy before it may read another one of two.
fn requests_name_one_host(database: Database) {
    let shop = company(database);
    let address = shop.host.address();
    let get = |version: &str, hosts: &[&str]| {
        let hosts: String = hosts.iter().map(|name| format!("Host: {name}\r\n")).collect();
        let bytes = format!("GET /v1/health {version}\r\n{hosts}Connection: close\r\n\r\n");
        raw::send(&shop.host, bytes.as_bytes())
    };
    for (hosts, fault) in [
        (&[][..], "REQUIRED"),
        (&[address.as_str(), "evil"], "REPEATED"),
        (&[address.as_str(), address.as_str()], "REPEATED"),
        (&["a b"], "FORMAT"),
        (&["me@shop"], "FORMAT"),
    ] {
        let reply = get("HTTP/1.1", hosts);
        let lower = reply.text.to_lowercase();
        assert_eq!(reply.status, Some(400), "{hosts:?}: {reply:?}");
        assert!(
            lower.contains("content-type: application/problem+json") && lower.contains("x-request-id: "),
            "{reply:?}"
        );
        let item = format!(r#"{{"pointer":"/header/Host","code":"{fault}"}}"#);
        assert!(reply.text.contains("VALIDATION_FAILED") && reply.text.contains(&item), "{hosts:?}: {reply:?}");
    }
    for (version, hosts) in [("HTTP/1.1", &["shop.example:8080"][..]), ("HTTP/1.1", &[""]), ("HTTP/1.0", &[])] {
        assert_eq!(get(version, hosts).status, Some(200), "{version} {hosts:?}");
    }
    let both = format!("GET /v1/health HTTP/1.0\r\nHost: {address}\r\nHost: evil\r\n\r\n");
    assert_eq!(raw::send(&shop.host, both.as_bytes()).status, Some(400));
    // A write is not run either.
    let body = product("Of two hosts").to_string();
    let bytes = format!("{}Host: evil\r\nContent-Length: {}\r\n\r\n{body}", head(&shop, ""), body.len());
    assert_eq!(raw::send(&shop.host, bytes.as_bytes()).status, Some(400));
    assert_eq!(shop.get("catalog/products").is(200).items().len(), 0);
}

fn monstrous_heads(database: Database) {
    let shop = company(database);
    let address = shop.host.address();
    let long_header = format!("GET /v1/health HTTP/1.1\r\nHost: {address}\r\nX: {}\r\n\r\n", "a".repeat(1 << 20));
    let many: String = (0..5_000).map(|n| format!("X-{n}: y\r\n")).collect();
    let many_headers = format!("GET /v1/health HTTP/1.1\r\nHost: {address}\r\n{many}\r\n");
    let long_target = format!("GET /v1/{} HTTP/1.1\r\nHost: {address}\r\n\r\n", "a".repeat(1 << 20));
    let long_query = format!("GET /v1/health?{} HTTP/1.1\r\nHost: {address}\r\n\r\n", "a=b&".repeat(1 << 18));
    for bytes in [long_header, many_headers, long_target, long_query] {
        let reply = raw::send(&shop.host, bytes.as_bytes());
        // None where the host has closed before the answer was read.
        assert!(reply.status.map_or(reply.is_closed, |status| status == 431), "{:?}", reply.status);
    }
    well(&shop);
}

fn chunked_bodies(database: Database) {
    let shop = company(database);
    let body = product("Chunked").to_string();
    let (a, b) = body.split_at(10);
    let chunks = format!("{:x}\r\n{a}\r\n{:X};ext=1\r\n{b}\r\n0\r\n\r\n", a.len(), b.len());
    let bytes = format!("{}{chunks}", head(&shop, "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
    let reply = raw::send(&shop.host, bytes.as_bytes());
    assert_eq!(reply.status, Some(201), "{reply:?}");
    let before = shop.digest();
    for lie in
        ["zz\r\nabc\r\n0\r\n\r\n", "-1\r\na\r\n0\r\n\r\n", "ffffffffffffffffff\r\na\r\n", "3\r\nabcdef\r\n0\r\n\r\n"]
    {
        let bytes = format!("{}{lie}", head(&shop, "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"));
        let reply = raw::send(&shop.host, bytes.as_bytes());
        assert_eq!(reply.status, Some(400), "{lie:?}: {reply:?}");
    }
    // A chunked body has no declared size, and ends at the operation's limit all the same.
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let bytes = format!(
        "POST /v1/tenants/{}/catalog/lookups/brands HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{}0\r\n\r\n",
        shop.tenant,
        shop.host.address(),
        shop.token,
        uuid::Uuid::new_v4(),
        chunk.repeat(32),
    );
    let reply = raw::send(&shop.host, bytes.as_bytes());
    assert!(reply.status.map_or(reply.is_closed, |status| status == 413), "{reply:?}");
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn lengths_that_lie(database: Database) {
    let shop = company(database);
    let body = product("Short").to_string();
    let before = shop.digest();
    // Fewer bytes than declared, then the end of the connection: no request.
    let bytes = format!("{}{body}", head(&shop, &format!("Content-Length: {}\r\n\r\n", body.len() + 10)));
    raw::send_and_end(&shop.host, bytes.as_bytes());
    // A declared body that never comes.
    let bytes = head(&shop, "Content-Length: 100\r\n\r\n");
    raw::send_and_end(&shop.host, bytes.as_bytes());
    assert_eq!(shop.digest(), before);
    well(&shop);
}

fn old_and_strange_versions(database: Database) {
    let shop = company(database);
    let address = shop.host.address();
    for (version, status) in
        [("HTTP/1.0", 200), ("HTTP/1.1", 200), ("HTTP/1.2", 400), ("HTTP/3.0", 400), ("http/1.1", 400)]
    {
        let bytes = format!("GET /v1/health {version}\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        let reply = raw::send(&shop.host, bytes.as_bytes());
        assert_eq!(reply.status, Some(status), "{version}: {reply:?}");
    }
}

fn expect_continue(database: Database) {
    let shop = company(database);
    let body = json!({ "name": "Expected", "code": "EXPECTED" }).to_string();
    let bytes = format!(
        "POST /v1/tenants/{}/catalog/lookups/brands HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: {}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        shop.tenant,
        shop.host.address(),
        shop.token,
        uuid::Uuid::new_v4(),
        body.len(),
    );
    let reply = raw::send(&shop.host, bytes.as_bytes());
    assert!(reply.text.contains("HTTP/1.1 201"), "{reply:?}");
    // A rejected caller is not asked for the body.
    let head = "POST /v1/tenants/x/catalog/products HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\
                Connection: close\r\nContent-Length: 1000\r\n\r\n";
    for _ in 0..20 {
        let reply = raw::send(&shop.host, head.as_bytes());
        assert!(reply.text.starts_with("HTTP/1.1 401"), "{reply:?}");
    }
}

fn refusals_are_problems_here_too(database: Database) {
    let shop = company(database);
    for (path, code) in [("/v1/nothing", "NOT_FOUND"), ("/v1/tenants/x/catalog/products", "UNAUTHENTICATED")] {
        let bytes = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let reply = raw::send(&shop.host, bytes.as_bytes());
        let lower = reply.text.to_lowercase();
        assert!(lower.contains("content-type: application/problem+json"), "{reply:?}");
        assert!(lower.contains("x-request-id: ") && reply.text.contains(code), "{reply:?}");
    }
}

/// Only by size, before anything is read: the answer comes though not one byte of the body was sent.
fn declared_size_is_refused_unread(database: Database) {
    let shop = company(database);
    let bytes = head(&shop, "Content-Length: 1073741824\r\n\r\n");
    let reply = raw::send(&shop.host, bytes.as_bytes());
    assert_eq!(reply.status, Some(413), "{reply:?}");
    assert!(reply.text.contains("PAYLOAD_TOO_LARGE"), "{reply:?}");
}
