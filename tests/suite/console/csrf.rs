//! A POST needs the origin and the token of the session; without them it does nothing.

use stoa_tests::company::fresh;
use stoa_tests::{Database, host, on_one_database};

use super::sign_in::{Visitor, text};

// Judged before a database is asked.
on_one_database![
    a_post_without_a_token_of_the_session_does_nothing,
    a_post_of_another_origin_does_nothing,
    two_pages_have_two_tokens,
    a_form_that_is_too_large_is_rejected,
];

const FORM: &str = "catalog/lookups/brands?_form=createLookup";

/// Brands of a company with this code.
fn count(shop: &stoa_tests::Company, code: &str) -> usize {
    shop.list("catalog/lookups/brands", &[("code", code)]).is(200).items().len()
}

/// The fields of the form for a brand with this code.
fn brand<'a>(token: &'a str, key: &'a str, code: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("csrf", token), ("do", "send"), ("key", key), ("v/code", code), ("v/name", code)]
}

fn a_post_without_a_token_of_the_session_does_nothing(database: Database) {
    let host = host::shared(database);
    let shop = host.company();
    let (visitor, other) =
        (Visitor::signed_in(&host, "owner@example.test"), Visitor::signed_in(&host, "owner@example.test"));
    let page = format!("/console/{}/{FORM}", shop.tenant);
    let (code, key) = (fresh("CSRF"), uuid::Uuid::now_v7().to_string());
    let own = visitor.csrf(&page);
    for token in ["", "00", &own[2..], &other.csrf(&page)] {
        let answer = visitor.post(&page, &brand(token, &key, &code)).is(403);
        assert!(text(&answer).to_lowercase().contains("open"), "the page says what to do: {answer}");
    }
    visitor.post(&page, &brand(&own, &key, &code)[1..]).is(403);
    assert_eq!(count(&shop, &code), 0);
    // The token is good for each form of the session, on any page.
    let answer = visitor.post(&page, &brand(&own, &key, &code));
    assert!(matches!(answer.status, 200 | 303), "{answer}");
    assert_eq!(count(&shop, &code), 1);
}

fn a_post_of_another_origin_does_nothing(database: Database) {
    let host = host::shared(database);
    let shop = host.company();
    let visitor = Visitor::signed_in(&host, "owner@example.test");
    let page = format!("/console/{}/{FORM}", shop.tenant);
    let (code, key, token) = (fresh("CSRF"), uuid::Uuid::now_v7().to_string(), visitor.csrf(&page));
    let form = brand(&token, &key, &code);
    for headers in [
        &[][..],
        &[("origin", "https://evil.example")],
        &[("origin", "null"), ("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site")],
    ] {
        visitor.send("POST", &page, headers, Some(&form)).is(403);
        let sign_in = [("email", "owner@example.test")];
        visitor.send("POST", "/console/sign-in", headers, Some(&sign_in)).is(403);
    }
    assert_eq!(count(&shop, &code), 0);
    let answer = visitor.send("POST", &page, &[("sec-fetch-site", "same-origin")], Some(&form));
    assert!(matches!(answer.status, 200 | 303), "{answer}");
    assert_eq!(count(&shop, &code), 1);
}

fn two_pages_have_two_tokens(database: Database) {
    let host = host::shared(database);
    let page = format!("/console/{}/{FORM}", host.company().tenant);
    let visitor = Visitor::signed_in(&host, "owner@example.test");
    let (one, other) = (visitor.csrf(&page), visitor.csrf(&page));
    assert_ne!(one, other);
    assert!([one, other].iter().all(|token| token.len() == 128));
}

fn a_form_that_is_too_large_is_rejected(database: Database) {
    let host = host::shared(database);
    let page = format!("/console/{}/{FORM}", host.company().tenant);
    let visitor = Visitor::signed_in(&host, "owner@example.test");
    let (token, long) = (visitor.csrf(&page), "a".repeat(256 << 10));
    visitor.post(&page, &[("csrf", &token), ("do", "send"), ("v/name", &long)]).is(413);
}
