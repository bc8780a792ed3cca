//! Issuers that rotate, fail, lie and come back, and several at once. A host that cannot verify a token responds 503,
//! never 401; garbage never takes the place of good keys, and never is a 500.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Answer, Database, Issuer, Signer, Stoa, at_once, eventually, modules, on_one_database};

// The caller is known before a database is asked.
on_one_database![
    rotation_is_followed_at_once_but_never_in_a_hurry,
    known_keys_outlive_an_outage,
    an_outage_is_outlived_for_the_grace_alone,
    without_a_key_it_is_unavailable,
    garbage_never_takes_the_place_of_good_keys,
    garbage_from_the_beginning,
    a_discovery_document_that_lies,
    several_issuers,
    settings_that_are_none,
];

const AUDIENCE: &str = "stoa-suite";

/// Fetches that unknown keys ask for are at least this far apart (host/src/identity/issuer_keys.rs).
const GAP: Duration = Duration::from_secs(30);

/// As deployed. The host itself identifies callers: it needs no module for that.
fn deployed() -> Settings {
    Settings::default().without_dev().modules(modules::none())
}

fn settings(issuer: &Issuer) -> Settings {
    deployed().set("STOA_OIDC_ISSUER", &issuer.url).set("STOA_OIDC_AUDIENCE", AUDIENCE)
}

/// A host that trusts them all.
fn trusting<'a>(database: Database, issuers: impl IntoIterator<Item = &'a Issuer>) -> Stoa {
    let each = |issuer: &Issuer| format!("[[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\n", issuer.url);
    Stoa::start_with(database, deployed().file(issuers.into_iter().map(each).collect::<String>()))
}

fn token(issuer: &Issuer, signer: &Signer, subject: &str) -> String {
    signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, subject))
}

fn me(host: &Stoa, token: &str) -> Answer {
    host.request("GET", "/v1/auth/me").token(token).send()
}

