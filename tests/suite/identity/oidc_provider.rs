//! A real OpenID provider in front of the host: people of `oidc-provider`, its keys rotated, its outage. [P9]

use stoa_tests::host::Settings;
use stoa_tests::oidc_provider::{AUDIENCE, Provider};
use stoa_tests::{Answer, Database, Stoa, modules, on_one_database, record};

// Checked before a request reaches the database, or independent of it.
on_one_database![people_come_by_their_tokens, keys_rotate, an_outage_is_outlived];

/// The provider. Without one, the run reports that the test did not run.
fn provider(test: &str) -> Option<Provider> {
    let missing = |why: &String| record::tell_not_run(&format!("identity::oidc_provider::{test}"), why);
    Provider::start().inspect_err(missing).ok()
}

/// A host as deployed, whose people come from this provider.
fn host(database: Database, provider: &Provider) -> Stoa {
    // The caller's identity is the host's own business: it needs no module for that.
    let settings = Settings::default().without_dev().modules(modules::none());
    let settings = settings.set("STOA_OIDC_ISSUER", &provider.url).set("STOA_OIDC_AUDIENCE", AUDIENCE);
    Stoa::start_with(database, settings)
}

fn me(host: &Stoa, token: &str) -> Answer {
    host.request("GET", "/v1/auth/me").token(token).send()
}

fn people_come_by_their_tokens(database: Database) {
    let Some(provider) = provider("people_come_by_their_tokens") else { return };
    let host = host(database, &provider);
    let users = || host.rows("select subject, email from stoa_user order by subject");
    assert!(users().is_empty(), "no user before the first token");

    let alice = me(&host, &provider.token("alice", "ES256")).is(200);
    assert_eq!((alice.text("subject"), alice.text("email")), ("alice".into(), "alice@example.test".into()));
    assert_eq!((&alice["emailVerified"], &alice["displayName"]), (&true.into(), &"alice".into()));
    // Another token, signed by a key of another kind: the same person.
    let again = me(&host, &provider.token("alice", "RS256")).is(200);
    assert_eq!(again.body, alice.body);
    let bob = me(&host, &provider.token("bob", "RS256")).is(200);
    assert_ne!(bob.id(), alice.id());
    assert_eq!(users(), [["alice", "alice@example.test"], ["bob", "bob@example.test"]]);

    // Not a verified person: the answer says so, and no record is made.
    for alg in ["ES256", "RS256"] {
        me(&host, &provider.token("unverified-eve", alg)).refused(403, "IDENTITY_UNVERIFIED");
    }
    assert_eq!(users().len(), 2);

    // A person of a real provider makes a company and works in it.
    let token = provider.token("alice", "ES256");
    let body = stoa_tests::company::onboarding("Alice & Co");
    let company = host.request("POST", "/v1/onboarding/companies").token(&token).json(&body).send().is(201);
    let path = format!("/v1/tenants/{}/context", company.text("tenantId"));
    host.request("GET", &path).token(&token).send().is(200);
    host.request("GET", &path).token(&provider.token("bob", "ES256")).send().refused(403, "MEMBERSHIP_REQUIRED");
}

fn keys_rotate(database: Database) {
    let Some(provider) = provider("keys_rotate") else { return };
    let host = host(database, &provider);
    let old = provider.token("alice", "ES256");
    me(&host, &old).is(200);
    // The new key is found at its first token, and the old one goes on while it is published.
    provider.keys(&["second", "first"]);
    let new = provider.token("alice", "ES256");
    me(&host, &new).is(200);
    me(&host, &old).is(200);
    host.restart();
    me(&host, &old).is(200);
    // Withdrawn: a host that has not fetched since goes on; one that has does not.
    provider.keys(&["second"]);
    host.restart();
    me(&host, &new).is(200);
    me(&host, &old).refused(401, "UNAUTHENTICATED");
}

fn an_outage_is_outlived(database: Database) {
    let Some(provider) = provider("an_outage_is_outlived") else { return };
    let host = host(database, &provider);
    let (alice, bob) = (provider.token("alice", "ES256"), provider.token("bob", "RS256"));
    me(&host, &alice).is(200);
    provider.close();
    me(&host, &alice).is(200);
    me(&host, &bob).is(200);
    // A host that starts meanwhile has no key: it cannot verify tokens, and responds so.
    host.restart();
    me(&host, &alice).refused(503, "UNAVAILABLE");
    provider.open();
    host.restart();
    me(&host, &alice).is(200);
}
