//! Accounts with a ledger of entries, in several versions from one build: the suite writes the digit of a form over a mark in its
//! bytes. A later version keeps the sum of an account's entries next to the account, where an earlier one changes it unseen.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::descriptor::Descriptor;
use stoa_sdk::store::{get, insert, read, run, select, update};
use stoa_sdk::{
    Answer, Call, Entity, Finding, Findings, Id, Manifest, Module, Operation, Problem, Reply, Text, all, collection,
    new_id, now,
};

/// Accounts of one batch of the backfill.
const BATCH: u32 = 2;
const MOST: u32 = 1_000;
const AUDIT: &str = "TALLY";

/// The digit at the end is what a test writes.
static MARK: [u8; 19] = *b"the tally's form: 1";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// 1.0.0: no sums.
    First,
    /// 1.1.0: sums in a derived column.
    Derived,
    /// 1.1.0: sums in a plain column, which the first form makes wrong.
    Plain,
    /// 1.1.0: sums in a derived column, and a backfill that is refused.
    Stuck,
}

fn form() -> Form {
    match black_box(&MARK).last() {
        Some(b'2') => Form::Derived,
        Some(b'3') => Form::Plain,
        Some(b'4') => Form::Stuck,
        _ => Form::First,
    }
}

collection! {
    pub ledger EntryRow in "entry" {
        account: Id,
        amount: i64,
    }
    index { [account] }
}

collection! {
    pub record AccountRow in "account" {
        name: String,
        entries: i64 = 0,
    }
    counters [entries]
}

collection! {
    pub record SummedRow in "account" {
        name: String,
        entries: i64 = 0,
        total: Option<i64>,
    }
    counters [entries]
    derived [total]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TallyAccountInput")]
#[serde(deny_unknown_fields)]
struct AccountInput {
    name: Text<1, 100>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TallyEntryInput")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EntryInput {
    account_id: Id,
    amount: u32,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TallyReceipt")]
struct Receipt {
    id: Id,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TallyAccount")]
struct Account {
    id: Id,
    name: String,
    total: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TallyAccounts")]
struct Accounts {
    accounts: Vec<Account>,
}

fn open(call: &Call) -> Answer {
    let input: AccountInput = call.body()?;
    let (id, now, name) = (new_id(), now(), String::from(input.name));
    match form() {
        Form::First => {
            run(insert([&AccountRow { id, version: 1, created_at: now, updated_at: now, name, entries: 0 }]))?
        }
        _ => {
            let total = Some(0);
            run(insert([&SummedRow { id, version: 1, created_at: now, updated_at: now, name, entries: 0, total }]))?
        }
    };
    Ok(Reply::json(&Receipt { id }).of(id, 1))
}

fn add(call: &Call) -> Answer {
    let EntryInput { account_id: account, amount } = call.body()?;
    let (id, now, amount) = (new_id(), now(), i64::from(amount));
    let version = match form() {
        Form::First => run(get::<AccountRow>(account).locked())?.ok_or_else(Problem::not_found)?.version,
        _ => {
            let row = run(get::<SummedRow>(account).locked())?.ok_or_else(Problem::not_found)?;
            // A sum that is not known stays so: the backfill finds it.
            run(update::<SummedRow>(account).set(SummedRow::total, &row.total.map(|total| total + amount)))?;
            row.version + 1
        }
    };
    run(update::<AccountRow>(account).add(AccountRow::entries, 1))?;
    run(insert([&EntryRow { id, created_at: now, updated_at: now, account, amount }]))?;
    Ok(Reply::json(&Receipt { id }).of(account, version + 1))
}

fn list(_: &Call) -> Answer {
    let accounts = match form() {
        Form::First => {
            let rows = run(select::<AccountRow>(all([])).limit(MOST))?.items;
            rows.into_iter().map(|row| Account { id: row.id, name: row.name, total: None }).collect()
        }
        _ => {
            let rows = run(select::<SummedRow>(all([])).limit(MOST))?.items;
            rows.into_iter().map(|row| Account { id: row.id, name: row.name, total: row.total }).collect()
        }
    };
    Ok(Reply::json(&Accounts { accounts }))
}

fn sum(account: Id) -> i64 {
    read(select::<EntryRow>(EntryRow::account.eq(account)).limit(MOST)).items.iter().map(|entry| entry.amount).sum()
}

/// Fills what has no sum, a few accounts at a time, in the order of their ids.
fn fill(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let after = cursor.as_deref().and_then(|cursor| cursor.parse().ok());
    let page = run(select::<SummedRow>(SummedRow::total.is_null()).after(after).limit(BATCH))?;
    for row in &page.items {
        run(update::<SummedRow>(row.id).set(SummedRow::total, &Some(sum(row.id))))?;
    }
    Ok(page.items.last().filter(|_| page.more).map(|row| row.id.to_string()))
}

/// A sum that is known is the fold of the ledger.
fn verify(_: Option<String>) -> Findings {
    let mut findings = Vec::new();
    if form() != Form::First {
        for row in read(select::<SummedRow>(SummedRow::total.not_null()).limit(MOST)).items {
            let sum = sum(row.id);
            if row.total != Some(sum) {
                let message = format!("{} has the total {:?}, its ledger {sum}", row.name, row.total);
                findings.push(Finding { invariant: "total".to_owned(), resource: None, message });
            }
        }
    }
    Findings { findings, next: None }
}

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::create("/tally/accounts", "openTallyAccount", open).summary("Open an account")
        .needs(&["tally.write"]).body::<AccountInput>().answers::<Receipt>().writes(AUDIT, &[]),
    Operation::create("/tally/entries", "addTallyEntry", add).summary("Add an entry to an account")
        .needs(&["tally.write"]).body::<EntryInput>().answers::<Receipt>().writes(AUDIT, &[]),
    Operation::read("/tally/accounts", "listTallyAccounts", list).summary("The accounts and their sums")
        .needs(&["tally.read"]).answers::<Accounts>(),
];

/// The module in the form that its bytes name.
pub struct Tally;

impl Module for Tally {
    const MANIFEST: Manifest = Manifest {
        operations: &[OPERATIONS],
        permissions: &[("tally.read", "Of the tally."), ("tally.write", "Of the tally.")],
        verify,
        ..Manifest::new("tally", "1.0.0", "Accounts and their entries.")
    };

    fn descriptor() -> Descriptor {
        let mut descriptor = Self::MANIFEST.descriptor();
        let mut accounts = SummedRow::collection();
        match form() {
            Form::First => accounts = AccountRow::collection(),
            Form::Plain => accounts.columns.iter_mut().for_each(|column| column.derived = false),
            Form::Derived | Form::Stuck => {}
        }
        if form() != Form::First {
            descriptor.version = "1.1.0".to_owned();
        }
        descriptor.collections = vec![EntryRow::collection(), accounts];
        descriptor
    }

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        match form() {
            Form::First => Ok(None),
            Form::Derived | Form::Plain => fill(cursor),
            Form::Stuck => Err(Problem::not_found()),
        }
    }
}

stoa_sdk::export_module!(Tally);
