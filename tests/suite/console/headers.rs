//! Headers of pages and files, and what no page contains.

use serde_json::json;
use stoa_tests::pages::Page;
use stoa_tests::{Database, host, on_one_database};

// Judged before a database is asked, or the same for every page.
on_one_database![
    every_page_of_the_navigation_has_the_policy_and_nothing_inline,
    pages_without_a_session_have_the_policy,
    operators_pages_have_the_policy,
    files_are_public_and_immutable,
    other_methods_and_addresses_are_rejected
];

const HEADERS: &[(&str, &str)] = &[
    ("content-type", "text/html; charset=utf-8"),
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// Asserts the headers of a page; a redirect has no type.
#[track_caller]
fn check(page: &Page) {
    for (name, value) in HEADERS.iter().filter(|(name, _)| page.status != 303 || *name != "content-type") {
        assert_eq!(page.header(name), Some(*value), "{}: {name}", page.path);
    }
    for inline in [" style=", "<style", " onclick=", " onload=", " onsubmit=", "javascript:"] {
        assert!(!page.html.contains(inline), "{} has {inline}", page.path);
    }
    let scripts = page.html.split("<script").skip(1).filter(|script| !script.starts_with(" src=\""));
    assert_eq!(scripts.count(), 0, "{} has a script of its own", page.path);
}

fn every_page_of_the_navigation_has_the_policy_and_nothing_inline(database: Database) {
    let stoa = host::shared(database);
    // Reports reconcile books.
    let shop = stoa.company_with(json!({ "keepsBooks": true }));
    let browser = stoa.browser();
    browser.sign_in("owner@example.test").is(200);
    let home = browser.open(&format!("/console/{}", shop.tenant)).is(200);
    check(&home);
    let below = format!("/console/{}/", shop.tenant);
    let addresses: Vec<String> = home.links().into_iter().map(|(_, address)| address).collect();
    let pages: Vec<&String> = addresses.iter().filter(|address| address.starts_with(&below)).collect();
    assert!(pages.len() > 40, "a navigation of {} pages", pages.len());
    for address in pages {
        check(&browser.open(address).is(200));
    }
    for (address, status) in [
        ("nothing", 404),
        ("catalog/products/00000000-0000-7000-8000-000000000000", 404),
        ("catalog/products?_form=nothing", 404),
    ] {
        check(&browser.open(&format!("{below}{address}")).is(status));
    }
}

fn pages_without_a_session_have_the_policy(database: Database) {
    let stoa = host::shared(database);
    let browser = stoa.browser();
    let start = browser.send("GET", "/console", &[], Vec::new()).is(303);
    assert_eq!(start.header("location"), Some("/console/sign-in?to=%2Fconsole"));
    check(&start);
    check(&browser.open("/console").is(200));
    let by_a_mail = browser.send("GET", "/console", &[("sec-fetch-site", "cross-site")], Vec::new()).is(200);
    assert!(by_a_mail.html.contains("content=\"0;url=/console\""), "{}", by_a_mail.html);
    check(&by_a_mail);
}

fn operators_pages_have_the_policy(database: Database) {
    let browser = host::shared(database).operator_browser();
    check(&browser.open("/operator/console").is(200));
}

fn files_are_public_and_immutable(database: Database) {
    let stoa = host::shared(database);
    for (browser, base) in [(stoa.browser(), "/console"), (stoa.operator_browser(), "/operator/console")] {
        let page = browser.open(base);
        for (name, kind) in [
            ("console.css", "text/css; charset=utf-8"),
            ("console.js", "text/javascript; charset=utf-8"),
            ("icon.svg", "image/svg+xml"),
        ] {
            let address = page.html.split('"').find(|part| part.contains(&format!("/files/{name}?v=")));
            let address = address.unwrap_or_else(|| panic!("{base} does not use {name}"));
            let file = stoa.browser().send("GET", &page.address_of(address), &[], Vec::new()).is(200);
            assert_eq!(file.header("content-type"), Some(kind), "{address}");
            assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{address}");
            assert_eq!(file.header("x-content-type-options"), Some("nosniff"), "{address}");
            let head = stoa.browser().send("HEAD", &page.address_of(address), &[], Vec::new()).is(200);
            assert!(head.bytes.is_empty() && !file.bytes.is_empty(), "{address}");
        }
        browser.send("GET", &format!("{base}/files/nothing.js"), &[], Vec::new()).is(404);
    }
}

fn other_methods_and_addresses_are_rejected(database: Database) {
    let stoa = host::shared(database);
    let browser = stoa.browser();
    browser.sign_in("owner@example.test").is(200);
    for (method, path, status) in [
        ("PUT", "/console", 405),
        ("DELETE", "/console/new", 405),
        ("GET", "/console/no-company", 404),
        ("GET", "/console/00000000-0000-7000-8000-000000000000/catalog/products", 403),
    ] {
        check(&browser.send(method, path, &[], Vec::new()).is(status));
    }
}
