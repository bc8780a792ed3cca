//! Tokens as the verifier judges them [P9].

use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Algorithm, CredentialRefusal, Issuer, KeySource, Verifier};
use super::STRANGE_KEY;
use super::signer::{AUDIENCE, ISSUER, Signer, claims, jwks, with, without};
use super::time::{START, Time};
use super::token_table::{OTHER_AUDIENCE, OTHER_ISSUER, Verdict, table};

const NO: Verdict = Err(CredentialRefusal::Unauthenticated);

fn verifier(time: &Time, signers: &[Signer], others: &[Signer]) -> Verifier {
    let ours = Issuer { keys: KeySource::Document(jwks(signers)), ..Issuer::new(ISSUER, AUDIENCE) };
    let other = Issuer { keys: KeySource::Document(jwks(others)), ..Issuer::new(OTHER_ISSUER, OTHER_AUDIENCE) };
    Verifier::new(vec![ours, other], Duration::ZERO, time.clock()).expect("good settings")
}

#[tokio::test]
async fn every_token_of_the_table_is_judged_as_it_says() {
    let signers = Signer::one_of_each();
    // The other trusted issuer's keys, of the same kinds and under the same names.
    let strangers = [Signer::rs256("rs", 1), Signer::ps256("ps", 0), Signer::es256("es"), Signer::eddsa("ed")];
    let verifier = verifier(&Time::start(), &signers, &strangers);
    for (signer, stranger) in signers.iter().zip(&strangers) {
        let table = table(signer, stranger);
        let refused = table.iter().filter(|(.., expected)| expected.is_err()).count();
        assert!(refused >= 150, "{refused} bad tokens");
        for (name, token, expected) in table {
            // Twice: a verdict may not depend on having been asked before.
            for _ in 0..2 {
                let verdict = verifier.verify(&token).await.map(|_| ()).map_err(|refusal| match refusal {
                    CredentialRefusal::Explained(_) => CredentialRefusal::Unauthenticated,
                    refusal => refusal,
                });
                assert_eq!(verdict, expected, "{}: {name}", signer.alg);
            }
        }
    }
}

/// The response names the fault of a caller's own token, and nothing about a forged one.
#[tokio::test]
async fn what_is_wrong_is_reported_of_good_signatures_alone() {
    let [signer, stranger] = [Signer::es256("k"), Signer::es256("k")];
    let verifier = verifier(&Time::start(), std::slice::from_ref(&signer), &[Signer::es256("k")]);
    let reported = |why| Err(CredentialRefusal::Explained(why));
    for (name, value, expected) in [
        ("exp", json!(START - 1), reported("The token has expired.")),
        ("aud", json!("other"), reported("The token is for another audience.")),
        ("cnf", json!({ "jkt": "x" }), reported("The token is bound to a key and is no bearer token.")),
        ("sub", json!(7), NO),
    ] {
        let claims = with(&claims(START), name, value);
        assert_eq!(verifier.verify(&signer.sign(&signer.header(), &claims)).await.map(|_| ()), expected, "{name}");
        assert_eq!(verifier.verify(&stranger.sign(&stranger.header(), &claims)).await.map(|_| ()), NO, "{name}");
    }
    assert_eq!(verifier.verify("nonsense").await.map(|_| ()), reported("The token is malformed."));
}

