//! A host takes as many descriptors as the system lets it have, whatever the shell that starts it has set for its own.

use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, modules, on_one_database};

on_one_database![a_host_raises_its_limit_of_open_files];

fn a_host_raises_its_limit_of_open_files(database: Database) {
    let host = Stoa::start_with(database, Settings::default().modules(modules::none()).shell("ulimit -S -n 256"));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", host.process())).expect("the limits of the host");
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("the limit of open files");
    let mut words = files.split_whitespace();
    let (soft, hard) = (words.next().expect("a limit"), words.next().expect("a limit"));
    assert_ne!(hard, "256", "the system allows no more than the shell set: nothing is proved here");
    assert_eq!(soft, hard, "{files}");
}
