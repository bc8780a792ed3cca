//! Admission: a caller whose lease waits for the database delays no other caller, and waits for a limited time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::company::onboarding;
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Company, Database, Issuer, Signer, Stoa, at_once, modules, on_both_databases};

on_both_databases![timed: a_lease_that_waits_holds_up_no_other_caller];

/// Requests of the caller who waits, at once.
const WAITING: usize = 8;
/// Other callers. With locks that 64 groups of callers share, one of these would wait for the first one in 99 of 100
/// runs.
const OTHERS: usize = 320;
/// An admission and a lock of PostgreSQL wait for three seconds: some of so many callers who waited for the lease of
/// another caller would wait longer than this.
const PROMPT: Duration = Duration::from_secs(1);
/// Eight requests that waited one after the other would take three seconds each at the least.
const TOGETHER: Duration = Duration::from_secs(9);

fn a_lease_that_waits_holds_up_no_other_caller(database: Database) {
    let signer = Signer::es256("k1");
    let issuer = Issuer::start(Manner::Keys(jwks([&signer])));
    // A fiftieth of fifty: each request in a company leases its own permit.
    let settings = Settings::default().without_dev().modules(modules::none());
    let settings = settings.set("STOA_OIDC_ISSUER", &issuer.url).set("STOA_OIDC_AUDIENCE", "stoa-suite");
    let host = Stoa::start_with(database, settings.set("STOA_USER_REQUESTS_PER_MINUTE", "50"));
    let token = |subject: &str| signer.sign(&signer.header(), &claims(&issuer.url, "stoa-suite", subject));
    let owner = token("owner");
    let request = host.request("POST", "/v1/onboarding/companies").token(&owner);
    let tenant = request.json(&onboarding("Slow")).send().is(201).text("tenantId");
    let shop = Company { host: host.clone(), tenant, token: owner, created: Vec::new() };
    shop.get("context").is(200);
    let others: Vec<String> = (0..OTHERS).map(|nth| token(&format!("other-{nth}"))).collect();

    let held = shop.hold("select 1 from stoa_permit where {tenant} for update");
    let began = Instant::now();
    for answer in at_once(WAITING, |_| shop.get("context")) {
        answer.refused(503, "UNAVAILABLE");
    }
    assert!(began.elapsed() < TOGETHER, "{WAITING} admissions ended after {:?}", began.elapsed());
    // SQLite has one writer, and the transaction that is held open is it.
    if database == Database::Postgres {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..WAITING {
                scope.spawn(|| {
                    while !done.load(Ordering::Acquire) {
                        shop.get("context").refused(503, "UNAVAILABLE");
                    }
                });
            }
            let waited = at_once(4, |part| {
                let ask = |token: &String| {
                    let began = Instant::now();
                    host.get_with("/v1/auth/me", token).is(200);
                    began.elapsed()
                };
                others.iter().skip(part).step_by(4).map(ask).max().expect("others")
            });
            done.store(true, Ordering::Release);
            let longest = waited.into_iter().max().expect("others");
            assert!(longest < PROMPT, "another caller waited for {longest:?}");
        });
    }
    drop(held);
    shop.get("context").is(200);
}
