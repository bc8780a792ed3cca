//! Sign-in and sessions: by development, by a provider with code and PKCE, and everything that is not a session.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use stoa_tests::host::{self, Settings};
use stoa_tests::issuer::Manner;
use stoa_tests::oidc_provider::{self, Provider};
use stoa_tests::request::encode;
use stoa_tests::signer::{base64url, claims, jwks};
use stoa_tests::{Answer, Database, Issuer, Signer, Stoa, modules, on_one_database, record};

// Checked before a request reaches the database, or independent of it.
on_one_database![
    a_development_host_signs_in_with_one_click,
    without_a_client_there_are_no_pages,
    a_provider_signs_a_user_in_by_code_and_pkce,
    a_real_provider_signs_a_user_in,
    a_return_that_was_not_begun_here_is_rejected,
    a_fault_of_the_provider_is_a_page,
    a_text_of_another_purpose_is_no_session,
    a_large_token_is_kept_in_pieces,
    a_token_near_its_end_is_refreshed_once,
    a_link_of_another_site_reads_the_page_again,
    a_suspended_member_is_out_with_the_next_page,
    the_sign_in_leads_nowhere_else,
    signing_out_ends_the_session,
];

const AUDIENCE: &str = "stoa-suite";

/// The public address of a host with a client: the test carries its users there.
pub const ADDRESS: &str = "http://127.0.0.1:9";

/// A browser without script: it keeps cookies and follows nothing.
pub struct Visitor {
    host: Stoa,
    pub origin: String,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl Visitor {
    pub fn new(host: &Stoa, origin: &str) -> Visitor {
        Visitor { host: host.clone(), origin: origin.to_owned(), cookies: Mutex::default() }
    }

    /// A user of a development host who has signed in.
    pub fn signed_in(host: &Stoa, email: &str) -> Visitor {
        let visitor = Visitor::new(host, &host.url());
        let answer = visitor.post("/console/sign-in", &[("email", email), ("to", "/console")]);
        assert_eq!(answer.status, 303, "{answer}");
        visitor
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None)
    }

    pub fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        self.send("POST", path, &[("origin", &self.origin)], Some(form))
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], form: Option<&[(&str, &str)]>) -> Answer {
        let mut request = self.host.request(method, path).unchecked();
        let cookies: Vec<String> = self.all().iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            request = request.header("cookie", &cookies.join("; "));
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(form) = form {
            let pairs: Vec<String> = form.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
            request = request.header("content-type", "application/x-www-form-urlencoded").bytes(pairs.join("&"));
        }
        let answer = request.send();
        for (name, value) in read_cookies(&answer) {
            let mut kept = self.cookies.lock().expect("cookies");
            if value.is_empty() {
                kept.remove(&name)
            } else {
                kept.insert(name, value)
            };
        }
        answer
    }

    pub fn all(&self) -> BTreeMap<String, String> {
        self.cookies.lock().expect("cookies").clone()
    }

    pub fn set(&self, name: &str, value: &str) {
        self.cookies.lock().expect("cookies").insert(name.to_owned(), value.to_owned());
    }

    /// The token of a form of this page.
    pub fn csrf(&self, path: &str) -> String {
        let page = text(&self.get(path).is(200));
        let value = page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        value.unwrap_or_else(|| panic!("no form with a token at {path}: {page}")).to_owned()
    }

    fn has_session(&self) -> bool {
        let answer = self.get("/console");
        !(answer.status == 303 && location(&answer).starts_with("/console/sign-in"))
    }
}

pub fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.bytes).into_owned()
}

pub fn location(answer: &Answer) -> String {
    answer.header("location").unwrap_or_else(|| panic!("no location: {answer}")).to_owned()
}

