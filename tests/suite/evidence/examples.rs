//! Every example of the contract is sent with the ids of real records in it, and the host answers as the example says.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value as Json, json};
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::examples::{Example, Records, company_for, find_missing};
use stoa_tests::reviewed::reviewed;
use stoa_tests::{Answer, Database, Stoa, eventually, host, on_one_database};

stoa_tests::tests![operations_without_an_example_are_reviewed];

on_one_database![
    examples_of_catalog,
    examples_of_pricing,
    examples_of_sales,
    examples_of_inventory,
    examples_of_procurement,
    examples_of_finance,
    examples_of_ledger,
    examples_of_pos,
    examples_of_platform,
    a_record_is_sent_back_as_it_was_read,
];

/// Members that a PUT needs and its GET does not show: the interface lists what an API client reads of a product or an order.
const HIDDEN: &[(&str, &[&str])] =
    &[("apiReplaceProduct", &["trackInventory"]), ("apiReplaceSalesOrder", &["legalEntityId", "warehouseId"])];

fn examples_of_catalog(database: Database) {
    send_examples(database, "catalog");
}

fn examples_of_pricing(database: Database) {
    send_examples(database, "pricing");
}

fn examples_of_sales(database: Database) {
    send_examples(database, "sales");
}

fn examples_of_inventory(database: Database) {
    send_examples(database, "inventory");
}

fn examples_of_procurement(database: Database) {
    send_examples(database, "procurement");
}

fn examples_of_finance(database: Database) {
    send_examples(database, "finance");
}

fn examples_of_ledger(database: Database) {
    send_examples(database, "ledger");
}

fn examples_of_pos(database: Database) {
    send_examples(database, "pos");
}

fn examples_of_platform(database: Database) {
    send_examples(database, "platform");
}

/// Operations that take a body and show no example of it. The list may only become shorter.
fn operations_without_an_example_are_reviewed() {
    let contract = Contract::new(super::contract::contract_of_modules().clone());
    let is_without = |operation: &&Operation| {
        let body = contract.resolve(&operation.document["requestBody"]);
        !body.is_null() && body["content"]["application/json"].get("example").is_none()
    };
    let mut ids: Vec<&str> = contract.operations.iter().filter(is_without).map(|operation| &*operation.id).collect();
    ids.sort_unstable();
    reviewed("unexampled.txt", &ids.iter().map(|id| format!("{id}\n")).collect::<String>());
}

/// Sends the examples of a module, each in a company of its own, and reports all that fail.
fn send_examples(database: Database, module: &str) {
    let host = host::shared(database);
    let contract = host.contract();
    let (mut sent, mut faults) = (0, Vec::new());
    for operation in contract.operations.iter().filter(|operation| operation.document["tags"][0] == module) {
        let Some(example) = Example::find(&contract, operation) else { continue };
        sent += 1;
        match catch_unwind(AssertUnwindSafe(|| send(&host, &contract, operation, &example))) {
            Ok(found) => faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", operation.id))),
            Err(_) => faults.push(format!("{}: a record of it could not be made, see above", operation.id)),
        }
    }
    assert!(sent > 0, "no operation of {module} has an example");
    assert!(faults.is_empty(), "{} of {sent} examples:\n{}", faults.len(), faults.join("\n"));
}

/// A request of an example, with the ids of real records in it.
struct Filled {
    path: String,
    token: String,
    query: Vec<(String, String)>,
    body: Option<Json>,
}

impl Filled {
    fn new(records: &Records, contract: &Contract, operation: &Operation, example: &Example) -> Filled {
        records.prepare(&operation.id);
        let path = operation.filled(&records.shop.tenant, |name| {
            let value = example.path.get(name).unwrap_or_else(|| panic!("{}: no {name} in the example", operation.id));
            text(&records.insert_ids(value))
        });
        let token = match operation.audience() {
            Audience::Machine => key(contract, records),
            _ => records.shop.token.clone(),
        };
        let query =
            example.query.iter().map(|(name, value)| (name.clone(), text(&records.insert_ids(value)))).collect();
        let body = example.body.as_ref().map(|body| records.insert_ids(body));
        Filled { path, token, query, body }
    }

    fn send(&self, host: &Stoa, method: &str) -> Answer {
        let mut request = host.request(method, &self.path).token(&self.token);
        for (name, value) in &self.query {
            request = request.query(&[(name, value)]);
        }
        if let Some(body) = &self.body {
            request = request.json(body);
        }
        request.unchecked().send()
    }
}

/// Sends one example. Returns how the answer differs from it.
fn send(host: &Stoa, contract: &Contract, operation: &Operation, example: &Example) -> Vec<String> {
    let records = Records::new(company_for(host, &operation.id));
    let filled = Filled::new(&records, contract, operation, example);
    let find_faults = || {
        let answer = filled.send(host, &operation.method);
        if !(200..300).contains(&answer.status) {
            return vec![answer.to_string()];
        }
        let missing = find_missing(&example.response, &answer.body, "");
        missing.into_iter().map(|pointer| format!("the answer has no {pointer}: {answer}")).collect()
    };
    let faults = find_faults();
    // A list of API clients ends before what other transactions under way may still write.
    if !faults.is_empty() && operation.method == "GET" && operation.audience() == Audience::Machine {
        return eventually(|| find_faults().is_empty().then(Vec::new));
    }
    faults
}

/// PUT accepts what GET returns, without the members that the contract does not show in its body: ids, times, sums. The
/// record is the one that the example of the PUT has replaced.
fn a_record_is_sent_back_as_it_was_read(database: Database) {
    let host = host::shared(database);
    let contract = host.contract();
    let (mut sent, mut faults) = (0, Vec::new());
    for put in contract.operations.iter().filter(|operation| operation.method == "PUT") {
        let reads = |get: &&Operation| get.method == "GET" && get.path == put.path && get.audience() == put.audience();
        let Some(example) = Example::find(&contract, put) else { continue };
        if !contract.operations.iter().any(|get| reads(&get)) {
            continue;
        }
        sent += 1;
        let records = Records::new(company_for(&host, &put.id));
        let mut filled = Filled::new(&records, &contract, put, &example);
        drop(filled.send(&host, "PUT").is(200));
        let stated = filled.body.take().unwrap_or_default();
        let record = filled.send(&host, "GET").is(200);
        let schema = &contract.resolve(&put.document["requestBody"])["content"]["application/json"]["schema"];
        let mut body = contract.keep_known(schema, &record.body);
        let (_, hidden) = HIDDEN.iter().find(|(operation, _)| *operation == put.id).unwrap_or(&("", &[]));
        hidden.iter().for_each(|member| body[*member] = stated[*member].clone());
        if !contract.resolve(schema)["properties"]["expectedVersion"].is_null() {
            body["expectedVersion"] = record["version"].clone();
        }
        filled.body = Some(body);
        let answer = filled.send(&host, "PUT");
        if answer.status != 200 {
            faults.push(format!("{}: {answer}", put.id));
        }
    }
    assert!(sent > 5, "{sent} records were sent back");
    assert!(faults.is_empty(), "{} of {sent} records:\n{}", faults.len(), faults.join("\n"));
}

fn text(value: &Json) -> String {
    value.as_str().map_or(value.to_string(), String::from)
}

/// A key that may do everything.
fn key(contract: &Contract, records: &Records) -> String {
    let machines = contract.operations.iter().filter(|operation| operation.audience() == Audience::Machine);
    let mut scopes: Vec<String> = machines.flat_map(|operation| operation.admitting().concat()).collect();
    scopes.sort();
    scopes.dedup();
    records.shop.entitle();
    records.shop.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 })).key
}
