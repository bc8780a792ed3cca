//! Bounds of the cost of one caller, or one module, to the others: each attack of the security trial, and that it comes
//! to nothing.

mod admission;
mod bodies;
mod callers;
mod drafts;
mod fairness;
mod free_json;
mod guests;
#[cfg(target_os = "linux")]
mod huge_pages;
mod long_writes;
mod memory;
#[cfg(target_os = "linux")]
mod open_files;
mod pace;
mod searches;
mod wal;

use stoa_tests::Stoa;

pub(crate) use pace::import_many;

/// The sum of the host's counters, or gauges, of this name whose labels hold a text.
pub(crate) fn count(host: &Stoa, name: &str, labels: &str) -> u64 {
    let metrics = host.metrics();
    let lines = metrics.lines().filter(|line| line.starts_with(name) && line.contains(labels));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Transactions so far that write.
fn count_writes(host: &Stoa) -> u64 {
    count(host, "stoa_database_transactions_total{", "kind=\"write\"")
}