/// Name and value of each cookie that a response sets.
fn read_cookies(answer: &Answer) -> Vec<(String, String)> {
    let set = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let pairs = set.filter_map(|cookie| cookie.split(';').next()?.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The value of a parameter of an address.
fn parameter(address: &str, name: &str) -> String {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    value.unwrap_or_else(|| panic!("no {name} in {address}")).to_owned()
}

/// An issuer whose token endpoint responds with a token of this subject.
fn issuer(signer: &Signer, more: Json) -> Issuer {
    let issuer = Issuer::start(Manner::Keys(jwks([signer])));
    issue(&issuer, signer, more);
    issuer
}

fn issue(issuer: &Issuer, signer: &Signer, more: Json) {
    let token = signer.sign(&signer.header(), &claims(&issuer.url, AUDIENCE, "alice"));
    let mut tokens = json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 });
    for (name, value) in more.as_object().into_iter().flatten() {
        tokens[name] = value.clone();
    }
    issuer.issue(200, tokens);
}

fn settings(issuer: &str, audience: &str) -> Settings {
    let settings = Settings::default().without_dev().modules(modules::none());
    settings.set("STOA_OIDC_ISSUER", issuer).set("STOA_OIDC_AUDIENCE", audience)
}

fn host_of(database: Database, issuer: &Issuer) -> Stoa {
    let settings = settings(&issuer.url, AUDIENCE);
    Stoa::start_with(database, settings.set("STOA_CONSOLE_URL", ADDRESS).set("STOA_CONSOLE_CLIENT_ID", "console"))
}

/// Goes to the provider and comes back with this code.
fn sign_in(visitor: &Visitor, code: &str) -> Answer {
    let departure = visitor.get("/console/leave?provider=0&to=/console/new").is(302);
    let state = parameter(&location(&departure), "state");
    visitor.get(&format!("/console/callback?code={code}&state={state}"))
}

fn a_development_host_signs_in_with_one_click(database: Database) {
    let host = host::shared(database);
    let visitor = Visitor::new(&host, &host.url());
    let page = text(&visitor.get("/console/sign-in?to=/console/new").is(200));
    assert!(page.contains("name=\"to\" value=\"/console/new\"") && page.contains("name=\"email\""), "{page}");
    let answer = visitor.post("/console/sign-in", &[("email", "no address"), ("to", "/console")]).is(400);
    assert!(text(&answer).contains("Enter an e-mail address") && visitor.all().is_empty(), "{answer}");
    let answer = visitor.post("/console/sign-in", &[("email", "owner@example.test"), ("to", "/console/new")]).is(303);
    assert_eq!(location(&answer), "/console/new");
    let set = answer.header("set-cookie").expect("a cookie");
    assert!(set.starts_with("stoa_console=") && set.contains("; Path=/console; Max-Age=43200"), "{set}");
    assert!(set.ends_with("; HttpOnly; SameSite=Strict"), "{set}");
    assert!(visitor.has_session());
}

fn without_a_client_there_are_no_pages(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let host = Stoa::start_with(database, settings(&issuer.url, AUDIENCE));
    host.get("/console").refused(404, "NOT_FOUND");
    host.get("/console/sign-in").refused(404, "NOT_FOUND");
    let off = Stoa::start_with(database, Settings::default().modules(modules::none()).set("STOA_CONSOLE", "off"));
    off.get("/console").refused(404, "NOT_FOUND");
    off.console().get("console").refused(404, "NOT_FOUND");
    assert!(!off.log().contains("console at"), "{}", off.log());
    let no_address = settings(&issuer.url, AUDIENCE).set("STOA_CONSOLE_CLIENT_ID", "console");
    let said = Stoa::try_start(database, no_address).err().expect("a client without an address");
    assert!(said.contains("STOA_CONSOLE_URL is not set"), "{said}");
}

