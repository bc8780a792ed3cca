//! The steps that `stoa token check` prints: the same judgement as a request's, with the fault and its remedy.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Issuer, KeySource, TokenStep, TokenVerdict, Verifier};
use super::issuer_server::{IssuerServer, Manner};
use super::signer::{AUDIENCE, ISSUER, Signer, claims, jwks, with, without};
use super::time::{START, Time};

fn verifier(signer: &Signer) -> Verifier {
    let issuer = Issuer { keys: KeySource::Document(jwks([signer])), ..Issuer::new(ISSUER, AUDIENCE) };
    Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings")
}

fn names(steps: &[TokenStep]) -> Vec<&'static str> {
    steps.iter().map(|step| step.name).collect()
}

#[tokio::test]
async fn every_step_of_a_good_token_passes() {
    let signer = Signer::es256("k");
    let steps = verifier(&signer).explain(&signer.token(START)).await;
    let all = ["form", "issuer", "algorithm", "type", "key", "signature", "audience", "time", "subject", "address"];
    assert_eq!(names(&steps), all);
    assert!(steps.iter().all(|step| step.verdict == TokenVerdict::Pass && step.remedy.is_none()), "{steps:?}");
    assert!(steps.iter().all(|step| !step.says.is_empty()), "{steps:?}");
}

#[tokio::test]
async fn the_last_step_names_the_fault() {
    let (signer, stranger) = (Signer::es256("k"), Signer::es256("k"));
    let verifier = verifier(&signer);
    let good = &claims(START);
    let with_claim = |name: &str, value: Value| signer.sign(&signer.header(), &with(good, name, value));
    let with_header = |name: &str, value: Value| signer.sign(&with(&signer.header(), name, value), good);
    for (token, name, says) in [
        ("opaque".to_owned(), "form", "not three segments"),
        ("a".repeat(9_000), "form", "longer than any token may be"),
        (with_claim("iss", json!("https://other.test")), "issuer", "\"https://other.test\""),
        (with_header("alg", json!("RS256")), "signature", "not by the key"),
        (with_header("typ", json!("logout+jwt")), "type", "\"logout+jwt\""),
        (with_header("kid", json!("nobody")), "key", "\"nobody\""),
        (stranger.token(START), "signature", "not by the key"),
        (with_claim("aud", json!(["account"])), "audience", "account"),
        (with_claim("exp", json!(START - 1)), "time", "expired"),
        (with_claim("sub", json!(7)), "subject", "sub is missing"),
        (with_claim("cnf", json!({})), "subject", "bound to a key"),
        (with_claim("email_verified", json!("true")), "address", "\"true\""),
        (signer.sign(&signer.header(), &without(good, "email")), "address", "no claim \"email\""),
        (signer.sign(&signer.header(), &without(good, "email_verified")), "address", "no claim \"email_verified\""),
    ] {
        let steps = verifier.explain(&token).await;
        let last = steps.last().expect("a step");
        assert_eq!((last.name, last.verdict), (name, TokenVerdict::Fail), "{steps:?}");
        assert!(last.says.contains(says), "{says}: {last:?}");
        assert!(last.remedy.is_some_and(|remedy| remedy.ends_with('.')), "{last:?}");
        assert!(steps.iter().rev().skip(1).all(|step| step.verdict != TokenVerdict::Fail), "{steps:?}");
        assert!(verifier.verify(&token).await.is_err(), "{name}: a request is judged alike");
    }
}

#[tokio::test]
async fn a_value_of_the_token_is_one_line() {
    let signer = Signer::es256("k");
    let token =
        signer.sign(&with(&signer.header(), "typ", json!(format!("\u{1b}[2J\n{}", "x".repeat(900)))), &claims(START));
    let steps = verifier(&signer).explain(&token).await;
    let last = steps.last().expect("a step");
    assert!(!last.says.contains(char::is_control) && last.says.len() < 400, "{last:?}");
}

#[tokio::test]
async fn an_issuer_that_is_down_is_named_with_its_address() {
    let signer = Signer::es256("k");
    let server = IssuerServer::start(Manner::Status(503)).await;
    let issuer = Issuer::new(&server.issuer, AUDIENCE);
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    let token = signer.sign(&signer.header(), &with(&claims(START), "iss", server.issuer.clone()));
    let steps = verifier.explain(&token).await;
    let last = steps.last().expect("a step");
    assert_eq!((last.name, last.verdict), ("key", TokenVerdict::Fail), "{steps:?}");
    assert!(last.says.contains(&server.issuer) && last.says.contains("503"), "{last:?}");
}
