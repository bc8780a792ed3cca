//! [C17] Every list that the contract offers to API clients, every list of what changed since an instant and that of
//! events end before what is under way; no other list of people does.

use std::time::Duration;

use stoa_tests::contract::{Audience, Contract, Operation};
use stoa_tests::{Answer, Database, eventually, on_both_databases};

use super::tenancy::fields::{Form, forms};
use super::tenancy::records::Records;
use super::tenancy::requests::Caller;

on_both_databases![c17_every_list_of_news_ends_at_the_watermark,];

fn takes(contract: &Contract, operation: &Operation, parameter: &str) -> bool {
    contract.parameters(operation).any(|taken| taken["name"] == parameter)
}

/// Returns whether it is a list, and not one record with a part that has pages.
fn answers_items(contract: &Contract, operation: &Operation) -> bool {
    let page = contract.resolve(&operation.document["responses"]["200"]);
    let schema = contract.resolve(&page["content"]["application/json"]["schema"]);
    schema["properties"]["items"].is_object()
}

fn c17_every_list_of_news_ends_at_the_watermark(database: Database) {
    let host = stoa_tests::host::shared(database);
    let shop = host.company_of("ada@example.test");
    let contract = host.contract();
    let held = shop.hold_watermark();
    let first = shop.brand("FIRST");
    let (caller, records) = (Caller::new(&shop), Records::new(&shop, "LATER"));
    records.fill(&contract);
    let ask = |form: &Form| caller.ask_path(&contract, form, &records).0.is(200);
    let later = |answer: &Answer| answer.ids().iter().filter(|id| **id >= first).count();
    let lists: Vec<(Form, Option<Form>)> = contract
        .operations
        .iter()
        .filter(|operation| operation.method == "GET" && takes(&contract, operation, "cursor"))
        .filter(|operation| answers_items(&contract, operation))
        .flat_map(|operation| forms(&contract, operation))
        .map(|form| {
            let since = takes(&contract, &form.operation, "updatedSince");
            let changes = since.then(|| {
                let mut changes = form.clone();
                changes.operation.path.push_str("?updatedSince=2000-01-01T00:00:00.000Z");
                changes
            });
            (form, changes)
        })
        .collect();
    let of_clients = |form: &Form| form.operation.audience() == Audience::Machine;
    let of_events = |form: &Form| form.operation.path.ends_with("/events");
    let held_back = |form: &Form, is_news: bool| held.is_some() && (is_news || of_clients(form));
    for (form, changes) in &lists {
        for (form, is_news) in std::iter::once((form, of_events(form))).chain(changes.iter().map(|form| (form, true))) {
            let shown = later(&ask(form));
            assert!(
                shown == 0 || !held_back(form, is_news),
                "{form} shows {shown} records that came after what is under way"
            );
        }
    }
    let before: Vec<usize> = lists.iter().map(|(form, _)| later(&ask(form))).collect();
    let was_held = held.is_some();
    drop(held);
    if was_held {
        eventually(|| (!shop.is_writing()).then_some(()));
        // A watermark that was read before serves for 100 ms.
        std::thread::sleep(Duration::from_millis(200));
    }
    let mut of_clients_with_news = 0;
    for ((form, changes), before) in lists.iter().zip(before) {
        let now = later(&ask(form));
        if of_clients(form) {
            of_clients_with_news += usize::from(now > 0);
        } else if !of_events(form) {
            assert_eq!(before, now, "{form}: people wait for nothing");
        }
        if let Some(changes) = changes {
            assert_eq!(later(&ask(changes)), now, "{form}");
        }
    }
    assert!(of_clients_with_news > 5, "hardly a list of clients had anything to show");
}
