//! Keys over time: rotation, outage and grace, garbage, floods of unknown keys, against a real issuer on loopback.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::discovery::Discovery;
use super::super::issuer_keys::IssuerKeys;
use super::super::keys::KeySet;
use super::super::{CredentialRefusal, Issuer, Verifier};
use super::STRANGE_KEY;
use super::issuer_server::{IssuerServer, Manner};
use super::signer::{AUDIENCE, Signer, claims, jwks, with};
use super::time::Time;
use crate::watchdog::{Pulse, Watchdog};

const GRACE: Duration = Duration::from_secs(24 * 3600);

fn verifier(server: &IssuerServer, time: &Time) -> Verifier {
    Verifier::new(vec![Issuer::new(&server.issuer, AUDIENCE)], GRACE, time.clock()).expect("good settings")
}

fn token(server: &IssuerServer, signer: &Signer, time: &Time) -> String {
    let week = with(&claims(time.now()), "exp", time.now() + 7 * 86_400);
    signer.sign(&signer.header(), &with(&week, "iss", server.issuer.clone()))
}

/// A token of `signer` that no verifier has seen before.
fn fresh_token(server: &IssuerServer, signer: &Signer, time: &Time) -> String {
    let claims = with(&claims(time.now()), "jti", uuid::Uuid::new_v4().to_string());
    signer.sign(&signer.header(), &with(&claims, "iss", server.issuer.clone()))
}

/// Waits for the background's first fetch.
async fn wait_for_fetch(server: &IssuerServer) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while server.key_fetches() == 0 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn outcome(verifier: &Verifier, token: &str) -> Result<(), CredentialRefusal> {
    verifier.verify(token).await.map(|_| ())
}

#[tokio::test]
async fn the_first_token_fetches_the_keys_once() {
    let (time, signer) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&signer]))).await;
    let verifier = Arc::new(verifier(&server, &time));
    assert_eq!((server.discoveries(), server.key_fetches()), (0, 0), "nothing is fetched before it is needed");

    let token = token(&server, &signer, &time);
    server.delay(Duration::from_millis(50));
    let together = (0..50).map(|_| {
        let (verifier, token) = (Arc::clone(&verifier), token.clone());
        tokio::spawn(async move { outcome(&verifier, &token).await })
    });
    for verdict in futures_util::future::join_all(together).await {
        assert_eq!(verdict.expect("no panic"), Ok(()));
    }
    assert_eq!((server.discoveries(), server.key_fetches()), (1, 1), "fifty waited for one fetch");
}

#[tokio::test]
async fn a_new_key_is_found_at_its_first_token_and_an_old_one_ends() {
    let (time, old, new) = (Time::start(), Signer::es256("k1"), Signer::eddsa("k2"));
    let server = IssuerServer::start(Manner::Keys(jwks([&old]))).await;
    let verifier = verifier(&server, &time);
    let (of_old, of_new) = (token(&server, &old, &time), token(&server, &new, &time));
    assert_eq!(outcome(&verifier, &of_old).await, Ok(()));

    server.behave(Manner::Keys(jwks([&old, &new])));
    time.pass(30);
    assert_eq!(outcome(&verifier, &of_new).await, Ok(()));
    assert_eq!(outcome(&verifier, &of_old).await, Ok(()));
    assert_eq!(server.key_fetches(), 2);

    time.pass(30);
    let anonymous = old.sign(&json!({ "alg": "ES256" }), &with(&claims(time.now()), "iss", server.issuer.clone()));
    assert_eq!(outcome(&verifier, &anonymous).await, Err(CredentialRefusal::Unauthenticated));
    assert_eq!(server.key_fetches(), 2, "no newer set would show which key an anonymous token is signed with");

    // The old key is withdrawn: a token of it that is still remembered goes with it, at the next fetch.
    server.behave(Manner::Keys(jwks([&new])));
    time.pass(30);
    let nobody = fresh_token(&server, &Signer::es256("k3"), &time);
    assert_eq!(outcome(&verifier, &nobody).await, Err(STRANGE_KEY));
    assert_eq!(server.key_fetches(), 3);
    assert_eq!(outcome(&verifier, &of_old).await, Err(STRANGE_KEY));
    assert_eq!(outcome(&verifier, &of_new).await, Ok(()));
}

