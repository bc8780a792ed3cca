//! A record that was read can be sent back: a PUT ignores the members that only the GET at its path answers, and no others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value as Json, json};
use stoa_tests::company::{product, with, without};
use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::examples::{Example, Records, company_for};
use stoa_tests::{Company, Database, Stoa, company, host, on_both_databases, on_one_database};
use uuid::Uuid;

on_both_databases![what_is_ignored_changes_nothing, a_retry_may_leave_out_what_is_ignored];
on_one_database![every_record_that_is_replaced_can_be_sent_back, other_members_stay_unknown];

/// Members that the answer has in a form that the body does not take.
const UNLIKE: &[(&str, &str)] = &[("replacePurchaseCredit", "costLines"), ("replaceSalesCredit", "costLines")];

fn every_record_that_is_replaced_can_be_sent_back(database: Database) {
    let host = host::shared(database);
    let contract = host.contract();
    let (mut sent, mut faults) = (0, Vec::new());
    for writer in contract.operations.iter().filter(|operation| operation.method == "PUT") {
        let is_reader = |other: &&Operation| other.method == "GET" && other.path == writer.path;
        if !contract.operations.iter().any(|other| is_reader(&other)) {
            continue;
        }
        sent += 1;
        match catch_unwind(AssertUnwindSafe(|| send_back(&host, &contract, writer))) {
            Ok(fault) => faults.extend(fault.map(|fault| format!("{}: {fault}", writer.id))),
            Err(_) => faults.push(format!("{}: a record of it could not be made, see above", writer.id)),
        }
    }
    assert!(sent > 30, "{sent} operations");
    assert!(faults.is_empty(), "{} of {sent} operations:\n{}", faults.len(), faults.join("\n"));
}

/// Reads the record that the example of a PUT replaces and sends it back, with the version that was read. A key also states what its own
/// view of the record lacks. Returns the refusal.
fn send_back(host: &Stoa, contract: &Contract, writer: &Operation) -> Option<String> {
    let example = Example::find(contract, writer).expect("an example of every PUT");
    let records = Records::new(company_for(host, &writer.id));
    records.prepare(&writer.id);
    let path = writer.filled(&records.shop.tenant, |name| {
        let value = records.insert_ids(&example.path[name]);
        value.as_str().map_or(value.to_string(), String::from)
    });
    // The example's records are made before they are read.
    let stated = records.insert_ids(&example.body.unwrap_or_default());
    let token = match writer.audience() {
        Audience::Machine => key(contract, &records.shop),
        _ => records.shop.token.clone(),
    };
    let read = host.request("GET", &path).token(&token).send().is(200);
    let mut body = read.body.clone();
    if !stated["expectedVersion"].is_null() {
        body["expectedVersion"] = read["version"].clone();
    }
    for (_, member) in UNLIKE.iter().filter(|(operation, _)| *operation == writer.id) {
        body = without(&body, member);
    }
    if writer.audience() == Audience::Machine {
        let lacking = stated.as_object().expect("an object").iter().filter(|(name, _)| read.body.get(name).is_none());
        let lacking: Map<String, Json> = lacking.map(|(name, value)| (name.clone(), value.clone())).collect();
        body = with(&Json::Object(lacking), body);
    }
    let answer = host.request("PUT", &path).token(&token).json(&body).unchecked().send();
    (answer.status != 200).then(|| format!("{body}\n{answer}"))
}

/// A key that may do everything.
fn key(contract: &Contract, shop: &Company) -> String {
    let machines = contract.operations.iter().filter(|operation| operation.audience() == Audience::Machine);
    let mut scopes: Vec<String> = machines.flat_map(|operation| operation.admitting().concat()).collect();
    scopes.sort();
    scopes.dedup();
    shop.entitle();
    shop.machine_of(json!({ "scopes": scopes, "requestsPerMinute": 6000 })).key
}

fn what_is_ignored_changes_nothing(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}", shop.product("P"));
    let read = shop.get(&path).is(200).body;
    let ignored = json!({
        "id": Uuid::now_v7(), "tenantId": Uuid::now_v7(), "status": "ARCHIVED", "createdAt": "2020-01-01T00:00:00.000Z",
        "variantCount": -5, "singleSku": ["no text"],
    });
    shop.request("PUT", &path).json(&with(&read, ignored)).unchecked().send().is(200);
    let after = shop.get(&path).is(200).body;
    assert_eq!(with(&after, json!({ "updatedAt": read["updatedAt"] })), read);
}

fn other_members_stay_unknown(database: Database) {
    let shop = company(database);
    let path = format!("catalog/products/{}", shop.product("P"));
    let refuse = |body: Json| drop(shop.put(&path, body).refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED"));
    // Variants are asked for: they are records of their own, and a PUT of the product does not replace them.
    refuse(shop.list(&path, &[("include", "variants")]).is(200).body);
    let read = shop.get(&path).is(200).body;
    for changes in [json!({ "media": [] }), json!({ "bogus": 1 }), json!({ "ID": 1 }), json!({ "priceListId": 1 })] {
        refuse(with(&read, changes));
    }
    // A new record has not been read.
    let body = with(&product("P"), json!({ "id": Uuid::now_v7() }));
    shop.post("catalog/products", body).refused(400, "VALIDATION_FAILED").fault("", "NOT_ALLOWED");
}

fn a_retry_may_leave_out_what_is_ignored(database: Database) {
    let shop = company(database);
    let path = format!("pricing/price-lists/{}", shop.price_list("RETRIED"));
    let read = shop.get(&path).is(200).body;
    let key = Uuid::new_v4().to_string();
    let send = |body: &Json| shop.request("PUT", &path).key(&key).json(body).unchecked().send();
    let first = send(&with(&read, json!({ "name": "Changed" }))).is(200);
    let least = json!({
        "code": read["code"], "name": "Changed", "description": read["description"], "currencyCode": read["currencyCode"],
        "visibility": read["visibility"],
    });
    let again = send(&least).is(200);
    assert!(again.replayed());
    assert_eq!(again.body, first.body);
    send(&with(&least, json!({ "name": "Other" }))).refused(409, "IDEMPOTENCY_KEY_REUSED");
}