/// Waits until the issuer was asked for its keys `n` times.
fn until_fetched(issuer: &Issuer, n: usize) {
    let begin = Instant::now();
    while issuer.key_fetches() < n {
        assert!(begin.elapsed() < Duration::from_secs(20), "no fetch number {n}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn rotation_is_followed_at_once_but_never_in_a_hurry(database: Database) {
    let (first, second, third) = (Signer::es256("first"), Signer::rs256("second", 0), Signer::eddsa("third"));
    let issuer = Issuer::start(Manner::Keys(jwks([&first])));
    let host = Stoa::start_with(database, settings(&issuer));
    me(&host, &token(&issuer, &first, "alice")).is(200);
    until_fetched(&issuer, 1);

    // At the first token of the new key, while a crowd comes with the old one and the new one: one fetch.
    issuer.behave(Manner::Keys(jwks([&second, &first])));
    let begin = Instant::now();
    let answers = at_once(16, |n| {
        let signer = if n % 2 == 0 { &second } else { &first };
        me(&host, &token(&issuer, signer, &format!("crowd-{n}")))
    });
    for answer in answers {
        answer.is(200);
    }
    assert_eq!(issuer.key_fetches(), 2, "one fetch at the start, one for the unknown key");

    // Invented keys fetch no more within thirty seconds, and neither does a third key that is really the issuer's. The
    // unit tests of `host/src/identity` move the clock past them.
    issuer.behave(Manner::Keys(jwks([&second, &third])));
    let strangers: Vec<Signer> = (0..40).map(|n| Signer::es256(&format!("invented-{n}"))).collect();
    let mut asked: Vec<Answer> = strangers.iter().map(|stranger| me(&host, &token(&issuer, stranger, "eve"))).collect();
    asked.push(me(&host, &token(&issuer, &third, "alice")));
    if begin.elapsed() < GAP {
        asked.into_iter().for_each(|answer| drop(answer.refused(401, "UNAUTHENTICATED")));
        assert_eq!(issuer.key_fetches(), 2, "an unknown key asks for one fetch in thirty seconds");
        // The withdrawn key that the host has seen still holds: it has not fetched since.
        me(&host, &token(&issuer, &first, "alice")).is(200);
    }
}

fn known_keys_outlive_an_outage(database: Database) {
    let (known, unknown) = (Signer::es256("known"), Signer::es256("unknown"));
    let issuer = Issuer::start(Manner::Keys(jwks([&known])));
    let host = Stoa::start_with(database, settings(&issuer));
    let alice = token(&issuer, &known, "alice");
    me(&host, &alice).is(200);
    issuer.down(true);
    let bob = token(&issuer, &known, "bob");
    for held in [&alice, &bob] {
        me(&host, held).is(200);
    }
    // It may be the issuer's newest key: that cannot be known.
    me(&host, &token(&issuer, &unknown, "alice")).refused(503, "UNAVAILABLE");
    // A token that no key could save is refused all the same.
    let mut expired = claims(&issuer.url, AUDIENCE, "alice");
    expired["exp"] = json!(1);
    me(&host, &known.sign(&known.header(), &expired)).refused(401, "UNAUTHENTICATED");
}

fn an_outage_is_outlived_for_the_grace_alone(database: Database) {
    let known = Signer::es256("known");
    let issuer = Issuer::start(Manner::Keys(jwks([&known])));
    let host = Stoa::start_with(database, settings(&issuer).set("STOA_OIDC_GRACE", "1s"));
    until_fetched(&issuer, 1);
    issuer.down(true);
    let alice = token(&issuer, &known, "alice");
    let refused = eventually(|| Some(me(&host, &alice)).filter(|answer| answer.status != 200));
    refused.refused(503, "UNAVAILABLE");
}

fn without_a_key_it_is_unavailable(database: Database) {
    let signer = Signer::es256("k");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    issuer.down(true);
    let host = Stoa::start_with(database, settings(&issuer));
    host.get("/v1/health").is(200);
    host.get("/v1/ready").is(200);
    let alice = token(&issuer, &signer, "alice");
    for _ in 0..3 {
        me(&host, &alice).refused(503, "UNAVAILABLE");
    }
    // A token that names no issuer of ours, or is not a token at all, needs no key to be rejected.
    let other = signer.sign(&signer.header(), &claims("https://elsewhere.example.test", AUDIENCE, "alice"));
    me(&host, &other).refused(401, "UNAUTHENTICATED");
    me(&host, "x").refused(401, "UNAUTHENTICATED");
}

/// Answers of an issuer that are not a set of keys, or none that could verify anything.
fn garbage(good: &Signer, elsewhere: &Issuer) -> Vec<(&'static str, Manner)> {
    let body = |text: &str| Manner::Body(text.as_bytes().to_vec());
    let keys = |keys: Json| Manner::Keys(json!({ "keys": keys }));
    let with = |member: &str, value: Json| {
        let mut jwk = good.jwk.clone();
        jwk[member] = value;
        json!([jwk])
    };
    let whole = jwks([good]).to_string();
    let mut table = vec![
        ("HTML", body("<!doctype html><html><body>Sign in</body></html>")),
        ("nothing", body("")),
        ("null", body("null")),
        ("an array", body("[]")),
        ("no keys member", body("{}")),
        ("empty keys", keys(json!([]))),
        ("keys that are an object", keys(json!({}))),
        ("keys that are text", keys(json!("keys"))),
        ("keys that are numbers", keys(json!([1, 2]))),
        ("JSON cut off", Manner::Body(whole.as_bytes()[..whole.len() - 9].to_vec())),
        ("less than was promised", Manner::Truncated(whole.into_bytes())),
        ("no UTF-8", Manner::Body(b"{\"keys\":[\"\xff\xfe\"]}".to_vec())),
        ("deep", Manner::Body("[".repeat(100_000).into_bytes())),
        ("keys twice", body(&format!("{{\"keys\":[],\"keys\":[{}]}}", good.jwk))),
        ("a kty of another kind", keys(with("kty", json!("RSA")))),
        ("an unknown kty", keys(with("kty", json!("AKP")))),
        ("a symmetric key", keys(json!([{ "kty": "oct", "k": "c2VjcmV0", "kid": good.kid, "alg": "HS256" }]))),
        ("a kty of another type", keys(with("kty", json!(7)))),
        ("a curve of another kind", keys(with("crv", json!("P-521")))),
        ("a point off the curve", keys(with("x", json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")))),
        ("a coordinate cut short", keys(with("y", json!("AAAA")))),
        ("a coordinate that is no base64", keys(with("y", json!("***")))),
        ("a key for encryption", keys(with("use", json!("enc")))),
        ("a private key", keys(with("d", json!("AAAA")))),
        ("two keys of one name", keys(json!([good.jwk, Signer::es256(&good.kid).jwk]))),
        ("a tiny RSA key", keys(json!([{ "kty": "RSA", "n": "w5P8_3rq4DFzTQ", "e": "AQAB", "kid": good.kid }]))),
        ("huge", Manner::Body(format!("{{\"pad\":\"{}\",\"keys\":[{}]}}", "x".repeat(3 << 20), good.jwk).into_bytes())),
        ("endless", Manner::Endless),
        ("a hang-up", Manner::HangUp),
        ("a redirect to good keys", Manner::RedirectTo(format!("{}/keys", elsewhere.url))),
        ("a redirect to nowhere", Manner::RedirectTo("http://127.0.0.1:1/keys".into())),
        ("a redirect to a file", Manner::RedirectTo("file:///etc/passwd".into())),
    ];
    table.extend(
        [204, 304, 400, 401, 403, 404, 410, 429, 500, 502, 503].map(|status| ("a status", Manner::Status(status))),
    );
    table
}

/// An issuer for each piece of garbage. The fetch at the start brings it, and the first token asks for it again.
fn garbage_from_the_beginning(database: Database) {
    let signer = Signer::es256("k");
    let elsewhere = Issuer::start(Manner::Keys(jwks([&signer])));
    let table = garbage(&signer, &elsewhere);
    let issuers: Vec<Issuer> = table.iter().map(|(_, manner)| Issuer::start(manner.clone())).collect();
    let well = Issuer::start(Manner::Keys(jwks([&signer])));
    let host = trusting(database, issuers.iter().chain([&well]));
    for (issuer, (name, manner)) in issuers.iter().zip(&table) {
        for _ in 0..2 {
            let answer = me(&host, &token(issuer, &signer, "alice"));
            assert_eq!((answer.status, &answer["code"]), (503, &json!("UNAVAILABLE")), "{name} {manner:?}: {answer}");
        }
        assert!(issuer.key_fetches() > 0, "{name}: no host asked");
    }
    me(&host, &token(&well, &signer, "alice")).is(200);
    assert_eq!(elsewhere.key_fetches(), 0, "a redirect was followed");
    assert!(!host.log().contains("panicked"), "{}", host.log());
}

/// Good keys first, then a fetch of garbage, which an unknown key asks for.
fn garbage_never_takes_the_place_of_good_keys(database: Database) {
    let (good, unknown) = (Signer::es256("good"), Signer::es256("unknown"));
    let elsewhere = Issuer::start(Manner::Keys(jwks([&unknown])));
    let table = garbage(&good, &elsewhere);
    let issuers: Vec<Issuer> = table.iter().map(|_| Issuer::start(Manner::Keys(jwks([&good])))).collect();
    let host = trusting(database, &issuers);
    for (issuer, (name, manner)) in issuers.iter().zip(table) {
        let alice = token(issuer, &good, "alice");
        me(&host, &alice).is(200);
        let fetches = issuer.key_fetches();
        issuer.behave(manner);
        me(&host, &token(issuer, &unknown, "eve")).refused(503, "UNAVAILABLE");
        assert!(issuer.key_fetches() > fetches, "{name}: the unknown key asked for no fetch");
        for held in [&alice, &token(issuer, &good, "bob")] {
            let answer = me(&host, held);
            assert_eq!(answer.status, 200, "{name}: the last good keys stay: {answer}");
        }
    }
    assert_eq!(elsewhere.key_fetches(), 0, "a redirect was followed");
    assert!(!host.log().contains("panicked"), "{}", host.log());
}

fn a_discovery_document_that_lies(database: Database) {
    let signer = Signer::es256("k");
    let elsewhere = Issuer::start(Manner::Keys(jwks([&signer])));
    let lies: [fn(&str, &str) -> Manner; 14] = [
        |_, other| Manner::Keys(json!({ "issuer": other, "jwks_uri": format!("{other}/keys") })),
        |mine, other| Manner::Keys(json!({ "issuer": other, "jwks_uri": format!("{mine}/keys") })),
        |mine, _| Manner::Keys(json!({ "issuer": format!("{mine}/"), "jwks_uri": format!("{mine}/keys") })),
        |mine, _| Manner::Keys(json!({ "issuer": [mine], "jwks_uri": format!("{mine}/keys") })),
        |mine, _| Manner::Keys(json!({ "jwks_uri": format!("{mine}/keys") })),
        |mine, _| Manner::Keys(json!({ "issuer": mine })),
        |mine, _| Manner::Keys(json!({ "issuer": mine, "jwks_uri": 7 })),
        |mine, _| Manner::Keys(json!({ "issuer": mine, "jwks_uri": "file:///etc/passwd" })),
        |mine, _| Manner::Keys(json!({ "issuer": mine, "jwks_uri": "http://192.0.2.1/keys" })),
        |mine, _| Manner::Keys(json!({ "issuer": mine, "jwks_uri": "/keys" })),
        |_, _| Manner::Body(b"<html>".to_vec()),
        |_, _| Manner::Endless,
        |_, other| Manner::RedirectTo(format!("{other}/.well-known/openid-configuration")),
        |_, _| Manner::Status(404),
    ];
    let liars: Vec<Issuer> = lies
        .iter()
        .map(|lie| {
            let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
            issuer.discover(Some(lie(&issuer.url, &elsewhere.url)));
            issuer
        })
        .collect();
    let honest = Issuer::start(Manner::Keys(jwks([&signer])));
    let host = trusting(database, liars.iter().chain([&honest]));
    for (n, liar) in liars.iter().enumerate() {
        let answer = me(&host, &token(liar, &signer, "alice"));
        assert_eq!((answer.status, &answer["code"]), (503, &json!("UNAVAILABLE")), "lie {n}: {answer}");
        assert_eq!(liar.key_fetches(), 0, "lie {n}: its keys were asked for");
    }
    me(&host, &token(&honest, &signer, "alice")).is(200);
    assert_eq!(elsewhere.key_fetches() + elsewhere.discoveries(), 0, "another issuer was asked");
}

fn several_issuers(database: Database) {
    // The same key names at both, and the same key at the first two: a name and a key say nothing of who speaks.
    let (shared, own_key) = (Signer::es256("k"), Signer::es256("k"));
    let (one, two) = (Issuer::start(Manner::Keys(jwks([&shared]))), Issuer::start(Manner::Keys(jwks([&shared]))));
    let (strict, down) = (Issuer::start(Manner::Keys(jwks([&own_key]))), Issuer::start(Manner::HangUp));
    let file = format!(
        "[[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\n\
         [[oidc]]\nissuer = \"{}\"\naudience = \"other-audience\"\n\
         [[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\nalgorithms = [\"RS256\"]\ntypes = [\"at+jwt\"]\n\
         [[oidc]]\nissuer = \"{}\"\naudience = \"{AUDIENCE}\"\n",
        one.url, two.url, strict.url, down.url
    );
    let host = Stoa::start_with(database, deployed().file(file));
    let token = |issuer: &Issuer, audience: &str, signer: &Signer| {
        signer.sign(&signer.header(), &claims(&issuer.url, audience, "alice"))
    };
    let at_one = me(&host, &token(&one, AUDIENCE, &shared)).is(200);
    let at_two = me(&host, &token(&two, "other-audience", &shared)).is(200);
    assert_eq!(at_one["subject"], at_two["subject"]);
    assert_eq!(at_one["email"], at_two["email"]);
    assert_ne!(at_one.id(), at_two.id(), "the same subject at two issuers is two people");
    // Records of one are nothing to the other, whatever the two have in common.
    let company = host
        .request("POST", "/v1/onboarding/companies")
        .token(&token(&one, AUDIENCE, &shared))
        .json(&stoa_tests::company::onboarding("Of One"))
        .send()
        .is(201);
    let context = format!("/v1/tenants/{}/context", company.text("tenantId"));
    host.request("GET", &context).token(&token(&one, AUDIENCE, &shared)).send().is(200);
    let stranger = host.request("GET", &context).token(&token(&two, "other-audience", &shared)).send();
    stranger.refused(403, "MEMBERSHIP_REQUIRED");
    // The file gives each its own audience and lists; the host's own unit tests cover the rest.
    me(&host, &token(&two, AUDIENCE, &shared)).refused(401, "UNAUTHENTICATED");
    me(&host, &token(&strict, AUDIENCE, &own_key)).refused(401, "UNAUTHENTICATED");
    // One that is down harms no other.
    me(&host, &token(&down, AUDIENCE, &shared)).refused(503, "UNAVAILABLE");
    me(&host, &token(&one, AUDIENCE, &shared)).is(200);
    assert_eq!(host.rows("select subject from stoa_user").len(), 2);
}

/// Faults of the settings end the start with a word, not with a panic.
fn settings_that_are_none(database: Database) {
    let refused = |settings: Settings| {
        let said = match Stoa::try_start(database, settings) {
            Ok(_) => panic!("the host started"),
            Err(said) => said,
        };
        assert!(!said.contains("panicked") && said.contains("stoa: "), "{said}");
        said
    };
    let oidc =
        |issuer: &str, audience: &str| deployed().set("STOA_OIDC_ISSUER", issuer).set("STOA_OIDC_AUDIENCE", audience);
    assert!(refused(deployed()).contains("no identity provider"));
    refused(deployed().set("STOA_OIDC_ISSUER", "https://issuer.example.test"));
    for address in [
        "http://issuer.example.test",
        "http://192.0.2.1",
        "ftp://127.0.0.1/",
        "issuer",
        "file:///tmp",
        "https://u:p@issuer.example.test",
    ] {
        refused(oidc(address, AUDIENCE));
    }
    refused(oidc("https://issuer.example.test", ""));
    let twice = "[[oidc]]\nissuer = \"https://a.example.test\"\naudience = \"a\"\n".repeat(2);
    refused(deployed().file(twice));
    for list in
        ["algorithms = [\"none\"]", "algorithms = [\"HS256\"]", "algorithms = []", "types = []", "secret = \"x\""]
    {
        let file = format!("[[oidc]]\nissuer = \"https://a.example.test\"\naudience = \"a\"\n{list}\n");
        refused(deployed().file(file));
    }
}
