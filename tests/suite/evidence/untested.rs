//! The operations without a permission test or a tenancy test: a list that is empty, and stays so.

use stoa_tests::contract::Contract;

stoa_tests::tests![nothing_is_untested];

/// Operations that `tests/contract/untested.txt` lists, one id a line. An operation that is new and that no generated
/// test can call yet (a field of ids whose records the suite cannot make) fails here: `tenancy/records.rs` needs a
/// line.
fn nothing_is_untested() {
    let listed = include_str!("../../contract/untested.txt");
    let listed: Vec<&str> = listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let contract = Contract::new(super::contract::contract_of_modules().clone());
    assert!(contract.operations.len() > 40, "only {} operations", contract.operations.len());
    let mut found = Vec::new();
    for operation in &contract.operations {
        if !super::permissions::tried(operation) {
            found.push(format!("{}: no permission test", operation.id));
        }
        let faults = super::tenancy::faults(&contract, operation);
        found.extend(faults.into_iter().map(|why| format!("{}: no tenancy test: {why}", operation.id)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(listed.is_empty(), "an operation is listed as untested: {listed:?}");
}
