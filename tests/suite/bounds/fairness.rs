//! The fair queue from end to end: the slow requests of one company, or of one caller outside of any, take half of the
//! readers or connections, and others are served meanwhile.

use std::thread;

use serde_json::json;
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::{Answer, Company, Database, Stoa, eventually, on_both_databases};
use uuid::Uuid;

on_both_databases![timed: a_company_leaves_half_to_others, a_caller_outside_of_companies_leaves_half_to_others];

/// Slow requests at once. More than all readers and connections have begun, or wait, when this many have come to the
/// database.
const SLOW: usize = 32;
const CAME: u64 = 24;

/// A host with four readers or connections. On SQLite a read that lasts ends by the request's time.
fn host(database: Database) -> Stoa {
    let settings = Settings::default().set("STOA_SQLITE_READERS", 4).set("STOA_DATABASE_CONNECTIONS", 4);
    let settings = if database == Database::Sqlite { settings.set("STOA_REQUEST_TIMEOUT", "5s") } else { settings };
    Stoa::start_with(database, settings)
}

/// Asks others while the slow requests have all come to the database. Where those took every reader or connection, the
/// others would wait behind them for longer than a request may.
fn ask_others_meanwhile(shop: &Company, table: &str, slow: impl Fn() -> Answer + Sync, others: impl FnOnce()) {
    slow().is(200);
    let lock = shop.slow_down(table);
    let reads = || super::count(&shop.host, "stoa_database_transactions_total{", "kind=\"read\"");
    let before = reads();
    thread::scope(|scope| {
        let asked: Vec<_> = (0..SLOW).map(|_| scope.spawn(&slow)).collect();
        eventually(|| (reads() >= before + CAME).then_some(()));
        others();
        assert!(asked.iter().any(|asked| !asked.is_finished()), "no slow request was under way any more");
        drop(lock);
        for asked in asked {
            let answer = asked.join().expect("an answer");
            assert!(matches!(answer.status, 200 | 503), "{answer}");
        }
    });
}

fn a_company_leaves_half_to_others(database: Database) {
    let host = host(database);
    let (greedy, other) = (host.company_of("greedy@example.test"), host.company_of("other@example.test"));
    greedy.post("api-clients", json!({ "name": fresh("Client "), "scopes": ["catalog.read"] })).is(201);
    other.get("context").is(200);
    ask_others_meanwhile(
        &greedy,
        "stoa_api_client",
        || greedy.get("api-clients"),
        || {
            for _ in 0..10 {
                other.get("context").is(200);
            }
            other.role(&fresh("ROLE"), &["catalog.read"]);
        },
    );
}

fn a_caller_outside_of_companies_leaves_half_to_others(database: Database) {
    let host = host(database);
    let greedy = host.company_of("greedy@example.test");
    let unknown = format!("test_{}_{}", Uuid::now_v7(), "a".repeat(42) + "A");
    let stranger = greedy.as_user("stranger@example.test");
    ask_others_meanwhile(
        &greedy,
        "stoa_user_company",
        || host.get_with("/v1/auth/me", &greedy.token),
        || {
            // A first sign-in, the look-up of a membership, and a permit outside of any company.
            stranger.get("context").refused(403, "MEMBERSHIP_REQUIRED");
            host.get_with("/v1/api-client/context", &unknown).refused(401, "UNAUTHENTICATED");
        },
    );
}