fn a_provider_signs_a_user_in_by_code_and_pkce(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let more = "audience=stoa&resource=urn:stoa";
    let settings =
        settings(&issuer.url, AUDIENCE).set("STOA_CONSOLE_URL", ADDRESS).set("STOA_CONSOLE_PARAMETERS", more);
    let settings = settings.set("STOA_CONSOLE_CLIENT_ID", "console").set("STOA_CONSOLE_CLIENT_SECRET", "s3cret");
    let host = Stoa::start_with(database, settings);
    let visitor = Visitor::new(&host, ADDRESS);
    let answer = visitor.get("/console/new").is(303);
    assert_eq!(location(&answer), format!("/console/sign-in?to={}", encode("/console/new").replace('-', "%2D")));
    let page = text(&visitor.get(&location(&answer)).is(200));
    assert!(page.contains("/console/leave?provider=0&amp;to=%2Fconsole%2Fnew"), "{page}");
    assert!(!page.contains("name=\"email\""), "only a development host asks for an address: {page}");

    let departure = visitor.get("/console/leave?provider=0&to=%2Fconsole%2Fnew").is(302);
    let away = location(&departure);
    assert!(away.starts_with(&format!("{}/authorization?", issuer.url)) && away.ends_with(more), "{away}");
    assert_eq!(parameter(&away, "redirect_uri"), encode(&format!("{ADDRESS}/console/callback")));
    assert_eq!(parameter(&away, "code_challenge_method"), "S256");
    let set = departure.header("set-cookie").expect("a cookie");
    assert!(set.starts_with("stoa_sign_in=") && set.contains("; Path=/console/callback; Max-Age=600"), "{set}");
    assert!(set.ends_with("; HttpOnly; SameSite=Lax"), "{set}");

    let state = parameter(&away, "state");
    let back = visitor.get(&format!("/console/callback?code=c1&state={state}&iss={}", encode(&issuer.url))).is(200);
    assert!(text(&back).contains("content=\"0;url=/console/new\""), "{back}");
    let forms = issuer.forms();
    let verifier = parameter(&format!("?{}", forms[0]), "code_verifier");
    assert_eq!(parameter(&away, "code_challenge"), base64url(Sha256::digest(verifier)));
    assert!(forms[0].contains("grant_type=authorization_code&code=c1&") && forms[0].ends_with("&resource=urn:stoa"));
    assert!(!forms[0].contains("client_id"), "a secret identifies the client: {}", forms[0]);
    assert!(!visitor.all().contains_key("stoa_sign_in"), "the way back is used up");
    assert!(visitor.has_session());
    assert!(!host.log().contains("s3cret") && !host.log().contains(&state));
}

fn a_real_provider_signs_a_user_in(database: Database) {
    let name = "console::sign_in::a_real_provider_signs_a_user_in";
    let missing = |why: &String| record::tell_not_run(name, why);
    let Ok(provider) = Provider::start().inspect_err(missing) else { return };
    let settings = settings(&provider.url, oidc_provider::AUDIENCE).set("STOA_CONSOLE_URL", ADDRESS);
    let settings = settings.set("STOA_CONSOLE_CLIENT_ID", "console").set("STOA_CONSOLE_CLIENT_SECRET", "not-a-secret");
    let host =
        Stoa::start_with(database, settings.set("STOA_CONSOLE_PARAMETERS", "resource=urn:stoa:ES256&login_hint=alice"));
    let visitor = Visitor::new(&host, ADDRESS);
    let away = location(&visitor.get("/console/leave?provider=0&to=/console/new").is(302));
    let back = provider.sign_in(&away, ADDRESS);
    let answer = visitor.get(&back).is(200);
    assert!(text(&answer).contains("content=\"0;url=/console/new\""), "{answer}");
    assert!(visitor.has_session());
    assert_eq!(host.rows("select email from stoa_user"), [["alice@example.test"]]);
    // The provider takes a code once, and the host a return.
    visitor.get(&back).is(400);
}