#[tokio::test]
async fn each_issuer_speaks_for_its_own_users_only() {
    let (ours, theirs) = (Signer::es256("k"), Signer::es256("k"));
    let time = Time::start();
    let verifier = verifier(&time, std::slice::from_ref(&ours), std::slice::from_ref(&theirs));
    let of_other = with(&with(&claims(START), "iss", OTHER_ISSUER), "aud", OTHER_AUDIENCE);

    let user = verifier.verify(&theirs.sign(&theirs.header(), &of_other)).await.expect("a good token");
    assert_eq!((user.issuer.as_str(), user.subject.as_str()), (OTHER_ISSUER, "248289761001"));
    assert_eq!(verifier.verify(&ours.sign(&ours.header(), &of_other)).await, Err(CredentialRefusal::Unauthenticated));
    assert_eq!(verifier.verify(&theirs.token(START)).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn claims_tell_who_the_user_is() {
    let signer = Signer::es256("k");
    let verifier = verifier(&Time::start(), std::slice::from_ref(&signer), &[Signer::es256("k")]);
    let user = verifier.verify(&signer.token(START)).await.expect("a good token");
    assert_eq!(user.issuer, ISSUER);
    assert_eq!(user.subject, "248289761001");
    assert_eq!(user.email, "alice@example.test");
    assert_eq!(user.name.as_deref(), Some("Alice Adams"));
    assert_eq!(user.expires_at, START + 3600);

    for (name, shown) in [
        (json!("  Alice  "), Some("Alice".to_owned())),
        (json!("Al\u{0}ice\n"), Some("Alice".to_owned())),
        (json!(" \n "), None),
        (json!(""), None),
        (json!(7), None),
        (json!("é".repeat(300)), Some("é".repeat(200))),
    ] {
        let token = signer.sign(&signer.header(), &with(&claims(START), "name", name));
        assert_eq!(verifier.verify(&token).await.expect("a good token").name, shown);
    }
}

#[tokio::test]
async fn a_key_without_a_name_serves_while_it_is_alone() {
    let signer = Signer::es256("k");
    let anonymous = json!({ "keys": [without(&signer.jwk, "kid")] });
    let verifier_of = |document: Value| {
        let issuer = Issuer { keys: KeySource::Document(document), ..Issuer::new(ISSUER, AUDIENCE) };
        Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings")
    };
    let without_kid = signer.sign(&without(&signer.header(), "kid"), &claims(START));

    assert!(verifier_of(anonymous.clone()).verify(&without_kid).await.is_ok());
    assert!(verifier_of(jwks([&signer])).verify(&without_kid).await.is_ok());
    // A name that the key does not bear is an unknown key, also where the set has only one key.
    assert_eq!(verifier_of(anonymous).verify(&signer.token(START)).await, Err(STRANGE_KEY));
    let two = jwks([&signer, &Signer::es256("other")]);
    assert_eq!(verifier_of(two).verify(&without_kid).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn an_rsa_key_without_alg_signs_by_both_schemes() {
    let signers = [Signer::rs256("k", 0), Signer::ps256("k", 0)];
    let document = json!({ "keys": [without(&signers[0].jwk, "alg")] });
    let issuer = Issuer { keys: KeySource::Document(document), ..Issuer::new(ISSUER, AUDIENCE) };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    for signer in &signers {
        assert!(verifier.verify(&signer.token(START)).await.is_ok(), "{}", signer.alg);
    }
    // One with alg signs only by that scheme, however good the signature.
    let issuer = Issuer { keys: KeySource::Document(jwks([&signers[0]])), ..Issuer::new(ISSUER, AUDIENCE) };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    assert!(verifier.verify(&signers[0].token(START)).await.is_ok());
    assert_eq!(verifier.verify(&signers[1].token(START)).await, Err(CredentialRefusal::Unauthenticated));
}

#[tokio::test]
async fn an_issuers_lists_narrow_what_it_may_send() {
    let signers = [Signer::es256("es"), Signer::rs256("rs", 0)];
    let issuer = Issuer {
        algorithms: vec![Algorithm::ES256],
        types: vec!["at+jwt".to_owned()],
        keys: KeySource::Document(jwks(&signers)),
        ..Issuer::new(ISSUER, AUDIENCE)
    };
    let verifier = Verifier::new(vec![issuer], Duration::ZERO, Time::start().clock()).expect("good settings");
    let [es, rs] = &signers;

    assert!(verifier.verify(&es.token(START)).await.is_ok());
    assert_eq!(verifier.verify(&rs.token(START)).await, Err(CredentialRefusal::Unauthenticated));
    for header in [with(&es.header(), "typ", "JWT"), without(&es.header(), "typ")] {
        assert_eq!(verifier.verify(&es.sign(&header, &claims(START))).await, Err(CredentialRefusal::Unauthenticated));
    }
}

#[tokio::test]
async fn without_an_issuer_every_token_is_refused() {
    let verifier =
        Verifier::new(Vec::new(), Duration::ZERO, Time::start().clock()).expect("no settings are good settings");
    assert_eq!(verifier.verify(&Signer::es256("k").token(START)).await, Err(CredentialRefusal::Unauthenticated));
}
