//! Bounds of one caller's requests in all, and the cost of rejected ones.

use std::thread;
use std::time::Instant;

use serde_json::json;
use stoa_tests::company::{fresh, onboarding};
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{
    Answer, Company, Database, Issuer, Signer, Stoa, at_once, eventually, in_one_window, modules, on_both_databases,
    on_one_database,
};

use super::count_writes;

on_both_databases![
    a_user_has_one_limit_over_all_companies,
    a_user_makes_so_many_companies_in_a_day,
    companies_of_others_do_not_use_up_a_users_day,
    requests_at_once_make_no_more_companies_than_the_limit,
    // They count what a host of their own does, and allow for what it does by itself meanwhile: a busy machine changes
    // nothing.
    strangers_cost_reads_and_no_writer,
    a_strangers_write_costs_no_writer,
    two_names_of_one_user_are_written_once_a_minute,
    readiness_is_looked_up_once_a_second,
    a_revoked_key_is_looked_up_once_a_second,
];

// They are read before a database is opened.
on_one_database![former_names_of_limits_work_and_are_logged];

// It needs more than a hundred attempts within a second.
on_both_databases![timed: made_up_keys_are_bounded_by_subscriber];

/// Requests at once that each make a company.
const FOUNDERS: usize = 6;
/// Threads that try made-up keys, and attempts of each.
const ATTACKERS: usize = 16;
const ATTEMPTS: usize = 25;

/// The reads and writes of a host by itself since then: some four times a second.
fn count_own(began: Instant) -> u64 {
    10 + 6 * began.elapsed().as_secs()
}

/// Without modules: who may ask at all is the host's own business. On one server, where all requests meet.
fn bare(database: Database, set: &[(&str, &str)]) -> Stoa {
    let settings = Settings::default().modules(modules::none()).places(1);
    Stoa::start_with(database, set.iter().fold(settings, |settings, (name, value)| settings.set(name, value)))
}