fn a_return_that_was_not_begun_here_is_rejected(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let host = host_of(database, &issuer);
    let visitor = Visitor::new(&host, ADDRESS);
    let depart = || parameter(&location(&visitor.get("/console/leave?provider=0&to=/console").is(302)), "state");
    let state = depart();
    // Another state, none, and the state of this user in another browser.
    visitor.get(&format!("/console/callback?code=c&state=x{state}")).is(400);
    let state = depart();
    visitor.get("/console/callback?code=c").is(400);
    Visitor::new(&host, ADDRESS).get(&format!("/console/callback?code=c&state={state}")).is(400);
    let state = depart();
    visitor.get(&format!("/console/callback?code=c&state={state}&iss=https%3A%2F%2Fevil.example")).is(403);
    let state = depart();
    let answer = visitor.get(&format!("/console/callback?error=access_denied&state={state}")).is(403);
    assert!(text(&answer).contains("access_denied"), "{answer}");
    assert!(issuer.forms().is_empty(), "no code was sent: {:?}", issuer.forms());
    assert!(!visitor.has_session());
    visitor.get("/console/leave?provider=1&to=/console").is(404);
}

fn a_fault_of_the_provider_is_a_page(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let host = host_of(database, &issuer);
    let visitor = Visitor::new(&host, ADDRESS);
    for (status, tokens, expected) in [
        (400, json!({ "error": "invalid_grant" }), 403),
        (503, json!({}), 502),
        (200, json!({ "id_token": "i" }), 502),
        (200, json!({ "access_token": "a", "token_type": "DPoP" }), 502),
        // The host's own verifier judges the token.
        (200, json!({ "access_token": "a.b.c", "token_type": "Bearer" }), 401),
        (200, json!({ "access_token": "a".repeat(9_000), "token_type": "Bearer" }), 401),
    ] {
        issuer.issue(status, tokens);
        sign_in(&visitor, "c").is(expected);
        assert!(!visitor.has_session(), "{status}");
    }
    issuer.down(true);
    sign_in(&visitor, "c").is(502);
}

fn a_text_of_another_purpose_is_no_session(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let host = host_of(database, &issuer);
    let visitor = Visitor::new(&host, ADDRESS);
    visitor.get("/console/leave?provider=0&to=/console").is(302);
    visitor.set("stoa_console", &visitor.all()["stoa_sign_in"]);
    assert!(!visitor.has_session(), "a departure is no session");
    sign_in(&visitor, "c").is(200);
    assert!(visitor.has_session());
    let whole = visitor.all()["stoa_console"].clone();
    for index in [0, 1, whole.len() / 2, whole.len() - 2] {
        let mut touched = whole.clone();
        let other = if touched.as_bytes()[index] == b'A' { "B" } else { "A" };
        touched.replace_range(index..=index, other);
        visitor.set("stoa_console", &touched);
        assert!(!visitor.has_session(), "one byte off at {index}");
    }
    visitor.set("stoa_console", &whole);
    assert!(visitor.has_session());
}

fn a_large_token_is_kept_in_pieces(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({}));
    let host = host_of(database, &issuer);
    let visitor = Visitor::new(&host, ADDRESS);
    let mut long = claims(&issuer.url, AUDIENCE, "alice");
    long["groups"] = "g".repeat(4_500).into();
    let token = signer.sign(&signer.header(), &long);
    issuer.issue(200, json!({ "access_token": token, "token_type": "Bearer" }));
    sign_in(&visitor, "c").is(200);
    assert_eq!(visitor.all().keys().collect::<Vec<_>>(), ["stoa_console", "stoa_console1", "stoa_console2"]);
    assert!(visitor.all().values().all(|piece| piece.len() <= 3_800) && visitor.has_session());
    // A shorter one deletes the pieces of the longer one.
    issue(&issuer, &signer, json!({}));
    sign_in(&visitor, "c").is(200);
    assert_eq!(visitor.all().keys().collect::<Vec<_>>(), ["stoa_console"]);
    issuer.issue(200, json!({ "access_token": token, "token_type": "Bearer", "refresh_token": "r".repeat(5_000) }));
    let answer = sign_in(&visitor, "c").is(502);
    assert!(text(&answer).contains("larger than 8 KiB"), "{answer}");
}

