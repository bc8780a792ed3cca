//! Admission: a caller whose lease waits for the database delays no other caller, and waits for a limited time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stoa_tests::company::onboarding;
use stoa_tests::host::Settings;
use stoa_tests::issuer::Manner;
use stoa_tests::signer::{claims, jwks};
use stoa_tests::{Answer, Company, Database, Issuer, Signer, Stoa, at_once, in_one_window, modules, on_both_databases};

on_both_databases![the_next_permits_are_leased_before_they_are_needed];
on_both_databases![timed: a_lease_that_waits_holds_up_no_other_caller];

/// Requests of the caller who waits, at once.
const WAITING: usize = 8;
/// Other callers. With locks that 64 groups of callers share, one of these would wait for the first one in 99 of 100
/// runs.
const OTHERS: usize = 320;
/// An admission waits for five seconds, a lock of PostgreSQL for three: some of so many callers who waited for the lease of
/// another caller would wait longer than this.
const PROMPT: Duration = Duration::from_secs(1);
/// Eight requests that waited one after the other would take three seconds each at the least.
const TOGETHER: Duration = Duration::from_secs(9);

/// A lease is a write. A reader must not wait for one, which itself waits for the writes of others.
fn the_next_permits_are_leased_before_they_are_needed(database: Database) {
    let settings = Settings::default().modules(modules::none()).set("STOA_USER_REQUESTS_PER_MINUTE", "600");
    let host = Stoa::start_with(database, settings);
    let reads = || {
        let shop = host.company();
        let read = |_| {
            let answer = shop.get("context").is(200);
            let remaining: u64 = answer.header("x-ratelimit-remaining").expect("a header").parse().expect("a number");
            let leased = || {
                let rows = shop.rows("select used from stoa_permit where {tenant} and scope = 'MINUTE'");
                rows[0][0].parse::<u64>().expect("a number")
            };
            // A block is a fiftieth of the limit. Half of one is in hand, whenever a moment has passed.
            let until = Instant::now() + Duration::from_secs(10);
            while leased() + remaining < 600 + 6 && Instant::now() < until {
                thread::sleep(Duration::from_millis(10));
            }
            (leased() + remaining >= 600 + 6).then_some(answer)
        };
        let answers: Vec<Option<Answer>> = (0..12).map(read).collect();
        let late = answers.iter().position(Option::is_none);
        let answers = answers.into_iter().flatten().chain([shop.get("context").is(200)]).collect();
        (answers, late)
    };
    // A minute that ends meanwhile takes what is in hand with it.
    let late = std::cell::Cell::new(None);
    in_one_window(|| {
        let (answers, missed) = reads();
        late.set(missed);
        answers
    });
    assert_eq!(late.get(), None, "after this read nothing was leased");
}

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
