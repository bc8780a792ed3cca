//! The cache of verified tokens: what it may and may not remember, and that it is worth having.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::super::{CredentialRefusal, Issuer, KeySource, Verifier};
use super::signer::{AUDIENCE, ISSUER, Signer, claims, jwks, with};
use super::time::{START, Time};

fn verifier(time: &Time, signer: &Signer) -> Verifier {
    let issuer = Issuer { keys: KeySource::Document(jwks([signer])), ..Issuer::new(ISSUER, AUDIENCE) };
    Verifier::new(vec![issuer], Duration::ZERO, time.clock()).expect("good settings")
}

#[tokio::test]
async fn a_remembered_token_ends_when_it_says() {
    let (time, signer) = (Time::start(), Signer::es256("k"));
    let verifier = verifier(&time, &signer);
    let token = signer.token(START);

    let first = verifier.verify(&token).await.expect("a good token");
    time.set(START + 3599);
    let again = verifier.verify(&token).await.expect("still good");
    assert!(Arc::ptr_eq(&first, &again), "remembered, not verified again");
    time.set(START + 3600);
    assert_eq!(verifier.verify(&token).await, Err(CredentialRefusal::Explained("The token has expired.")));
    assert_eq!(verifier.count_remembered(), 0, "and forgotten");
}

#[tokio::test]
async fn only_good_tokens_are_remembered() {
    let (time, signer) = (Time::start(), Signer::es256("k"));
    let verifier = verifier(&time, &signer);
    let unverified = signer.sign(&signer.header(), &with(&claims(START), "email_verified", false));
    let expired = signer.sign(&signer.header(), &with(&claims(START), "exp", START));

    assert_eq!(verifier.verify(&unverified).await, Err(CredentialRefusal::Unverified));
    assert_eq!(verifier.verify(&expired).await, Err(CredentialRefusal::Explained("The token has expired.")));
    assert_eq!(verifier.verify(&Signer::es256("k").token(START)).await, Err(CredentialRefusal::Unauthenticated));
    assert_eq!(verifier.count_remembered(), 0);
}

#[tokio::test]
async fn it_remembers_ten_thousand_tokens_at_most() {
    let (time, signer) = (Time::start(), Signer::eddsa("k"));
    let verifier = verifier(&time, &signer);
    for number in 0..10_050 {
        let token = signer.sign(&signer.header(), &with(&claims(START), "sub", number.to_string()));
        assert!(verifier.verify(&token).await.is_ok());
    }
    assert_eq!(verifier.count_remembered(), 10_000);
}

#[test]
fn a_hot_token_is_answered_at_once() {
    let (time, signer) = (Time::start(), Signer::es256("k"));
    let verifier = verifier(&time, &signer);
    let token = signer.token(START);
    let mut context = Context::from_waker(Waker::noop());
    let mut at_once = || match pin!(verifier.verify(&token)).poll(&mut context) {
        Poll::Ready(answer) => answer.expect("a good token"),
        Poll::Pending => panic!("waited"),
    };

    let cold = Instant::now();
    at_once();
    let cold = cold.elapsed();
    let hot = Instant::now();
    for _ in 0..10_000 {
        at_once();
    }
    let hot = hot.elapsed() / 10_000;
    println!("cold {cold:?}, hot {hot:?}");
    // A loose bound, since other tests run at the same time; one signature check takes longer than this.
    assert!(hot < Duration::from_micros(20), "{hot:?}");
}