#[tokio::test]
async fn another_key_under_an_old_name_ends_what_the_old_one_verified() {
    let (time, old, new) = (Time::start(), Signer::es256("same"), Signer::es256("same"));
    let server = IssuerServer::start(Manner::Keys(jwks([&old]))).await;
    let verifier = verifier(&server, &time);
    let (of_old, of_new) = (token(&server, &old, &time), token(&server, &new, &time));
    assert_eq!(outcome(&verifier, &of_old).await, Ok(()));

    server.behave(Manner::Keys(jwks([&new])));
    time.pass(30);
    let nobody = fresh_token(&server, &Signer::es256("unknown"), &time);
    assert_eq!(outcome(&verifier, &nobody).await, Err(STRANGE_KEY));
    assert_eq!(outcome(&verifier, &of_old).await, Err(CredentialRefusal::Unauthenticated));
    assert_eq!(outcome(&verifier, &of_new).await, Ok(()));
}

#[tokio::test]
async fn a_flood_of_unknown_keys_makes_one_fetch() {
    let (time, known) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&known]))).await;
    let verifier = Arc::new(verifier(&server, &time));
    let watchdog = Watchdog::default();
    verifier.keep_keys_fresh(&watchdog);
    wait_for_fetch(&server).await;
    let good = token(&server, &known, &time);
    assert_eq!(outcome(&verifier, &good).await, Ok(()));
    let before = server.key_fetches();

    let flood = |round: usize| {
        let tokens: Vec<_> = (0..500)
            .map(|number| {
                let header = with(&known.header(), "kid", format!("random-{round}-{number}"));
                known.sign(&header, &with(&claims(time.now()), "iss", server.issuer.clone()))
            })
            .collect();
        let verifier = Arc::clone(&verifier);
        async move {
            let together = tokens.into_iter().map(|token| {
                let verifier = Arc::clone(&verifier);
                tokio::spawn(async move { outcome(&verifier, &token).await })
            });
            for verdict in futures_util::future::join_all(together).await {
                assert_eq!(verdict.expect("no panic"), Err(STRANGE_KEY));
            }
        }
    };
    server.delay(Duration::from_millis(20));
    flood(0).await;
    assert_eq!(server.key_fetches() - before, 1);
    time.pass(29);
    flood(1).await;
    assert_eq!(server.key_fetches() - before, 1, "not before 30 s have passed");
    time.pass(1);
    flood(2).await;
    assert_eq!(server.key_fetches() - before, 2);
    assert_eq!(outcome(&verifier, &good).await, Ok(()), "known keys are not touched by it");
    // A clock that is set back must not stop fetches until it has caught up.
    time.set(time.now() - 1000);
    flood(3).await;
    assert_eq!(server.key_fetches() - before, 3);
    watchdog.stop();
}

#[tokio::test]
async fn a_caller_who_hangs_up_does_not_waste_the_fetch() {
    let (time, signer) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&signer]))).await;
    let verifier = verifier(&server, &time);
    server.delay(Duration::from_millis(100));
    let token = token(&server, &signer, &time);

    let impatient = tokio::time::timeout(Duration::from_millis(20), verifier.verify(&token)).await;
    assert!(impatient.is_err());
    assert_eq!(outcome(&verifier, &token).await, Ok(()), "the next one joins the fetch");
    assert_eq!(server.key_fetches(), 1);
}

#[tokio::test]
async fn an_issuer_that_is_down_is_outlived_for_the_grace() {
    let (time, known, new) = (Time::start(), Signer::es256("k1"), Signer::es256("k2"));
    let server = IssuerServer::start(Manner::Keys(jwks([&known]))).await;
    let verifier = verifier(&server, &time);
    let remembered = token(&server, &known, &time);
    assert_eq!(outcome(&verifier, &remembered).await, Ok(()));
    let confirmed = time.now();

    server.behave(Manner::Status(503));
    for _ in 0..5 {
        time.pass(3600);
        assert_eq!(outcome(&verifier, &remembered).await, Ok(()));
        assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Ok(()));
        // A key that the issuer may have made since: the host cannot know, so it does not reject the token as wrong.
        assert_eq!(outcome(&verifier, &token(&server, &new, &time)).await, Err(CredentialRefusal::Unavailable));
    }

    time.set(confirmed + GRACE.as_secs());
    assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Ok(()), "the last second");
    time.pass(1);
    assert_eq!(outcome(&verifier, &remembered).await, Err(CredentialRefusal::Unavailable), "also what is remembered");
    assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Err(CredentialRefusal::Unavailable));

    server.behave(Manner::Keys(jwks([&known, &new])));
    time.pass(30);
    assert_eq!(outcome(&verifier, &remembered).await, Ok(()));
    assert_eq!(outcome(&verifier, &token(&server, &new, &time)).await, Ok(()));
    let nobody = fresh_token(&server, &Signer::es256("k3"), &time);
    assert_eq!(outcome(&verifier, &nobody).await, Err(STRANGE_KEY), "now it can be reported");
}

