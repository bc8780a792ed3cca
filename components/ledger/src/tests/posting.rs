//! How many round trips an entry takes, what it locks, and in which order it is refused.

use stoa_sdk::Id;
use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::{Call, LockMode, Reply};

use crate::bindings::exports::commerce::ledger::books::Guest;
use crate::records::role::Role;
use crate::services::Services;
use crate::tests::rows::{ENTITY, date, entity, mapping, postability};
use crate::work::journal::posting::{Leg, Posting, Target, post};

/// Locks, entity, how far its lines are summed, mappings, accounts of the mappings, closed months; ids of none are not asked for.
pub fn setup(keeps_books: bool) -> Vec<Reply> {
    vec![
        Reply::Done,
        rows(vec![whole(&entity(keeps_books), 1)]),
        rows(Vec::new()),
        rows(vec![mapping(Role::Inventory, 1), mapping(Role::InventoryAdjustment, 2)]),
        rows(vec![postability(1, true), postability(2, false)]),
        rows(Vec::new()),
    ]
}

pub fn posting(amount: &str) -> Posting {
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
fn an_entry_takes_two_round_trips_under_a_shared_lock() {
    let written = vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 2]), Reply::Done];
    let runs = script(vec![setup(true), written]);
    assert_eq!(post(&[posting("1.5")]), Ok(vec![Some(Id(7, 1))]));
    let runs = &runs.borrow().runs;
    assert_eq!(runs.len(), 2);
    let [Call::Lock(lock), Call::Get(_), Call::Find(_), Call::Select(_), Call::Select(_), Call::Select(_)] =
        runs[0].as_slice()
    else {
        panic!("{:?}", runs[0]);
    };
    let shared = |name: String| (name, LockMode::Shared);
    assert_eq!(lock.names, [shared(format!("books:{ENTITY}")), shared(format!("books:{ENTITY}:0"))]);
    let [Call::Insert(_), Call::Insert(lines), Call::Update(used)] = runs[1].as_slice() else {
        panic!("{:?}", runs[1]);
    };
    assert_eq!(lines.rows.len(), 2);
    assert_eq!(used.rows.len(), 1, "only the account without lines is marked");
}

#[test]
fn nothing_is_asked_for_nothing() {
    let runs = script(Vec::new());
    assert_eq!(post(&[posting("0")]), Ok(vec![None]));
    assert!(runs.borrow().runs.is_empty());
    let runs = script(vec![setup(false)]);
    assert_eq!(post(&[posting("0.0000000001")]), Ok(vec![None]), "no books, no codes");
    assert_eq!(runs.borrow().runs.len(), 1);
}

#[test]
fn refusals_come_in_their_order() {
    let code = |posting: Posting, reply: Vec<Reply>| {
        script(vec![reply]);
        post(&[posting]).map_err(|problem| problem.code)
    };
    let mut wrong = Posting { currency: "USD".to_owned(), on: Some(date("2026-01-03")), ..posting("0.0000001") };
    let unmapped = || {
        let mut replies = setup(true);
        replies[3] = rows(vec![mapping(Role::Inventory, 1)]);
        replies
    };
    assert_eq!(code(wrong.clone(), unmapped()), Err("VALIDATION_FAILED".to_owned()));
    wrong.on = Some(date("2025-11-30"));
    assert_eq!(code(wrong.clone(), unmapped()), Err("ACCOUNTING_CURRENCY_UNSUPPORTED".to_owned()));
    wrong.currency = "EUR".to_owned();
    assert_eq!(code(wrong.clone(), unmapped()), Err("ACCOUNTING_SETUP_REQUIRED".to_owned()));
    assert_eq!(code(wrong.clone(), setup(true)), Err("ACCOUNTING_PERIOD_CLOSED".to_owned()));
    wrong.on = Some(date("2026-01-02"));
    assert_eq!(code(wrong, setup(true)), Err("ACCOUNTING_AMOUNT_PRECISION".to_owned()));
}

#[test]
fn a_request_reads_the_set_up_of_its_books_once() {
    let written = |lines: usize| vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; lines])];
    let used = || {
        let mut replies = setup(true);
        replies[4] = rows(vec![postability(1, true), postability(2, true)]);
        replies
    };
    let admit =
        || Services::admit(ENTITY.into(), Some("EUR".to_owned()), None, vec!["INVENTORY".to_owned()], Vec::new());
    let runs = script(vec![used(), written(2), written(2)]);
    assert!(matches!(admit(), Ok(Some(_))));
    assert!(post(&[posting("1.5")]).is_ok() && post(&[posting("2.5")]).is_ok());
    assert!(matches!(admit(), Ok(Some(_))));
    let kinds = |run: &[Call]| run.iter().filter(|call| !matches!(call, Call::Insert(_))).count();
    assert_eq!(runs.borrow().runs.iter().map(|run| kinds(run)).collect::<Vec<_>>(), [6, 0, 0]);

    // For another month only the missing facts are read, under the lock that is held.
    let runs = script(vec![used(), vec![rows(Vec::new())], written(2)]);
    assert!(matches!(admit(), Ok(Some(_))));
    assert!(post(&[Posting { on: Some(date("2025-12-31")), ..posting("1.5") }]).is_ok());
    assert!(matches!(runs.borrow().runs[1].as_slice(), [Call::Select(_)]));
}

#[test]
fn what_the_request_changes_is_read_anew() {
    // The second account gets its first line.
    let written = || vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 2]), Reply::Done];
    let runs = script(vec![setup(true), written(), setup(true), written()]);
    assert!(post(&[posting("1.5")]).is_ok() && post(&[posting("2.5")]).is_ok());
    assert_eq!(runs.borrow().runs.len(), 4);
    // Books begin: what was read of the entity before is not theirs.
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
