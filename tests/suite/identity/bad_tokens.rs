//! Invalid credentials, end to end: each is refused, none is a 500, and nothing of them comes back in an answer or
//! stays in the log. [P9] Rule by rule tokens are judged in the host's unit tests
//! (host/src/identity/tests/token_table.rs); here is one of each kind of answer, and every way to carry a token
//! wrongly.

mod carriers;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use stoa_tests::company::with;
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{base64url, claims, jwks, now};
use stoa_tests::{Answer, Database, Issuer, Signer, Stoa, modules, on_one_database};

// Checked before a request reaches the database, or independent of it.
on_one_database![p09_every_bad_token_is_refused];

const AUDIENCE: &str = "stoa-suite";

/// One bad credential: the values of the `Authorization` headers that carry it.
struct Bad {
    name: String,
    values: Vec<Vec<u8>>,
    /// 401, or 403 for a good token of a user whose address is not verified.
    status: u16,
}

impl Bad {
    fn new(name: impl Into<String>, values: &[&[u8]]) -> Bad {
        Bad { name: name.into(), values: values.iter().map(|value| value.to_vec()).collect(), status: 401 }
    }

    fn token(name: &str, token: &str) -> Bad {
        Bad::new(name, &[format!("Bearer {token}").as_bytes()])
    }
}

/// A token of each kind that the host distinguishes: form, header, key, signature, claims, address.
fn tokens(signer: &Signer, stranger: &Signer, good: &Json) -> Vec<Bad> {
    let header = signer.header();
    let with_claims = |members: Json| signer.sign(&header, &with(good, members));
    let whole = with_claims(json!({ "jti": uuid::Uuid::new_v4() }));
    let none = with(&header, json!({ "alg": "none" }));
    let unsigned = format!("{}.{}.", base64url(none.to_string()), base64url(good.to_string()));
    let unknown = signer.sign(&with(&header, json!({ "kid": "canary\r\nX-Canary: yes" })), good);
    vec![
        Bad::token("half a token", &whole[..whole.len() / 2]),
        Bad::token("8 KiB and one", &with_claims(json!({ "pad": "x".repeat(6_200) }))),
        Bad::token("40 KiB", &with_claims(json!({ "pad": "x".repeat(30_000) }))),
        Bad::token("no signature, as alg none has it", &unsigned),
        Bad::token("by a key that the issuer does not publish", &unknown),
        Bad::token("by a stranger under the issuer's name", &stranger.sign(&stranger.header(), good)),
        Bad::token("expired", &with_claims(json!({ "exp": now() - 1 }))),
        Bad::token("for another audience", &with_claims(json!({ "aud": "canary" }))),
        Bad::token("bound to a key", &with_claims(json!({ "cnf": { "jkt": "canary" } }))),
        Bad::token("of a subject with line feeds", &with_claims(json!({ "sub": "canary\r\nX-Canary: yes" }))),
        Bad { status: 403, ..Bad::token("of no verified address", &with_claims(json!({ "email_verified": false }))) },
    ]
}

fn ask(host: &Stoa, method: &str, path: &str, values: &[Vec<u8>]) -> Answer {
    let mut request = host.request(method, path);
    for value in values {
        request = request.also_bytes("authorization", value);
    }
    match method {
        "GET" => request.send(),
        _ => request.json(&stoa_tests::company::onboarding("Forged")).send(),
    }
}

fn p09_every_bad_token_is_refused(database: Database) {
    let (es, rs, ps, ed) = (Signer::es256("es"), Signer::rs256("rs", 0), Signer::ps256("ps", 0), Signer::eddsa("ed"));
    let issuer = Issuer::start(Manner::Keys(jwks([&es, &rs, &ps, &ed])));
    let settings = Settings::default()
        .without_dev()
        .modules(modules::none())
        .set("STOA_OIDC_ISSUER", &issuer.url)
        .set("STOA_OIDC_AUDIENCE", AUDIENCE)
        .set("STOA_LOG", "debug");
    let host = Stoa::start_with(database, settings);

    let known = claims(&issuer.url, AUDIENCE, "canary-subject");
    // Unlike any before: its content must not be found anywhere.
    let good = || es.sign(&es.header(), &with(&known, json!({ "jti": uuid::Uuid::new_v4() })));
    let mut table = tokens(&es, &Signer::es256("es"), &known);
    table.extend(carriers::table(good));
    let mut distinct = BTreeSet::new();
    for bad in &table {
        assert!(distinct.insert(&bad.values), "{}: is twice in the table", bad.name);
    }

    for signer in [&es, &rs, &ps, &ed] {
        let token = signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "somebody-good"));
        host.request("GET", "/v1/auth/me").token(&token).send().is(200);
    }
    let users = host.rows("select id from stoa_user").len();
    let mut shape: BTreeMap<u16, Json> = BTreeMap::new();
    for bad in &table {
        for (method, path) in [("GET", "/v1/auth/me"), ("POST", "/v1/onboarding/companies")] {
            let answer = ask(&host, method, path, &bad.values);
            let code = if bad.status == 401 { "UNAUTHENTICATED" } else { "IDENTITY_UNVERIFIED" };
            let got = (answer.status, answer["code"].as_str());
            assert_eq!(got, (bad.status, Some(code)), "{}: {answer}", bad.name);
            // One body for all: no word about what exactly is wrong.
            assert_eq!(answer.masked().1, *shape.entry(bad.status).or_insert(answer.masked().1), "{}", bad.name);
            // The signature of a token without a verified address is good: its owner learns where the fault is.
            let places: &[&str] = if bad.status == 403 { &["/header/Authorization"] } else { &[] };
            assert_eq!(answer.pointers(), places, "{}: {answer}", bad.name);
            let shown = format!("{:?}\n{}", answer.headers, String::from_utf8_lossy(&answer.bytes));
            assert_eq!(leaked(bad, &shown), None, "{}: {answer}", bad.name);
        }
    }
    assert_eq!(host.rows("select id from stoa_user").len(), users, "a record was made of a bad token");
    assert!(host.rows("select id from stoa_tenant").is_empty(), "a bad token made a company");

    let log = host.log();
    assert!(log.contains("user token refused"), "the log of this host is empty, so nothing can be missing in it");
    for bad in &table {
        assert_eq!(leaked(bad, &log), None, "{}: in the log", bad.name);
    }
    assert!(!log.contains("canary"), "a claim is in the log");
    assert!(!log.contains("panicked"));
    println!("{} bad credentials", table.len());

    // Nothing of all this did harm.
    ask(&host, "GET", "/v1/auth/me", &[format!("bEARER {}", good()).into_bytes()]).is(200);
}

/// A part of the credential that is long enough to be its own, found in a text.
fn leaked(bad: &Bad, text: &str) -> Option<String> {
    let parts = bad.values.iter().flat_map(|value| value.split(|byte| b" .,;\"{}:".contains(byte)));
    let telling = parts.filter(|part| part.len() >= 20).filter_map(|part| std::str::from_utf8(&part[..20]).ok());
    // A text that any refusal may contain.
    telling
        .filter(|part| !"application/problem+json".starts_with(part))
        .find(|part| text.contains(part))
        .map(String::from)
}
