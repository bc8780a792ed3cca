//! Tools of others judge the served contract: two linters in every run that has them, and Schemathesis by `cargo xtask contract`
//! or with `--all`.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::Audience;
use stoa_tests::gates::{self, Caller, Finding};
use stoa_tests::{Database, Stoa, host, on_one_database, record};

on_one_database![redocly, spectral, schemathesis_as_a_user, schemathesis_as_an_api_client];

/// Gates of a run that does not state any in `STOA_TEST_GATES`.
const USUAL: &str = "redocly,spectral";
/// Cases of Schemathesis for an operation where `STOA_TEST_CASES` does not say.
const CASES: u32 = 5;
/// Requests a minute of the API client, so that its own limit answers nothing.
const MANY: u32 = 6_000;

fn is_asked(gate: &str) -> bool {
    let asked = std::env::var("STOA_TEST_GATES").unwrap_or_else(|_| USUAL.to_owned());
    asked.split(',').any(|name| name == gate)
}

#[track_caller]
fn judge(gate: &str, outcome: Result<Vec<Finding>, String>) {
    match outcome {
        Ok(findings) => {
            let faults = gates::faults(gate, &findings);
            assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
            println!("{gate}: {} findings, all allowed", findings.len());
        }
        Err(why) => record::tell_not_run(&format!("evidence::gates: {gate}"), &why),
    }
}

fn read_contract(stoa: &Stoa) -> Json {
    stoa.get("/v1/openapi.json").is(200).body
}

fn redocly(database: Database) {
    if is_asked("redocly") {
        judge("redocly", gates::redocly(&read_contract(&host::shared(database))));
    }
}

fn spectral(database: Database) {
    if is_asked("spectral") {
        judge("spectral", gates::spectral(&read_contract(&host::shared(database))));
    }
}

fn cases() -> u32 {
    std::env::var("STOA_TEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES)
}

fn schemathesis_as_a_user(database: Database) {
    if !is_asked("schemathesis") {
        return;
    }
    // Its own: its requests may archive anything.
    let stoa = Stoa::start(database);
    let shop = stoa.company();
    let caller = Caller {
        name: "user",
        url: stoa.url(),
        credential: &shop.token,
        tenant: &shop.tenant,
        is_machine: false,
        cases: cases(),
    };
    judge("schemathesis", gates::schemathesis(&read_contract(&stoa), &caller));
}

fn schemathesis_as_an_api_client(database: Database) {
    if !is_asked("schemathesis") {
        return;
    }
    let stoa = Stoa::start(database);
    let shop = stoa.company();
    let contract = stoa.contract();
    let of_clients = contract.operations.iter().filter(|operation| operation.audience() == Audience::Machine);
    let scopes: BTreeSet<String> = of_clients.flat_map(|operation| operation.admitting().concat()).collect();
    shop.entitle();
    let client = shop.machine_of(json!({ "name": fresh("Client "), "scopes": scopes, "requestsPerMinute": MANY }));
    let caller = Caller {
        name: "api-client",
        url: stoa.url(),
        credential: &client.key,
        tenant: &shop.tenant,
        is_machine: true,
        cases: cases(),
    };
    judge("schemathesis", gates::schemathesis(&read_contract(&stoa), &caller));
}