fn a_token_near_its_end_is_refreshed_once(database: Database) {
    let signer = Signer::es256("k");
    let issuer = issuer(&signer, json!({ "expires_in": 30, "refresh_token": "r1" }));
    let host = host_of(database, &issuer);
    let visitor = Visitor::new(&host, ADDRESS);
    sign_in(&visitor, "c").is(200);
    let before = visitor.all()["stoa_console"].clone();
    // While the provider is away the token serves to its end.
    issuer.issue(503, json!({}));
    assert!(visitor.has_session());
    assert_eq!(visitor.all()["stoa_console"], before);
    issue(&issuer, &signer, json!({ "refresh_token": "r2" }));
    assert!(visitor.has_session());
    assert_ne!(visitor.all()["stoa_console"], before, "the response sets the new session");
    let forms = issuer.forms();
    assert!(forms[2].starts_with("grant_type=refresh_token&refresh_token=r1"), "{forms:?}");
    assert!(visitor.has_session());
    assert_eq!(issuer.forms().len(), forms.len(), "a token with an hour left is not refreshed");
    // Past its end, a token that cannot be refreshed is not a session.
    issue(&issuer, &signer, json!({ "expires_in": 0 }));
    sign_in(&visitor, "c").is(200);
    assert!(!visitor.has_session());
    assert!(visitor.all().is_empty(), "its cookies are deleted: {:?}", visitor.all());
}

fn a_link_of_another_site_reads_the_page_again(database: Database) {
    let host = host::shared(database);
    let visitor = Visitor::new(&host, &host.url());
    let answer = visitor.send("GET", "/console/new?a=b", &[("sec-fetch-site", "cross-site")], None).is(200);
    assert!(text(&answer).contains("content=\"0;url=/console/new?a=b\""), "{answer}");
    visitor.send("GET", "/console/new?a=b", &[("sec-fetch-site", "same-origin")], None).is(303);
}

fn a_suspended_member_is_out_with_the_next_page(database: Database) {
    let host = host::shared(database);
    let shop = host.company();
    let email = stoa_tests::people::somebody("member");
    let user = host.user_id(&email);
    let member = shop.iam("create_membership", json!({ "userId": user })).is(201).id();
    let visitor = Visitor::signed_in(&host, &email);
    let page = format!("/console/{}", shop.tenant);
    visitor.get(&page).is(200);
    shop.iam("set_membership_status", json!({ "membershipId": member, "status": "SUSPENDED" })).is(201);
    visitor.get(&page).is(403);
}

fn the_sign_in_leads_nowhere_else(database: Database) {
    let host = host::shared(database);
    for (to, expected) in [
        ("/console/new", "/console/new"),
        ("/console/x?_form=createBrand", "/console/x?_form=createBrand"),
        ("/console", "/console"),
        ("https://evil.example", "/console"),
        ("//evil.example", "/console"),
        ("/console//evil.example", "/console"),
        ("/console/\\evil.example", "/console"),
        ("/console/\nx", "/console"),
        ("/consoles", "/console"),
        ("/v1/docs", "/console"),
        ("", "/console"),
    ] {
        let visitor = Visitor::new(&host, &host.url());
        let answer = visitor.post("/console/sign-in", &[("email", "owner@example.test"), ("to", to)]).is(303);
        assert_eq!(location(&answer), expected, "{to:?}");
    }
}

fn signing_out_ends_the_session(database: Database) {
    let host = host::shared(database);
    let shop = host.company();
    let visitor = Visitor::signed_in(&host, "owner@example.test");
    let token = visitor.csrf(&format!("/console/{}", shop.tenant));
    visitor.post("/console/sign-out", &[("csrf", "00")]).is(403);
    assert!(visitor.has_session());
    visitor.post("/console/sign-out", &[("csrf", &token)]).is(303);
    assert!(visitor.all().is_empty() && !visitor.has_session());
}
