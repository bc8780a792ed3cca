//! Where the service meets browsers and proxies: neither is believed more than was configured.

use stoa_tests::host::Settings;
use stoa_tests::{Company, Database, Stoa, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![browsers_need_a_configured_origin, proxies_are_believed_where_they_are_trusted];

const ORIGIN: &str = "https://shop.example";

fn browsers_need_a_configured_origin(database: Database) {
    let settings = Settings::default().set("STOA_CORS_ORIGINS", format!("{ORIGIN}, http://localhost:5173"));
    let host = Stoa::start_with(database, settings);
    let preflight = |host: &Stoa, origin: &str| {
        host.request("OPTIONS", "/v1/auth/me")
            .header("origin", origin)
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization")
            .unchecked()
            .send()
    };
    let allowed = preflight(&host, ORIGIN);
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (200, Some(ORIGIN)));
    assert!(allowed.header("access-control-allow-headers").is_some_and(|names| names.contains("idempotency-key")));
    assert_eq!(allowed.header("access-control-allow-credentials"), None);
    assert_eq!(preflight(&host, "https://evil.example").header("access-control-allow-origin"), None);
    let answer = host.request("GET", "/v1/health").header("origin", ORIGIN).unchecked().send();
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(ORIGIN)));

    let plain = stoa_tests::company(database).host;
    let refused = preflight(&plain, ORIGIN);
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (405, None));
}

fn proxies_are_believed_where_they_are_trusted(database: Database) {
    let addresses = |shop: &Company, forwarded: &str| -> Vec<String> {
        let body = serde_json::json!({ "name": "B", "code": stoa_tests::company::fresh("B") });
        let create = shop.request("POST", "catalog/lookups/brands").header("x-forwarded-for", forwarded);
        create.json(&body).send().is(201);
        let rows =
            shop.rows("select ip_address from stoa_audit where {tenant} and operation = 'createLookup' order by id");
        rows.into_iter().map(|mut row| row.remove(0)).collect()
    };
    let host = Stoa::start_with(database, Settings::default().set("STOA_TRUSTED_PROXIES", "127.0.0.0/8,10.1.1.1"));
    let shop = host.company();
    assert_eq!(addresses(&shop, "1.1.1.1, 203.0.113.7, 10.1.1.1"), ["203.0.113.7"]);
    assert_eq!(addresses(&shop, "not an address"), ["203.0.113.7", "127.0.0.1"]);
    assert_eq!(
        addresses(&stoa_tests::company(database), "203.0.113.7"),
        ["127.0.0.1"],
        "no proxy is trusted by default"
    );
}
