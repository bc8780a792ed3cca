//! The package `sdks/python`: its readme is followed on a host, with its own tests and the strictest type check.

use std::collections::BTreeSet;

use stoa_tests::sdk_python::{PART, follow_readme, sources};
use stoa_tests::{Database, company, host, on_one_database, record};

on_one_database![the_readme_is_followed];

stoa_tests::tests![the_generator_is_the_one_that_the_gate_runs];

fn the_readme_is_followed(database: Database) {
    if let Err(why) = follow_readme(&company(database)) {
        record::tell_not_run(PART, &why);
    }
}

/// Names and versions of a list of packages.
fn read_pins(list: &str) -> BTreeSet<(String, String)> {
    let pins = list.lines().filter_map(|line| line.split_once("=="));
    let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    pins.map(|(name, rest)| (plain(name), rest.chars().take_while(|mark| !" ;\\".contains(*mark)).collect())).collect()
}

fn the_generator_is_the_one_that_the_gate_runs() {
    let read = |path: std::path::PathBuf| read_pins(&std::fs::read_to_string(path).expect("a list of packages"));
    let package = read(sources().join("requirements.txt"));
    let gate = read(host::workspace().join("tests/sdks/python/requirements.txt"));
    // The gate builds no wheel and runs on no Windows.
    let others: Vec<_> =
        package.difference(&gate).filter(|(name, _)| !["colorama", "setuptools"].contains(&name.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(package.iter().any(|(name, _)| name == "openapi-python-client"), "{package:?}");
}