fn a_user_has_one_limit_over_all_companies(database: Database) {
    let host =
        bare(database, &[("STOA_USER_REQUESTS_PER_MINUTE", "30"), ("STOA_USER_REQUESTS_PER_MINUTE_TOTAL", "30")]);
    let answers = in_one_window(|| {
        let token = host.token(&format!("{}@example.test", fresh("busy")));
        let found = |nth: usize| {
            let request = host.request("POST", "/v1/onboarding/companies").token(&token);
            request.json(&onboarding(&format!("Busy {nth}"))).send().is(201).text("tenantId")
        };
        let companies: Vec<String> = (0..3).map(found).collect();
        (0..40).map(|nth| host.get_with(&format!("/v1/tenants/{}/context", companies[nth % 3]), &token)).collect()
    });
    let (admitted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert!((25..=30).contains(&admitted.len()), "{} of 40", admitted.len());
    for refused in refused {
        let refused = refused.refused(429, "RATE_LIMITED");
        assert!(refused.header("retry-after").is_some(), "{refused}");
    }
    // Another user is not held up.
    host.company().get("context").is(200);
}

fn a_user_makes_so_many_companies_in_a_day(database: Database) {
    let host = bare(database, &[("STOA_COMPANIES_PER_USER_AND_DAY", "2")]);
    let make = |email: &str| {
        let request = host.request("POST", "/v1/onboarding/companies").token(&host.token(email));
        request.json(&onboarding("One more")).send()
    };
    make("founder@example.test").is(201);
    make("founder@example.test").is(201);
    let refused = make("founder@example.test").refused(429, "COMPANY_LIMIT_REACHED");
    let header = |name: &str| -> i64 { refused.header(name).and_then(|text| text.parse().ok()).expect(name) };
    let (wait, reset) = (header("retry-after"), header("x-ratelimit-reset"));
    assert!((86_000..=86_401).contains(&wait), "the first of the two counts for a day: {wait}");
    assert_eq!((header("x-ratelimit-limit"), header("x-ratelimit-remaining")), (2, 0));
    let now = i64::try_from(stoa_tests::signer::now()).expect("seconds");
    assert!((reset - now - wait).abs() <= 5, "the headers agree: {reset}, {now}, {wait}");
    make("another@example.test").is(201);
}

/// Two limits had other names. A deployment that still uses them keeps its limits.
fn former_names_of_limits_work_and_are_logged(database: Database) {
    let settings = |file: &str| {
        let settings = Settings::default().modules(modules::none()).file(file);
        settings.unset("STOA_USER_REQUESTS_PER_MINUTE_TOTAL").unset("STOA_COMPANIES_PER_USER_AND_DAY")
    };
    let make = |host: &Stoa| {
        let token = host.token("founder@example.test");
        host.request("POST", "/v1/onboarding/companies").token(&token).json(&onboarding("One more")).send()
    };
    let shown = |host: &Stoa| -> serde_json::Value {
        let output = host.command().args(["serve", "--dev", "--print-config"]).output().expect("the binary runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let renamed = "STOA_USER_COMPANIES_PER_DAY is now called STOA_COMPANIES_PER_USER_AND_DAY";

    // One by the environment, the other by the file.
    let old = settings("user_total_requests_per_minute = 1234\n").set("STOA_USER_COMPANIES_PER_DAY", "1");
    let host = Stoa::start_with(database, old);
    make(&host).is(201);
    make(&host).refused(429, "COMPANY_LIMIT_REACHED");
    let log = host.log();
    let total = "STOA_USER_TOTAL_REQUESTS_PER_MINUTE is now called STOA_USER_REQUESTS_PER_MINUTE_TOTAL";
    assert!(log.contains(renamed) && log.contains(total), "{log}");
    let config = shown(&host);
    assert_eq!(config["user_requests_per_minute_total"], 1234, "{config}");
    assert_eq!(config["companies_per_user_and_day"], 1, "{config}");

    // The new name has precedence in one source, and the environment before the file.
    let both = settings("user_companies_per_day = 7\nuser_total_requests_per_minute = 7\n");
    let both = both.set("STOA_USER_COMPANIES_PER_DAY", "7").set("STOA_COMPANIES_PER_USER_AND_DAY", "2");
    let host = Stoa::start_with(database, both.set("STOA_USER_REQUESTS_PER_MINUTE_TOTAL", "4321"));
    let config = shown(&host);
    assert_eq!(config["companies_per_user_and_day"], 2, "{config}");
    assert_eq!(config["user_requests_per_minute_total"], 4321, "{config}");

    // Nothing is logged where only the new names are used.
    let new = settings("companies_per_user_and_day = 2\n").set("STOA_USER_REQUESTS_PER_MINUTE_TOTAL", "1000");
    let host = Stoa::start_with(database, new);
    make(&host).is(201);
    assert!(!host.log().contains("is now called"), "{}", host.log());
}

fn companies_of_others_do_not_use_up_a_users_day(database: Database) {
    let host = bare(database, &[("STOA_COMPANIES_PER_USER_AND_DAY", "2")]);
    let user = host.user_id("wanted@example.test");
    for nth in 0..4 {
        let shop = host.company_of(&format!("pusher-{nth}@example.test"));
        shop.iam("create_membership", json!({ "userId": user })).is(201);
    }
    let made = host.operator(&["create", "--name", "By hand", "--currency", "EUR", "--owner", &user]);
    made.expect("a company");
    let token = host.token("wanted@example.test");
    let make = || host.request("POST", "/v1/onboarding/companies").token(&token).json(&onboarding("My own")).send();
    make().is(201);
    make().is(201);
    make().refused(429, "COMPANY_LIMIT_REACHED");
}

fn requests_at_once_make_no_more_companies_than_the_limit(database: Database) {
    let host = bare(database, &[("STOA_COMPANIES_PER_USER_AND_DAY", "2")]);
    let token = host.token("hasty@example.test");
    host.get_with("/v1/auth/me", &token).is(200);
    let make = || host.request("POST", "/v1/onboarding/companies").token(&token).json(&onboarding("At once")).send();
    let other = host.company();
    // On PostgreSQL all of them have counted, or wait until they may count, before the first company is there.
    let held = (database == Database::Postgres).then(|| other.hold("lock table stoa_tenant in share mode"));
    let answers: Vec<Answer> = thread::scope(|scope| {
        let asked: Vec<_> = (0..FOUNDERS).map(|_| scope.spawn(make)).collect();
        if held.is_some() {
            eventually(|| (other.waiting_transactions() >= FOUNDERS).then_some(()));
        }
        drop(held);
        asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
    });
    let (made, refused): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(made.len(), 2, "companies of {FOUNDERS} requests");
    for refused in refused {
        refused.refused(429, "COMPANY_LIMIT_REACHED");
    }
}

fn strangers_cost_reads_and_no_writer(database: Database) {
    let host = bare(database, &[("STOA_USER_REQUESTS_PER_MINUTE", "5")]);
    let token = host.token("stranger@example.test");
    host.get_with("/v1/auth/me", &token).is(200);
    let (before, began) = (count_writes(&host), Instant::now());
    for _ in 0..100 {
        let path = format!("/v1/tenants/{}/context", uuid::Uuid::now_v7());
        assert!(matches!(host.get_with(&path, &token).status, 403 | 429));
    }
    let writes = count_writes(&host) - before;
    let minutes = 2 + began.elapsed().as_secs() / 60;
    // Five permits a minute, one at a time, and what the host does by itself.
    assert!(writes < 5 * minutes + count_own(began), "{writes} writes for 100 requests of a stranger");
}

fn a_strangers_write_costs_no_writer(database: Database) {
    let host = bare(database, &[]);
    let company = host.company().as_user("stranger@example.test");
    let nowhere = Company { tenant: "no-company".into(), ..company.clone() };
    let command = json!({ "kind": "create_role", "code": "MINE", "name": "Mine" });
    // The permits of a minute are leased once.
    company.post("iam/commands", command.clone()).refused(403, "MEMBERSHIP_REQUIRED");
    let (before, began) = (count_writes(&host), Instant::now());
    for _ in 0..100 {
        for target in [&company, &nowhere] {
            target.post("iam/commands", command.clone()).refused(403, "MEMBERSHIP_REQUIRED");
        }
    }
    let writes = count_writes(&host) - before;
    assert!(writes < count_own(began), "{writes} writes for 200 requests of a stranger");
}

fn two_names_of_one_user_are_written_once_a_minute(database: Database) {
    let signer = Signer::es256("k1");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    let settings = Settings::default().without_dev().modules(modules::none());
    let settings = settings.set("STOA_OIDC_ISSUER", &issuer.url).set("STOA_OIDC_AUDIENCE", "stoa-suite");
    let host = Stoa::start_with(database, settings);
    let named = |name: &str| {
        let mut claims = claims(&issuer.url, "stoa-suite", "two-faced");
        claims["name"] = json!(name);
        signer.sign(&signer.header(), &claims)
    };
    let tokens = ["One", "Other"].map(named);
    let me = |token: &str| host.get_with("/v1/auth/me", token).is(200);
    assert_eq!(me(&tokens[0])["displayName"], "One");
    let (before, began) = (count_writes(&host), Instant::now());
    for token in tokens.iter().cycle().take(100) {
        me(token);
    }
    let writes = count_writes(&host) - before;
    assert!(writes < count_own(began), "{writes} writes for 100 requests");
    assert_eq!(me(&tokens[1])["displayName"], "Other", "each request receives its own token's name");
}

fn readiness_is_looked_up_once_a_second(database: Database) {
    let host = bare(database, &[]);
    let reads = || super::count(&host, "stoa_database_transactions_total{", "kind=\"read\"");
    let (before, began) = (reads(), Instant::now());
    for _ in 0..100 {
        host.get("/v1/ready").is(200);
    }
    let looks = reads() - before;
    assert!(looks < 3 + 3 * count_own(began), "{looks} looks for 100 who asked");
}

fn made_up_keys_are_bounded_by_subscriber(database: Database) {
    let host = bare(database, &[("STOA_TRUSTED_PROXIES", "127.0.0.1")]);
    let key = || format!("test_{}_{}", uuid::Uuid::now_v7(), "a".repeat(42) + "A");
    let ask = |address: &str, key: &str| {
        let request = host.request("GET", "/v1/api-client/context").token(key);
        request.header("x-forwarded-for", address).send()
    };
    // Each attempt comes from another address of one network.
    let attempt = |thread: usize| -> Vec<Answer> {
        (0..ATTEMPTS).map(|nth| ask(&format!("2001:db8::{thread:x}:{nth:x}"), &key())).collect()
    };
    let reads = || super::count(&host, "stoa_database_transactions_total{", "kind=\"read\"");
    let (before, began) = (reads(), Instant::now());
    let mut answers: Vec<Answer> = Vec::new();
    // A machine that is busy may need some rounds for more than a hundred attempts within a second.
    for _ in 0..10 {
        answers.extend(at_once(ATTACKERS, attempt).into_iter().flatten());
        if answers.iter().any(|answer| answer.status == 429) {
            break;
        }
    }
    let (too_many, none): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 429);
    assert!(!too_many.is_empty(), "{} attempts were all looked up", none.len());
    // Another subscriber has its own.
    ask("2001:db8:0:1::1", &key()).refused(401, "UNAUTHENTICATED");
    let looks = reads() - before;
    let most = 1 + none.len() as u64 + 3 * count_own(began);
    assert!(looks <= most, "{looks} looks, at most {most} were expected: {} attempts were too many", too_many.len());
    for refused in too_many {
        let refused = refused.refused(429, "RATE_LIMITED");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    for refused in none {
        refused.refused(401, "UNAUTHENTICATED");
    }
    // A key that is sent again is rejected without a look.
    let known = key();
    let (before, began) = (reads(), Instant::now());
    for _ in 0..50 {
        host.get_with("/v1/api-client/context", &known).refused(401, "UNAUTHENTICATED");
    }
    let looks = reads() - before;
    assert!(looks < 3 + 3 * count_own(began), "{looks} looks for one key that is none");
}

fn a_revoked_key_is_looked_up_once_a_second(database: Database) {
    let host = Stoa::start(database);
    let shop = host.company();
    let machine = shop.machine(&["catalog.read"]);
    machine.get("context").is(200);
    shop.post(&format!("api-clients/{}/keys/{}/revoke", machine.client, machine.key_id), json!({})).is(201);
    machine.get("context").refused(401, "UNAUTHENTICATED");
    let transactions = || super::count(&host, "stoa_database_transactions_total{", "kind=");
    let (before, began) = (transactions(), Instant::now());
    for _ in 0..100 {
        let refused = machine.get("context").refused(401, "UNAUTHENTICATED");
        let challenge = refused.header("www-authenticate").unwrap_or_default();
        assert!(challenge.contains("The key is revoked."), "the reason is the same: {challenge}");
        machine.post("catalog/lookups/brands", json!({})).refused(401, "UNAUTHENTICATED");
    }
    let looks = transactions() - before;
    assert!(looks < 3 + 3 * count_own(began), "{looks} transactions for 200 requests of a revoked key");
}