#[tokio::test]
async fn an_issuer_never_reached_is_unavailable_never_unauthenticated() {
    let (time, signer) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::HangUp).await;
    let verifier = verifier(&server, &time);
    for _ in 0..3 {
        assert_eq!(
            outcome(&verifier, &fresh_token(&server, &signer, &time)).await,
            Err(CredentialRefusal::Unavailable)
        );
        let without_kid =
            signer.sign(&json!({ "alg": "ES256" }), &with(&claims(time.now()), "iss", server.issuer.clone()));
        assert_eq!(outcome(&verifier, &without_kid).await, Err(CredentialRefusal::Unavailable));
    }
    assert_eq!(server.key_fetches(), 1, "and it is not hammered");
    // A text that is no token at all needs no key to be reported.
    assert_eq!(outcome(&verifier, "nonsense").await, Err(CredentialRefusal::Explained("The token is malformed.")));

    server.behave(Manner::Keys(jwks([&signer])));
    time.pass(30);
    assert_eq!(outcome(&verifier, &fresh_token(&server, &signer, &time)).await, Ok(()));
}

#[tokio::test]
async fn garbage_never_replaces_a_good_set() {
    let (time, known) = (Time::start(), Signer::es256("k1"));
    let elsewhere = IssuerServer::start(Manner::Keys(jwks([&Signer::es256("k9")]))).await;
    let server = IssuerServer::start(Manner::Keys(jwks([&known]))).await;
    let verifier = verifier(&server, &time);
    assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Ok(()));

    let mut padded = jwks([&known]);
    padded["padding"] = json!("x".repeat(300 * 1024));
    let twice = format!("{{\"keys\":[],\"keys\":{}}}", jwks([&known])["keys"]);
    let garbage = [
        ("text", Manner::Body(b"<html>Bad gateway</html>".to_vec())),
        ("nothing", Manner::Body(Vec::new())),
        ("no UTF-8", Manner::Body(vec![0xff; 1000])),
        ("an array", Manner::Keys(json!([known.jwk]))),
        ("no keys", Manner::Keys(json!({ "keys": [] }))),
        ("keys of no use", Manner::Keys(json!({ "keys": [{ "kty": "oct", "k": "AAAA" }] }))),
        ("a kid twice", Manner::Keys(jwks([&known, &Signer::es256("k1")]))),
        ("keys twice", Manner::Body(twice.into_bytes())),
        ("too large", Manner::Keys(padded)),
        ("10 MB", Manner::Body(vec![b' '; 10 << 20])),
        ("endless", Manner::Endless),
        ("deep", Manner::Body(b"[".repeat(100_000))),
        ("not found", Manner::Status(404)),
        ("created", Manner::Status(201)),
        ("a redirect", Manner::RedirectTo(format!("{}/keys", elsewhere.issuer))),
        ("a hang-up", Manner::HangUp),
    ];
    for (name, manner) in garbage {
        server.behave(manner);
        time.pass(30);
        let fetches = server.key_fetches();
        let nobody = fresh_token(&server, &Signer::es256("k9"), &time);
        assert_eq!(outcome(&verifier, &nobody).await, Err(CredentialRefusal::Unavailable), "{name}");
        assert!(server.key_fetches() > fetches, "{name}: was fetched");
        assert_eq!(
            outcome(&verifier, &fresh_token(&server, &known, &time)).await,
            Ok(()),
            "{name}: the good set stays"
        );
    }
    assert_eq!(elsewhere.key_fetches(), 0, "redirects are not followed");
}

#[tokio::test]
async fn a_discovery_document_must_speak_for_its_issuer() {
    let (time, signer) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&signer]))).await;
    let keys: Value = format!("{}/keys", server.issuer).into();
    let verifier = verifier(&server, &time);
    for (member, value) in [
        ("issuer", json!("https://evil.example.test")),
        ("issuer", json!(format!("{}/", server.issuer))),
        ("issuer", json!(null)),
        ("jwks_uri", json!(null)),
        ("jwks_uri", json!("/keys")),
        ("jwks_uri", json!("file:///etc/passwd")),
        ("jwks_uri", json!("http://issuer.example.test/keys")),
        ("jwks_uri", json!("http://169.254.169.254/keys")),
    ] {
        server.configure("issuer", server.issuer.clone());
        server.configure("jwks_uri", keys.clone());
        server.configure(member, value.clone());
        time.pass(30);
        assert_eq!(
            outcome(&verifier, &token(&server, &signer, &time)).await,
            Err(CredentialRefusal::Unavailable),
            "{value}"
        );
    }
    assert_eq!(server.key_fetches(), 0);

    server.configure("issuer", server.issuer.clone());
    server.configure("jwks_uri", keys);
    time.pass(30);
    assert_eq!(outcome(&verifier, &token(&server, &signer, &time)).await, Ok(()));
}

