//! What `stoa verify` finds where rows were changed behind the host's back.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::Company;

/// The invariants that `stoa verify` says are broken.
#[track_caller]
pub fn find_broken(shop: &Company) -> BTreeSet<String> {
    find_broken_of_each(&[shop]).remove(0)
}

/// The same of each of several companies of one host, which one run goes through.
#[track_caller]
fn find_broken_of_each(shops: &[&Company]) -> Vec<BTreeSet<String>> {
    let mut command = shops[0].host.command();
    command.args(["verify", "--json"]).args(shops.iter().flat_map(|shop| ["--tenant", &shop.tenant]));
    let command = command.output();
    let output = command.expect("cannot run `stoa verify`");
    let complained = String::from_utf8_lossy(&output.stderr);
    let said: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {complained}"));
    let findings = said["findings"].as_array().cloned().unwrap_or_default();
    assert_eq!(output.status.success(), findings.is_empty(), "{said}");
    assert_eq!(said["companies"], shops.len(), "{said}");
    let invariant = |finding: &Json| finding["invariant"].as_str().map(str::to_string);
    let of = |shop: &&Company| {
        findings.iter().filter(|finding| finding["tenantId"] == shop.tenant).filter_map(invariant).collect()
    };
    shops.iter().map(of).collect()
}

/// Each statement breaks a company of its own; what it breaks is found.
#[track_caller]
pub fn assert_found(make: impl Fn() -> Company, cases: &[(&str, &str)]) {
    let shops: Vec<Company> = cases.iter().map(|_| make()).collect();
    for ((statement, _), shop) in cases.iter().zip(&shops) {
        shop.change(statement);
    }
    let found = find_broken_of_each(&shops.iter().collect::<Vec<_>>());
    for ((statement, invariant), found) in cases.iter().zip(found) {
        assert!(found.contains(*invariant), "{invariant} by {statement}: {found:?}");
    }
}
