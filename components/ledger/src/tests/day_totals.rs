//! How lines come into the day totals in steps, and what is read where they do meanwhile.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, LockMode, Reply, Row, Value};
use stoa_sdk::{Field, Id, Instant, Module};
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::SummedLinesRow;

use crate::Ledger;
use crate::records::entry::LineRow;
use crate::tests::rows::{self as examples, ENTITY};
use crate::work::balance::{Scope, sums_before};

const MINUTE: i64 = 60_000;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// A side of an entry of the last day of 2025, written at this time.
fn line(time: i64, account: u64, debit: &str, credit: &str) -> LineRow {
    let (debit, credit) = (amount(debit), amount(credit));
    LineRow { debit, credit, ..examples::line(Id::first_at(Instant(time)), "2025-12-31", account) }
}

fn account_sums(account: u64, debit: &str, credit: &str) -> Row {
    vec![Id(5, account).put(), amount(debit).put(), amount(credit).put()]
}

#[test]
fn a_step_waits_for_the_minutes_before_and_sums_both_sides_by_day() {
    script([]);
    let summed = SummedLinesRow::new(ENTITY);
    let lines =
        [line(NOW - 9 * MINUTE, 1, "5", "0"), line(NOW - 9 * MINUTE, 2, "0", "5"), line(NOW - 7 * MINUTE, 1, "2", "0")];
    let log = script([
        vec![Reply::Done, Reply::Inserted(vec![false]), rows([whole(&summed, 1)])],
        vec![rows(lines.iter().map(|line| vec![line.id.put()]))],
        vec![rows(lines.iter().map(|line| whole(line, 0)))],
        vec![Reply::Done],
        vec![Reply::Done],
    ]);
    assert_eq!(Ledger::upgrade("0.1.0", Some(ENTITY.to_string())), Ok(Some(format!("{ENTITY}."))));
    let runs = &log.borrow().runs;
    let [Call::Lock(past), Call::Insert(_), Call::Find(head)] = runs[0].as_slice() else { panic!("{:?}", runs[0]) };
    assert_eq!(past.names.first(), Some(&(format!("books:{ENTITY}:58"), LockMode::Exclusive)));
    assert_eq!(head.ask.lock, Some(LockMode::Exclusive));
    let [Call::Update(added)] = runs[3].as_slice() else { panic!("{:?}", runs[3]) };
    let sums: Vec<_> = added.rows.iter().map(|row| (row.key[2].clone(), row.add.clone())).collect();
    let sides = |debit: &str, credit: &str| vec![amount(debit).to_string(), amount(credit).to_string()];
    assert_eq!(sums, [(Id(5, 1).put(), sides("7", "0")), (Id(5, 2).put(), sides("0", "5"))]);
    let [Call::Update(until)] = runs[4].as_slice() else { panic!("{:?}", runs[4]) };
    assert_eq!(until.rows[0].set, [Value::Instant(NOW - MINUTE)]);
}

#[test]
fn sums_are_read_anew_where_lines_were_summed_meanwhile() {
    let until = |time: i64| rows([vec![ENTITY.put(), Instant(time).put()]]);
    let log = script([
        vec![until(NOW - 9 * MINUTE), rows([])],
        // The day totals hold the same sums as the lines.
        vec![rows([account_sums(1, "5", "0")]), rows([account_sums(1, "5", "0")]), until(NOW - 5 * MINUTE)],
        vec![rows([account_sums(1, "5", "0")]), rows([account_sums(1, "2", "1")]), until(NOW - 5 * MINUTE)],
    ]);
    let [sums] = sums_before(&Scope::entity(ENTITY, None), [None]).unwrap();
    assert_eq!(sums.get(&Id(5, 1)).map(|sums| (sums.debit, sums.credit)), Some((amount("7"), amount("1"))));
    let runs = &log.borrow().runs;
    let [Call::Aggregate(days), Call::Aggregate(lines), Call::Find(_)] = runs[2].as_slice() else {
        panic!("{:?}", runs[2]);
    };
    assert_eq!((days.collection.as_str(), lines.collection.as_str()), ("day_total", "entry_line"));
}
