//! The module against a scripted host: how many round trips an entry takes, what it locks, and what `verify` finds.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, LockMode, Reply, Row};
use stoa_sdk::{Date, Field, Id, Instant, Module};

use crate::Ledger;
use crate::account::Postability;
use crate::balance::Amount;
use crate::entity::{EntityRow, Status};
use crate::entry::{BranchKey, EntryRow, LineRow};
use crate::month::Month;
use crate::posting::{Leg, Posting, Target, post};
use crate::role::{AccountType, Role};

const ENTITY: Id = Id(3, 3);

fn entity(keeps_books: bool) -> EntityRow {
    EntityRow {
        id: ENTITY,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "MAIN".to_owned(),
        code_key: "main".to_owned(),
        name: "Main".to_owned(),
        legal_name: None,
        tax_id: None,
        country_code: None,
        keeps_books,
        currency_code: keeps_books.then(|| "EUR".to_owned()),
        books_start_on: keeps_books.then(|| date("2025-12-01")),
        amount_scale: keeps_books.then_some(6),
        status: Status::Active,
        archived_at: None,
    }
}

fn date(text: &str) -> Date {
    text.parse().expect("a day")
}

fn postability(id: u64, used: bool) -> Row {
    let account = Postability {
        id: Id(5, id),
        legal_entity_id: ENTITY,
        account_type: AccountType::Asset,
        postable: true,
        used,
        control_role: None,
        status: Status::Active,
    };
    vec![
        account.id.put(),
        account.legal_entity_id.put(),
        account.account_type.put(),
        account.postable.put(),
        account.used.put(),
        account.control_role.put(),
        account.status.put(),
    ]
}

fn mapping(role: Role, account: u64) -> Row {
    let row = crate::mapping::RoleMappingRow {
        id: Id(6, account),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        role,
        account_id: Some(Id(5, account)),
    };
    whole(&row, 1)
}

/// Lock, entity, mappings, accounts of the mappings, closed months; ids of none are not asked for.
fn setup(keeps_books: bool) -> Vec<Reply> {
    vec![
        Reply::Done,
        rows(vec![whole(&entity(keeps_books), 1)]),
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
fn an_entry_takes_two_round_trips_under_a_shared_lock() {
    let written = vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 2]), Reply::Done];
    let runs = script(vec![setup(true), written]);
    assert_eq!(post(&[posting("1.5")]), Ok(vec![Some(Id(7, 1))]));
    let runs = &runs.borrow().runs;
    assert_eq!(runs.len(), 2);
    let [Call::Lock(lock), Call::Get(_), Call::Select(_), Call::Select(_), Call::Select(_)] = runs[0].as_slice() else {
        panic!("{:?}", runs[0]);
    };
    assert_eq!(lock.names, [(format!("books:{ENTITY}"), LockMode::Shared)]);
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
        replies[2] = rows(vec![mapping(Role::Inventory, 1)]);
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
fn verify_finds_entries_that_do_not_balance() {
    let entry = EntryRow {
        id: Id(8, 1),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        entry_date: date("2026-01-01"),
        month: Month::of(date("2026-01-01")),
        currency_code: "EUR".to_owned(),
        source_kind: "TEST".to_owned(),
        source_id: Id(9, 9),
        purpose: "TEST".to_owned(),
        description: "Test".to_owned(),
        reference: None,
        reversal_of: None,
        total: Amount::from_units(5),
        actor_type: "USER".to_owned(),
        actor_id: "alice".to_owned(),
        request_id: Id(2, 2),
    };
    let line = |line_no: i64, debit: i128, credit: i128| LineRow {
        id: Id(8, 10),
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        entry_id: entry.id,
        line_no,
        legal_entity_id: ENTITY,
        account_id: Id(5, 1),
        entry_date: entry.entry_date,
        month: entry.month,
        debit: Amount::from_units(debit),
        credit: Amount::from_units(credit),
        party_type: None,
        party_id: None,
        branch: BranchKey(None),
        description: None,
    };
    let found = |lines: Vec<LineRow>| -> Vec<String> {
        let lines = rows(lines.iter().map(|line| whole(line, 1)));
        script(vec![vec![rows(vec![whole(&entry, 1)])], vec![lines], vec![rows(vec![postability(1, true)])]]);
        let findings = Ledger::verify(None);
        assert_eq!(findings.next.as_deref(), Some("period:"));
        findings.findings.into_iter().map(|finding| finding.invariant).collect()
    };
    assert!(found(vec![line(1, 5, 0), line(2, 0, 5)]).is_empty());
    assert_eq!(found(vec![line(1, 5, 0), line(2, 0, 4)]), ["entry-balance"]);
    assert_eq!(found(vec![line(1, 5, 5)]), ["entry-line"]);
    let late = LineRow { entry_date: date("2026-01-02"), ..line(2, 0, 5) };
    assert_eq!(found(vec![line(1, 5, 0), late]), ["entry-line"]);
}

#[test]
fn the_descriptor_can_be_written() {
    let descriptor = Ledger::descriptor();
    assert_eq!(descriptor.collections.len(), 12);
    assert!(descriptor.routes.iter().all(|route| route.read_only || route.audit.is_some()));
}
