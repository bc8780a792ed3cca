//! The fault harness: whatever fails while people write, nothing that was acknowledged is lost, nothing is done twice, and service is
//! back soon. The suite runs each fault once; `cargo xtask soak` runs many rounds of each. Both print a line for each fault.

mod faults;
mod ground;
mod load;

use std::time::Duration;

use stoa_tests::{Database, on_both_databases};

use faults::FAULTS;
use ground::Ground;
use load::Observed;

on_both_databases![nothing_is_lost_and_nothing_done_twice];

/// How often each fault happens, where no setting says otherwise.
const ROUNDS: usize = 1;
/// How soon service should be back once a fault has ended.
const SOON: Duration = Duration::from_secs(5);

fn nothing_is_lost_and_nothing_done_twice(database: Database) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let rounds = number("STOA_SOAK_ROUNDS").unwrap_or(ROUNDS);
    let Some(ground) = Ground::prepare(database) else { return };
    println!(
        "{:<36} {:>6} {:>7} {:>5} {:>7} {:>7} {:>10}",
        "fault", "rounds", "writes", "lost", "doubled", "broken", "outage"
    );
    let mut faulty = Vec::new();
    for fault in FAULTS.iter().filter(|fault| fault.databases.contains(&database)) {
        let mut all = Observed::default();
        for round in 0..rounds {
            all.add(load::observe(&ground, &format!("{}-{round}", fault.name), || (fault.happen)(&ground)));
        }
        let reported = ground.judge(&all);
        let late = if all.outage > SOON { " (late)" } else { "" };
        println!(
            "{:<36} {rounds:>6} {:>7} {:>5} {:>7} {:>7} {:>8.1} s{late}",
            fault.name,
            all.written.len(),
            reported.lost,
            reported.doubled,
            reported.broken,
            all.outage.as_secs_f64(),
        );
        if reported.lost + reported.doubled + reported.broken > 0 {
            faulty.push(fault.name);
        }
    }
    assert!(faulty.is_empty(), "{faulty:?}");
}
