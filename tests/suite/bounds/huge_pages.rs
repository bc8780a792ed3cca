//! A host runs without huge pages, in which its heap takes more memory.

use stoa_tests::host::shared;
use stoa_tests::{Database, on_one_database};

on_one_database![a_host_runs_without_huge_pages];

fn a_host_runs_without_huge_pages(database: Database) {
    let process = shared(database).process();
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("the status of the host");
    let flag = status.lines().find_map(|line| line.strip_prefix("THP_enabled:")).map(str::trim);
    assert_eq!(flag, Some("0"));
}
