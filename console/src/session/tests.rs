//! Sessions against a host that is a table of answers.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, header};

use super::*;
use crate::host::{Arrival, Contract, Departure, Later, Seals, SignInFault};

/// Seals by writing the purpose before the text.
struct Table {
    address: Option<String>,
    refreshed: Result<u64, SignInFault>,
    refreshes: AtomicUsize,
}

impl Seals for Table {
    fn seal(&self, purpose: &str, plain: &[u8]) -> Option<String> {
        Some(format!("{}.{}", hex::encode(purpose), hex::encode(plain)))
    }

    fn unseal(&self, purpose: &str, sealed: &str) -> Option<Vec<u8>> {
        let (of, plain) = sealed.split_once('.')?;
        (of == hex::encode(purpose)).then(|| hex::decode(plain).ok())?
    }
}

impl UserHost for Table {
    fn send(&self, _request: Request<Bytes>, _peer: IpAddr) -> Later<'_, http::Response<Bytes>> {
        Box::pin(async { http::Response::new(Bytes::from_static(b"{}")) })
    }

    fn contract(&self) -> Contract {
        Contract { etag: String::new(), bytes: Bytes::new() }
    }

    fn find_peer(&self, connection: IpAddr, _headers: &HeaderMap) -> IpAddr {
        connection
    }

    fn provider_names(&self) -> &[String] {
        &[]
    }

    fn begin_sign_in<'a>(&'a self, _: usize, _: &'a str) -> Later<'a, Result<Departure, SignInFault>> {
        Box::pin(async { Err(SignInFault::Unreachable) })
    }

    fn finish_sign_in<'a>(&'a self, _: Arrival<'a>) -> Later<'a, Result<Tokens, SignInFault>> {
        Box::pin(async { Err(SignInFault::Unreachable) })
    }

    fn refresh<'a>(&'a self, _: usize, _: &'a str) -> Later<'a, Result<Tokens, SignInFault>> {
        self.refreshes.fetch_add(1, Ordering::Relaxed);
        let tokens = |seconds| Tokens { access: "new".to_owned(), refresh: None, seconds };
        Box::pin(async move { self.refreshed.map(tokens) })
    }

    fn is_development(&self) -> bool {
        true
    }

    fn mint_token(&self, _: &str) -> Option<Tokens> {
        None
    }

    fn own_address(&self) -> Option<&str> {
        self.address.as_deref()
    }
}

fn table(refreshed: Result<u64, SignInFault>) -> Arc<Table> {
    Arc::new(Table { address: None, refreshed, refreshes: AtomicUsize::new(0) })
}

/// A session of which this many seconds have passed and whose token is valid for this many more.
fn kept(passed: i64, left: i64, refresh: Option<&str>) -> Kept {
    let now = Utc::now().timestamp();
    Kept {
        access: "old".to_owned(),
        refresh: refresh.map(str::to_owned),
        provider: 0,
        user: "u".to_owned(),
        email: "owner@example.com".to_owned(),
        expiry: now + left,
        start: now - passed,
        key: [7; 32],
    }
}

/// The request headers of a browser that received these cookies.
fn bring(cookies: &[HeaderValue]) -> HeaderMap {
    let texts = cookies.iter().map(|cookie| cookie.to_str().expect("a text").split(';').next().expect("a pair"));
    let pairs: Vec<&str> = texts.filter(|pair| !pair.ends_with('=')).collect();
    let mut headers = HeaderMap::new();
    headers.insert(header::COOKIE, pairs.join("; ").parse().expect("a value"));
    headers
}

async fn token(host: &Arc<Table>, kept: &Kept) -> Option<String> {
    let seen: Arc<dyn UserHost> = host.clone();
    // At its end a session has no cookies any more: a browser may still have the ones from before.
    let cookies = kept.seal(host.as_ref(), kept.start).expect("cookies");
    match Session::open(&seen, &bring(&cookies), "/console").await {
        Found::User(session) => Some(session.token),
        Found::Leave(_) => None,
    }
}

#[tokio::test]
async fn a_session_ends_with_its_token_and_after_twelve_hours() {
    let host = table(Err(SignInFault::Unreachable));
    for (passed, left, refresh, expected) in [
        (10, 300, None, Some("old")),
        (10, 30, None, Some("old")),
        (10, -1, None, None),
        (LONGEST, 300, None, None),
        // The provider does not respond: the token is used to its end.
        (10, 30, Some("r"), Some("old")),
        (10, -1, Some("r"), None),
    ] {
        let found = token(&host, &kept(passed, left, refresh)).await;
        assert_eq!(found.as_deref(), expected, "{passed} {left} {refresh:?}");
    }
}

#[tokio::test]
async fn a_token_near_its_end_is_refreshed_and_kept() {
    let host = table(Ok(300));
    let seen: Arc<dyn UserHost> = host.clone();
    let before = kept(10, 30, Some("r")).seal(host.as_ref(), Utc::now().timestamp()).expect("cookies");
    let Found::User(session) = Session::open(&seen, &bring(&before), "/console").await else { panic!("no session") };
    assert_eq!(session.token, "new");
    let Found::User(session) = Session::open(&seen, &bring(&session.cookies), "/console").await else {
        panic!("no session")
    };
    assert_eq!((session.token.as_str(), host.refreshes.load(Ordering::Relaxed)), ("new", 1));
}

#[tokio::test]
async fn a_long_token_is_cut_into_pieces_and_a_longer_one_is_none() {
    let host = table(Ok(300));
    let long = |length: usize| Kept { access: "x".repeat(length), ..kept(10, 300, None) };
    let cookies = long(6_000).seal(host.as_ref(), Utc::now().timestamp()).expect("cookies");
    assert_eq!(cookies.len(), MOST_PIECES);
    assert!(cookies.iter().all(|cookie| cookie.len() < 4_096));
    assert_eq!(token(&host, &long(6_000)).await.map(|token| token.len()), Some(6_000));
    assert!(long(8_000).seal(host.as_ref(), Utc::now().timestamp()).is_none());
}

#[test]
fn cookies_are_strict_and_of_https_only_there() {
    for (address, name, secure) in
        [(None, "stoa_console=", false), (Some("https://shop.example"), "__Secure-stoa_console=", true)]
    {
        let host = Table { address: address.map(str::to_owned), refreshed: Ok(0), refreshes: AtomicUsize::new(0) };
        let cookies = kept(0, 300, None).seal(&host, Utc::now().timestamp()).expect("cookies");
        let first = cookies.first().and_then(|cookie| cookie.to_str().ok()).expect("a cookie");
        assert!(first.starts_with(name) && first.contains("; Path=/console; Max-Age=43"), "{first}");
        assert!(first.contains("; HttpOnly; SameSite=Strict"), "{first}");
        assert_eq!(first.ends_with("; Secure"), secure, "{first}");
    }
}
