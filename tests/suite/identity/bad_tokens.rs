//! Hundreds of credentials that are none, end to end: each is refused, none is a 500, and nothing of them comes back in an answer or
//! stays in the log. [P9]

mod claims;
mod forms;
mod headers;
mod tiny_key;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{self, jwks};
use stoa_tests::{Answer, Database, Issuer, Signer, Stoa, modules, on_one_database};

// Judged before a database is asked, or of what no database knows.
on_one_database![p09_every_bad_token_is_refused];

pub const AUDIENCE: &str = "stoa-suite";

/// One bad credential: the values of the `Authorization` headers that carry it.
pub struct Bad {
    pub name: String,
    pub values: Vec<Vec<u8>>,
    /// 401, or 403 for a good token of somebody whose address nobody has verified.
    pub status: u16,
}

impl Bad {
    pub fn new(name: impl Into<String>, values: &[&[u8]]) -> Bad {
        Bad { name: name.into(), values: values.iter().map(|value| value.to_vec()).collect(), status: 401 }
    }

    pub fn token(name: impl Into<String>, token: &str) -> Bad {
        Bad::new(name, &[format!("Bearer {token}").as_bytes()])
    }

    pub fn unverified(name: impl Into<String>, token: &str) -> Bad {
        Bad { status: 403, ..Bad::token(name, token) }
    }
}

/// The parts of bad tokens: a key of the issuer, another key of it, and a stranger's under the same name.
pub struct Forge<'a> {
    pub issuer: &'a str,
    pub signer: &'a Signer,
    pub sibling: &'a Signer,
    pub stranger: &'a Signer,
    pub jwks: &'a Json,
}

impl Forge<'_> {
    /// Claims in which nothing is wrong.
    pub fn claims(&self) -> Json {
        signer::claims(self.issuer, AUDIENCE, "canary-subject")
    }

    /// A good token, unlike any before: what stands in it must not be found anywhere.
    pub fn good(&self) -> String {
        self.with_claim("jti", json!(uuid::Uuid::new_v4()))
    }

    pub fn with_claim(&self, name: &str, value: Json) -> String {
        self.signer.sign(&self.signer.header(), &with(&self.claims(), name, value))
    }

    pub fn with_header(&self, name: &str, value: Json) -> String {
        self.signer.sign(&with(&self.signer.header(), name, value), &self.claims())
    }
}

/// The object with one member set.
pub fn with(object: &Json, name: &str, value: Json) -> Json {
    let mut object = object.clone();
    object[name] = value;
    object
}

pub fn without(object: &Json, name: &str) -> Json {
    stoa_tests::company::without(object, name)
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
    let mut published = jwks([&es, &rs, &ps, &ed]);
    if let Some(keys) = published["keys"].as_array_mut() {
        keys.push(tiny_key::jwk("tiny"));
    }
    let issuer = Issuer::start(Manner::Keys(published.clone()));
    let settings = Settings::default()
        .without_dev()
        .modules(modules::none())
        .set("STOA_OIDC_ISSUER", &issuer.url)
        .set("STOA_OIDC_AUDIENCE", AUDIENCE)
        .set("STOA_LOG", "debug");
    let host = Stoa::start_with(database, settings);

    let strangers = [Signer::es256("es"), Signer::rs256("rs", 1), Signer::eddsa("ed")];
    let forges = [(&es, &ed, &strangers[0]), (&rs, &es, &strangers[1]), (&ed, &es, &strangers[2])]
        .map(|(signer, sibling, stranger)| Forge { issuer: &issuer.url, signer, sibling, stranger, jwks: &published });
    let mut table: Vec<Bad> = Vec::new();
    for forge in &forges {
        let tables = [claims::table(forge), headers::table(forge), forms::table(forge)];
        for mut bad in tables.into_iter().flatten() {
            bad.name = format!("{}: {}", forge.signer.alg, bad.name);
            table.push(bad);
        }
    }
    table.push(Bad::token("a good signature by a tiny RSA key", &tiny_key::token("tiny", &forges[0].claims())));
    // A PS256 signature under the name RS256, by one and the same RSA key, and the other way round.
    for (named, signed) in [(&rs, &ps), (&ps, &rs)] {
        let token = signed.sign(&named.header(), &forges[0].claims());
        table.push(Bad::token(format!("{} under the name of {}", signed.alg, named.alg), &token));
    }
    let mut distinct = BTreeSet::new();
    for bad in &table {
        assert!(distinct.insert(&bad.values), "{}: stands twice in the table", bad.name);
    }
    assert!(distinct.len() >= 150, "only {} distinct credentials", distinct.len());

    for signer in [&es, &rs, &ps, &ed] {
        let token = signer.sign(&signer.header(), &signer::claims(&issuer.url, AUDIENCE, "somebody-good"));
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
            assert!(answer.errors().is_empty(), "{}: {answer}", bad.name);
            let shown = format!("{:?}\n{}", answer.headers, String::from_utf8_lossy(&answer.bytes));
            assert_eq!(leaked(bad, &shown), None, "{}: {answer}", bad.name);
        }
    }
    assert_eq!(host.rows("select id from stoa_user").len(), users, "a record was made of a bad token");
    assert!(host.rows("select id from stoa_tenant").is_empty(), "a bad token made a company");

    let log = host.log();
    assert!(log.contains("user token refused"), "the log of this host tells nothing, so nothing can be missing in it");
    for bad in &table {
        assert_eq!(leaked(bad, &log), None, "{}: in the log", bad.name);
    }
    assert!(!log.contains("canary"), "a claim is in the log");
    assert!(!log.contains("panicked"));
    println!("{} bad credentials", table.len());

    // Nothing of all this did harm.
    for forge in &forges {
        ask(&host, "GET", "/v1/auth/me", &[format!("bEARER {}", forge.good()).into_bytes()]).is(200);
    }
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