#[test]
fn keys_are_fetched_as_safely_as_the_document_that_names_them() {
    for (issuer, keys, safe) in [
        ("https://issuer.example.test", "https://keys.example.test/keys", true),
        ("https://issuer.example.test", "http://issuer.example.test/keys", false),
        ("https://issuer.example.test", "http://127.0.0.1/keys", false),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000/keys", true),
        ("http://127.0.0.1:9000", "http://localhost:9001/keys", true),
        ("http://127.0.0.1:9000", "https://keys.example.test/keys", true),
        ("http://127.0.0.1:9000", "http://keys.example.test/keys", false),
        ("http://127.0.0.1:9000", "http://10.0.0.1/keys", false),
    ] {
        let discovery = Discovery::new(issuer, issuer.parse().expect("an address")).expect("a client");
        let configuration = json!({ "issuer": issuer, "jwks_uri": keys });
        let address = discovery.address(configuration.as_object().expect("an object"), "jwks_uri");
        assert_eq!(address.is_some(), safe, "{issuer} {keys}");
    }
}

#[tokio::test]
async fn a_silent_issuer_costs_five_seconds_and_known_keys_nothing() {
    let (time, known) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&known]))).await;
    let verifier = Arc::new(verifier(&server, &time));
    assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Ok(()));

    server.behave(Manner::Silent);
    time.pass(30);
    let nobody = fresh_token(&server, &Signer::es256("k9"), &time);
    let started = Instant::now();
    let waiting = tokio::spawn({
        let verifier = Arc::clone(&verifier);
        async move { outcome(&verifier, &nobody).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(outcome(&verifier, &fresh_token(&server, &known, &time)).await, Ok(()));
    assert!(started.elapsed() < Duration::from_secs(2), "known keys do not wait for the fetch");
    assert_eq!(waiting.await.expect("no panic"), Err(CredentialRefusal::Unavailable));
    let waited = started.elapsed();
    assert!((4..8).contains(&waited.as_secs()), "{waited:?}");
}

#[tokio::test]
async fn keys_are_fetched_in_the_background() {
    let (time, signer) = (Time::start(), Signer::es256("k1"));
    let server = IssuerServer::start(Manner::Keys(jwks([&signer]))).await;
    let verifier = verifier(&server, &time);
    let watchdog = Watchdog::default();
    verifier.keep_keys_fresh(&watchdog);
    wait_for_fetch(&server).await;
    assert_eq!(server.key_fetches(), 1, "at start, before any token");
    assert_eq!(outcome(&verifier, &token(&server, &signer, &time)).await, Ok(()));
    assert_eq!(server.key_fetches(), 1);
    watchdog.stop();
}

#[tokio::test]
async fn the_background_follows_rotation_and_comes_back_after_an_outage() {
    let (time, old, new) = (Time::start(), Signer::es256("k1"), Signer::es256("k2"));
    let server = IssuerServer::start(Manner::Keys(jwks([&old]))).await;
    let address = format!("{}/.well-known/openid-configuration", server.issuer).parse().expect("an address");
    let discovery = Discovery::new(&server.issuer, address).expect("a client");
    let keys = Arc::new(IssuerKeys::from_discovery(&server.issuer, discovery, GRACE, time.clock()));
    let pace = Duration::from_millis(10);
    let refreshing = tokio::spawn(Arc::clone(&keys).keep_fresh_at(pace, pace, Pulse::start()));
    // No token asks for anything here: the background task has brought every change.
    let held = async |signer: &Signer| {
        let set = KeySet::read(jwks([signer]).as_object().expect("an object")).expect("a set");
        let thumbprint = set.find(None).expect("a key").thumbprint;
        let deadline = Instant::now() + Duration::from_secs(10);
        while !keys.still_holds(&thumbprint) && Instant::now() < deadline {
            // The interval of retries is kept by the clock that is stopped here.
            time.pass(30);
            tokio::time::sleep(pace).await;
        }
        keys.still_holds(&thumbprint)
    };
    assert!(held(&old).await);
    server.behave(Manner::HangUp);
    let before = server.key_fetches();
    while server.key_fetches() < before + 3 {
        time.pass(30);
        tokio::time::sleep(pace).await;
    }
    assert!(held(&old).await, "the last good set stays");
    server.behave(Manner::Keys(jwks([&new])));
    assert!(held(&new).await);
    refreshing.abort();
}
