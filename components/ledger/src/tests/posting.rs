//! Facts of the books that a request read are read again where it changes them.

use stoa_sdk::Id;
use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::Reply;

use crate::bindings::exports::commerce::ledger::books::Guest;
use crate::records::role::Role;
use crate::services::Services;
use crate::tests::rows::{ENTITY, entity, mapping, postability};
use crate::work::journal::posting::{Leg, Posting, Target, post};

/// Locks, entity, how far its lines are summed, mappings, accounts of the mappings, closed months; an empty list of ids
/// needs no query.
fn setup(keeps_books: bool) -> Vec<Reply> {
    vec![
        Reply::Done,
        rows(vec![whole(&entity(keeps_books), 1)]),
        rows(Vec::new()),
        rows(vec![mapping(Role::Inventory, 1), mapping(Role::InventoryAdjustment, 2)]),
        rows(vec![postability(1, true), postability(2, false)]),
        rows(Vec::new()),
    ]
}

fn posting(amount: &str) -> Posting {
    let leg = |role: Role, is_debit: bool| Leg {
        target: Target::Role(role),
        is_debit,
        amount: amount.parse().ok(),
        party: None,
        branch: None,
        pointer: None,
    };
    Posting {
        entity: ENTITY,
        currency: "EUR".to_owned(),
        currency_pointer: None,
        on: None,
        on_pointer: None,
        source_kind: "TEST".to_owned(),
        source_id: Id(9, 9),
        purpose: "TEST".to_owned(),
        text: "Test".to_owned(),
        legs: vec![leg(Role::Inventory, true), leg(Role::InventoryDamage, false)],
    }
}

#[test]
fn what_the_request_changes_is_read_anew() {
    // The second account gets its first line.
    let written = || vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 2]), Reply::Done];
    let runs = script(vec![setup(true), written(), setup(true), written()]);
    assert!(post(&[posting("1.5")]).is_ok() && post(&[posting("2.5")]).is_ok());
    assert_eq!(runs.borrow().runs.len(), 4);
    // Books begin: values read of the entity before are not theirs.
    let begun = vec![vec![Reply::Done, rows(vec![whole(&entity(false), 1)])], vec![Reply::Done]];
    let runs = script([vec![setup(false)], begun, vec![setup(true), written()]].concat());
    assert_eq!(post(&[posting("1.5")]), Ok(vec![None]));
    assert_eq!(Services::begin(ENTITY.into(), 1, "EUR".to_owned(), 6), Ok(()));
    assert_eq!(post(&[posting("1.5")]), Ok(vec![Some(Id(7, 1))]));
    assert_eq!(runs.borrow().runs.len(), 5);
    // Another request.
    let runs = script(vec![setup(false)]);
    assert_eq!(post(&[posting("1.5")]), Ok(vec![None]));
    assert_eq!(runs.borrow().runs.len(), 1);
}
