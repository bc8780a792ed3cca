//! Calls every operation in every way that makes another statement of it: with nothing but what it needs, with each
//! field that it can do without, and on from a first page.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::contract::{Audience, Contract};
use stoa_tests::{Answer, Company, Stoa, eventually, modules};

use crate::evidence::tenancy::fields::{Field, Form, Place, fields, forms};
use crate::evidence::tenancy::kinds::exempt;
use crate::evidence::tenancy::records::Records;
use crate::evidence::tenancy::requests::{Caller, company_for, filters};

/// Parameters that are not left out of the statement where they are absent, and of which no example fits: an operation
/// and a name.
const ALWAYS: &[(&str, &str)] = &[("getApiClientUsage", "from")];

/// Answers the company that has one of everything.
pub fn visit_all(host: &Stoa) -> Company {
    let contract = host.contract();
    let company = host.company_of("ada@example.test");
    let (caller, records) = (Caller::new(&company), Records::new(&company, "OWN"));
    records.fill(&contract);
    let mut refused = Vec::new();
    for operation in contract.operations.iter().filter(|operation| operation.audience() != Audience::Anybody) {
        // A company of the operation's own: a company may have only so many of some records.
        let writer = (operation.method != "GET").then(|| Caller::new(&company_for(host, operation)));
        for form in forms(&contract, operation) {
            let answers = match &writer {
                None => visit_reading(&contract, &caller, &records, &form),
                Some(writer) => visit_writing(&contract, writer, &form),
            };
            let bad = answers.into_iter().filter(|(_, answer)| !(200..300).contains(&answer.status));
            refused.extend(bad.map(|(with, answer)| format!("{form} with {with}: {answer}")));
        }
    }
    assert!(refused.is_empty(), "{} visits were rejected:\n{}", refused.len(), refused.join("\n"));
    company.verified();
    visit_as_operator(host, &company);
    company
}

/// Has the host bring events and a timer's windows to a module: to a company of which it takes them, and to one in
/// which it first rejects both.
pub fn visit_extensions(host: &Stoa) {
    let console = host.console();
    let digest = console.pushed(&modules::extender('a', 1));
    console.activate(&digest, json!({ "allow": ["POINT_EXTENDED", "EVENT_RECEIVED", "TIMER_ADDED"] })).is(200);
    host.forget_contract();
    let [well, ill] = [host.company(), host.company()];
    for (shop, event, timer) in [(&well, "note", "batches 2"), (&ill, "reject", "reject")] {
        shop.extend('a', "after-commit", event);
        shop.extend('a', "timer", timer);
        shop.product(&fresh("Lamp "));
    }
    eventually(|| well.extension_notes('a').as_array().is_some_and(|notes| !notes.is_empty()).then_some(()));
    host.make_timer_due();
    let has_failed = |table: &str| ill.count(table, "tries > 0") == 1;
    eventually(|| (has_failed("stoa_listener") && has_failed("stoa_timer_lag")).then_some(()));
    ill.extend('a', "after-commit", "note");
    ill.extend('a', "timer", "note");
    host.make_timer_due();
    ill.change(&format!("update stoa_timer_lag set retry_at = {} where {{tenant}}", host.now()));
    let is_well = || ill.count("stoa_listener", "trouble is null") == 1 && ill.count("stoa_timer_lag", "1 = 1") == 0;
    eventually(|| is_well().then_some(()));
}

/// The reads of the operators' API, which is not part of the contract.
fn visit_as_operator(host: &Stoa, company: &Company) {
    let operator = host.console();
    let shown = operator.get(&format!("companies/{}", company.tenant)).is(200);
    let webhook = shown["webhooks"][0]["id"].as_str().unwrap_or_else(|| panic!("no webhook: {shown}"));
    let deliveries = format!("companies/{}/webhooks/{webhook}/deliveries", company.tenant);
    let failed = format!("{deliveries}?status=FAILED");
    for path in ["companies", "companies?text=x", "audit", &deliveries, &failed] {
        operator.get(path).is(200);
    }
}

/// With what was asked in addition to the least, and the answer.
type Answers = Vec<(String, Answer)>;

fn visit_reading(contract: &Contract, caller: &Caller, records: &Records, form: &Form) -> Answers {
    let ask = |with: &str, value: String| caller.ask_with(contract, form, records, &[(with.to_string(), value)]);
    let plain = caller.ask_with(contract, form, records, &[]);
    let many = plain.body["items"].as_array().is_some_and(|items| items.len() > 1);
    let mut answers = vec![("nothing".to_string(), plain)];
    for field in fields(contract, form).iter().filter(|field| is_optional(form, field)) {
        answers.push((field.to_string(), caller.ask(contract, form, field, records, None)));
    }
    for (name, value) in filters(contract, form).unwrap_or_else(|why| panic!("{form}: {why}")) {
        if name != "cursor" && name != "sort" && !ALWAYS.contains(&(form.operation.id.as_str(), name.as_str())) {
            let answer = ask(&name, value);
            answers.push((name, answer));
        }
    }
    for order in orders(contract, form) {
        let sort = ("sort".to_string(), order.clone());
        let first = caller.ask_with(contract, form, records, std::slice::from_ref(&sort));
        // Also where no page follows: the statement is the same after any row.
        let cursor = first.body["items"][0]["id"].as_str().unwrap_or_default().to_string();
        answers.push((order.clone(), first));
        let next = caller.ask_with(contract, form, records, &[sort, ("cursor".to_string(), cursor)]);
        answers.push((format!("{order} and a cursor"), next));
    }
    if many {
        let first = ask("limit", "1".to_string());
        if let Some(cursor) = first.body["nextCursor"].as_str() {
            answers.push(("cursor".to_string(), ask("cursor", cursor.to_string())));
        }
    }
    answers
}

/// The orders that a list can be asked for.
fn orders(contract: &Contract, form: &Form) -> Vec<String> {
    let sort = contract.parameters(&form.operation).find(|parameter| parameter["name"] == "sort");
    let schema = sort.map(|parameter| contract.resolve(&parameter["schema"]));
    let orders = schema.and_then(|schema| schema["enum"].as_array()).into_iter().flatten();
    orders.filter_map(Json::as_str).map(str::to_string).collect()
}

fn visit_writing(contract: &Contract, caller: &Caller, form: &Form) -> Answers {
    let records = || Records::new(&caller.company, "OWN");
    let mut answers = vec![("nothing".to_string(), caller.ask_with(contract, form, &records(), &[]))];
    for field in fields(contract, form).iter().filter(|field| is_optional(form, field)) {
        answers.push((field.to_string(), caller.ask(contract, form, field, &records(), None)));
    }
    answers
}

fn is_optional(form: &Form, field: &Field) -> bool {
    let is_more = matches!(field.place, Place::Body(_) | Place::Query(_)) && !field.required;
    is_more && exempt(form, field).is_none()
}
