//! Real identity providers: the host asks the issuer for an address that a token does not state, and claims have the
//! names that the issuer gives them.

use serde_json::{Value as Json, json};
use stoa_tests::company::{with, without};
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Answer, Database, Issuer, Signer, Stoa, eventually, modules, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    what_a_token_does_not_tell_its_issuer_does,
    claims_have_the_names_that_the_issuer_gives_them,
    a_missing_address_differs_from_an_unverified_one,
    the_log_says_that_userinfo_rejects_a_token,
];

const AUDIENCE: &str = "stoa-suite";

fn host(database: Database, issuer: &Issuer, extra: &str) -> Stoa {
    let file = format!("[[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\n{extra}\n", issuer.url);
    Stoa::start_with(database, Settings::default().without_dev().modules(modules::none()).file(file))
}

fn me(host: &Stoa, token: &str) -> Answer {
    host.request("GET", "/v1/auth/me").token(token).send()
}

fn person(subject: &str, email: &str, verified: bool) -> Manner {
    Manner::Keys(json!({ "sub": subject, "email": email, "email_verified": verified, "name": "Reported" }))
}

fn what_a_token_does_not_tell_its_issuer_does(database: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    issuer.tell_of_people(person("alice", "alice@reported.test", true));
    let deployed = host(database, &issuer, "");
    let full_claims = |subject: &str| claims(&issuer.url, AUDIENCE, subject);
    let addressless =
        |subject: &str| without(&without(&without(&full_claims(subject), "email"), "email_verified"), "name");
    let token = |claims: &Json| signer.sign(&signer.header(), claims);

    let alice = token(&addressless("alice"));
    let first = me(&deployed, &alice).is(200);
    assert_eq!(
        (first.text("email"), first.text("displayName")),
        ("alice@reported.test".to_owned(), "Reported".to_owned())
    );
    me(&deployed, &alice).is(200);
    assert_eq!(issuer.asked_for_people(), 1, "a token that was seen a moment ago is known");
    // An address without its verification, and the verification without an address, are completed from one source.
    let half = token(&with(&addressless("alice"), json!({ "email": "mallory@claimed.test" })));
    assert_eq!(me(&deployed, &half).is(200).text("email"), "alice@reported.test");
    me(&deployed, &token(&full_claims("bob"))).is(200);
    assert_eq!(issuer.asked_for_people(), 2, "a token with all claims needs no userinfo");

    issuer.tell_of_people(person("alice", "alice@reported.test", true));
    me(&deployed, &token(&addressless("mallory"))).refused(403, "IDENTITY_UNVERIFIED");
    issuer.tell_of_people(Manner::Keys(json!({ "sub": "dan", "email_verified": true })));
    let dans_claims = with(&addressless("dan"), json!({ "email": "victim@elsewhere.test" }));
    me(&deployed, &token(&dans_claims)).refused(403, "IDENTITY_UNVERIFIED");
    issuer.tell_of_people(person("carol", "carol@reported.test", false));
    let carol = token(&addressless("carol"));
    let before = issuer.asked_for_people();
    for _ in 0..5 {
        me(&deployed, &carol).refused(403, "IDENTITY_UNVERIFIED");
    }
    assert_eq!(issuer.asked_for_people(), before + 1, "a user cannot make the host flood the issuer");
    issuer.tell_of_people(Manner::Status(403));
    me(&deployed, &token(&addressless("erin"))).refused(403, "IDENTITY_UNVERIFIED");
    for manner in
        [Manner::HangUp, Manner::Status(500), Manner::Body(b"[]".to_vec()), Manner::RedirectTo(issuer.url.clone())]
    {
        issuer.tell_of_people(manner);
        me(&deployed, &token(&addressless("frank"))).refused(503, "UNAVAILABLE");
    }
    issuer.tell_of_people(person("frank", "frank@reported.test", true));
    me(&deployed, &token(&addressless("frank"))).is(200);

    let asked = issuer.asked_for_people();
    let alone = host(database, &issuer, "userinfo = false");
    me(&alone, &token(&addressless("alice"))).refused(403, "IDENTITY_UNVERIFIED");
    assert_eq!(issuer.asked_for_people(), asked);
}

fn claims_have_the_names_that_the_issuer_gives_them(database: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let names =
        "claims = { email = \"https://acme.test/mail\", email_verified = \"https://acme.test/ok\", name = \"nick\" }";
    let mapped = host(database, &issuer, names);
    let base = without(&without(&claims(&issuer.url, AUDIENCE, "alice"), "email"), "email_verified");
    let sign = |extra: Json| signer.sign(&signer.header(), &with(&base, extra));
    let whole = json!({ "https://acme.test/mail": "a@acme.test", "https://acme.test/ok": true, "nick": "Al" });
    let known = me(&mapped, &sign(whole.clone())).is(200);
    assert_eq!((known.text("email"), known.text("displayName")), ("a@acme.test".to_owned(), "Al".to_owned()));
    for extra in [
        json!({ "email": "a@acme.test", "email_verified": true }),
        with(&whole, json!({ "https://acme.test/ok": "true" })),
        with(&whole, json!({ "https://acme.test/mail": "a" })),
    ] {
        me(&mapped, &sign(extra)).refused(403, "IDENTITY_UNVERIFIED");
    }
    // An issuer whose people cannot choose their addresses says no word on them.
    let vouching = host(database, &issuer, "claims = { email = \"upn\", email_always_verified = true }");
    assert_eq!(me(&vouching, &sign(json!({ "upn": "b@acme.test" }))).is(200).text("email"), "b@acme.test");
    me(&vouching, &sign(json!({ "email": "b@acme.test", "email_verified": true }))).refused(403, "IDENTITY_UNVERIFIED");
}

fn a_missing_address_differs_from_an_unverified_one(database: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let deployed = host(database, &issuer, "");
    let whole = claims(&issuer.url, AUDIENCE, "alice");
    for (claims, code, why) in [
        (without(&whole, "email"), "REQUIRED", "The token has no e-mail address."),
        (
            without(&whole, "email_verified"),
            "REQUIRED",
            "The token does not say whether its e-mail address is verified.",
        ),
        (
            with(&whole, json!({ "email_verified": false })),
            "FORMAT",
            "The token has an e-mail address that is not verified.",
        ),
    ] {
        let answer = me(&deployed, &signer.sign(&signer.header(), &claims)).refused(403, "IDENTITY_UNVERIFIED");
        let answer = answer.fault("/header/Authorization", code);
        let challenge = format!("Bearer error=\"insufficient_scope\", error_description=\"{why}\"");
        assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()), "{answer}");
    }
}

fn the_log_says_that_userinfo_rejects_a_token(database: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    issuer.tell_of_people(Manner::Status(401));
    let deployed = host(database, &issuer, "");
    let addressless = without(&claims(&issuer.url, AUDIENCE, "alice"), "email");
    me(&deployed, &signer.sign(&signer.header(), &addressless)).refused(403, "IDENTITY_UNVERIFIED");
    let lines = eventually(|| {
        let log = deployed.log();
        log.contains("user token refused").then_some(log)
    });
    let said = lines.lines().find(|line| line.contains("userinfo rejects a user's token"));
    assert!(said.is_some_and(|line| line.contains("401") && line.contains("RFC 8707")), "{lines}");
}
