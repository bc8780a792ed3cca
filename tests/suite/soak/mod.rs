//! The fault harness: whatever fails while people write, nothing that was acknowledged is lost, nothing is done twice,
//! and service is back soon. The suite runs each fault once; `cargo xtask soak` runs many rounds of each. Both print a
//! line for each fault.

mod failover;
mod faults;
mod ground;
mod load;
mod moves;

use std::time::Duration;

use stoa_tests::{Database, on_both_databases};

use faults::FAULTS;
use ground::Ground;
use load::{Observed, WRITERS};

on_both_databases![nothing_is_lost_and_nothing_done_twice];

/// How often each fault happens, where no setting says otherwise.
const ROUNDS: usize = 1;
/// How soon service is back once a fault has ended. A soak that takes longer fails.
const SOON: Duration = Duration::from_secs(5);

/// The rounds that a soak asks for.
fn asked_rounds() -> Option<usize> {
    std::env::var("STOA_SOAK_ROUNDS").ok().and_then(|text| text.parse().ok())
}

fn nothing_is_lost_and_nothing_done_twice(database: Database) {
    let asked = asked_rounds();
    let rounds = asked.unwrap_or(ROUNDS);
    let Some(ground) = Ground::prepare(database) else {
        // A soak that was asked for proves something, or fails.
        assert!(asked.is_none(), "no faults here: {}", stoa_cluster::MISSING);
        return;
    };
    println!(
        "{:<36} {:>6} {:>7} {:>5} {:>7} {:>7} {:>10}",
        "fault", "rounds", "writes", "lost", "doubled", "broken", "outage"
    );
    let mut faulty = Vec::new();
    for fault in FAULTS.iter().filter(|fault| fault.databases.contains(&database)) {
        let mut all = Observed::default();
        for round in 0..rounds {
            let tag = format!("{}-{round}", fault.name);
            all.add(load::observe(&ground.shops, WRITERS, &tag, || (fault.happen)(&ground)));
        }
        let reported = ground::judge(&ground.host, &ground.shops, &all);
        let is_late = all.outage > SOON;
        let late = if is_late { " (late)" } else { "" };
        println!(
            "{:<36} {rounds:>6} {:>7} {:>5} {:>7} {:>7} {:>8.1} s{late}",
            fault.name,
            all.written.len(),
            reported.lost,
            reported.doubled,
            reported.broken,
            all.outage.as_secs_f64(),
        );
        // Next to the rest of the suite, an outage takes as long as the machine is busy.
        if reported.lost + reported.doubled + reported.broken > 0 || (is_late && asked.is_some()) {
            faulty.push(fault.name);
        }
    }
    assert!(faulty.is_empty(), "{faulty:?}");
}
