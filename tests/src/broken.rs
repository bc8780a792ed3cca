//! The findings of a verification where rows were changed behind the host's back.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::Company;

/// The invariants that a verification finds broken.
#[track_caller]
pub fn find_broken(shop: &Company) -> BTreeSet<String> {
    find_broken_of_each(&[shop]).remove(0)
}

/// The same of each of several companies of one host, which one run goes through.
#[track_caller]
fn find_broken_of_each(shops: &[&Company]) -> Vec<BTreeSet<String>> {
    let tenants: Vec<&str> = shops.iter().map(|shop| shop.tenant.as_str()).collect();
    let report = shops[0].host.verify(&tenants);
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    assert!(report["unfinished"].is_null(), "{report}");
    assert_eq!(report["companies"], shops.len(), "{report}");
    let invariant = |finding: &Json| finding["invariant"].as_str().map(str::to_string);
    let invariants = |shop: &&Company| {
        findings.iter().filter(|finding| finding["tenantId"] == shop.tenant).filter_map(invariant).collect()
    };
    shops.iter().map(invariants).collect()
}

/// Each statement breaks a company of its own; its break is found.
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
