//! The loss of a primary: its standby takes over while people write. Nothing that was acknowledged is lost, nothing is done twice, and
//! writes are back soon. Slow: `cargo xtask test --all` runs few rounds, `cargo xtask soak` many.

use std::thread;
use std::time::Duration;

use stoa_tests::cuts::rounds;
use stoa_tests::host::Settings;
use stoa_tests::patroni::Pair;
use stoa_tests::{Database, Stoa, record, tests};

use super::load::{self, Observed};
use super::{asked_rounds, ground};

tests![timed: a_host_that_lists_both_servers_survives_a_failover, a_host_behind_a_proxy_survives_a_failover];

const ROUNDS: usize = 2;
const MOST_ROUNDS: usize = 20;
const WRITERS: usize = 16;
const SHOPS: usize = 4;
/// How soon writes are back after the kill.
const SOON: Duration = Duration::from_secs(15);
/// How long people write before the kill.
const UNDER_LOAD: Duration = Duration::from_secs(1);
/// Answers that arrive sooner after the kill were on their way before it.
const ON_THE_WAY: Duration = Duration::from_millis(300);
const SKIPPED: &str = "`cargo xtask test --all` and `cargo xtask soak` kill primaries";

fn a_host_that_lists_both_servers_survives_a_failover() {
    survive("both servers listed", |pair, settings| settings.by(pair.list_servers()));
}

fn a_host_behind_a_proxy_survives_a_failover() {
    survive("haproxy", |_, settings| settings);
}

/// Kills the primary in each round. The old one is the standby before the next round begins.
fn survive(way: &str, connect: impl Fn(&Pair, Settings) -> Settings) {
    let rounds = asked_rounds().map_or(rounds(0, ROUNDS), |asked| asked.min(MOST_ROUNDS));
    if rounds == 0 {
        return record::tell_not_run("soak::failover", SKIPPED);
    }
    let pair = match Pair::start() {
        Ok(pair) => pair,
        Err(why) => {
            // A soak that was asked for proves something, or fails.
            assert_eq!(asked_rounds(), None, "no failovers here: {why}");
            return record::tell_not_run("soak::failover", &why);
        }
    };
    let settings = connect(&pair, Settings::default().at(pair.url_by_proxy()));
    let host = Stoa::start_with(Database::Postgres, settings);
    let shops: Vec<_> = (0..SHOPS).map(|_| host.company()).collect();
    let (mut all, mut outages) = (Observed::default(), Vec::new());
    for round in 0..rounds {
        let mut killed = "";
        let mut observed = load::observe(&shops, WRITERS, &format!("failover-{round}"), || {
            thread::sleep(UNDER_LOAD);
            killed = pair.kill_primary();
            thread::sleep(ON_THE_WAY);
        });
        observed.outage += ON_THE_WAY;
        println!("round {round}: {killed} was killed, writes are back after {:.1} s", observed.outage.as_secs_f64());
        outages.push(observed.outage);
        all.add(observed);
        pair.start_member(killed);
        pair.await_both();
    }
    let reported = ground::judge(&host, &shops, &all);
    outages.sort();
    println!(
        "failover, {way}: {rounds} rounds, {} writes, {} lost, {} doubled, {} broken, {} answers 500, back after {:.1} s (median), \
         {:.1} s (longest)",
        all.written.len(),
        reported.lost,
        reported.doubled,
        reported.broken,
        all.internal,
        outages[rounds / 2].as_secs_f64(),
        all.outage.as_secs_f64(),
    );
    assert_eq!((reported.lost, reported.doubled, reported.broken), (0, 0, 0), "lost, doubled, broken");
    assert_eq!(all.internal, 0, "a failover is answered 503");
    assert!(all.outage < SOON, "writes were back after {:?}", all.outage);
    // The database is dropped while its servers run.
    drop((shops, host));
}
