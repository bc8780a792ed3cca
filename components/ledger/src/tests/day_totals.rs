//! How lines come into the day totals: in steps, or at once where they are late; and what is read where they do meanwhile.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, LockMode, Reply, Row, Value};
use stoa_sdk::{Field, Id, Instant};
use stoa_trade::quantity::Amount;

use crate::records::day_total::SummedLinesRow;
use crate::records::entry::BranchKey;
use crate::tests::posting::{posting, setup};
use crate::tests::rows::{ENTITY, date};
use crate::work::balance::{Scope, sums_before};
use crate::work::day_totals::bring_forward;
use crate::work::journal::posting::post;

const MINUTE: i64 = 60_000;

fn summed_lines(until: i64) -> SummedLinesRow {
    let now = Instant(NOW);
    SummedLinesRow {
        id: Id(9, 1),
        version: 1,
        created_at: now,
        updated_at: now,
        legal_entity_id: ENTITY,
        until: Instant(until),
    }
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn day_sums(account: u64, debit: &str, credit: &str) -> Row {
    let branch = BranchKey(None);
    vec![date("2025-12-31").put(), Id(5, account).put(), branch.put(), amount(debit).put(), amount(credit).put()]
}

fn account_sums(account: u64, debit: &str, credit: &str) -> Row {
    vec![Id(5, account).put(), amount(debit).put(), amount(credit).put()]
}

#[test]
fn a_step_waits_for_the_minutes_before_and_sums_whole_ones() {
    let line = |at: i64| vec![Id::first_at(Instant(at)).put()];
    // More lines follow: the step ends with the last minute of which it knows all lines.
    let mut lines = rows([line(NOW - 9 * MINUTE), line(NOW - 7 * MINUTE), line(NOW - 7 * MINUTE + 1)]);
    if let Reply::Rows(page) = &mut lines {
        page.more = true;
    }
    let log = script([
        vec![Reply::Done, Reply::Done, Reply::Inserted(vec![false]), rows([whole(&summed_lines(0), 1)])],
        vec![lines],
        vec![rows([day_sums(1, "7", "0"), day_sums(2, "0", "7")])],
        vec![Reply::Done],
        vec![Reply::Done],
    ]);
    assert_eq!(bring_forward(ENTITY), Ok(true));
    let runs = &log.borrow().runs;
    let [Call::Lock(own), Call::Lock(past), Call::Insert(_), Call::Find(head)] = runs[0].as_slice() else {
        panic!("{:?}", runs[0]);
    };
    assert!(own.names.iter().all(|(_, mode)| *mode == LockMode::Shared) && head.ask.lock == Some(LockMode::Exclusive));
    assert_eq!(past.names.first(), Some(&(format!("books:{ENTITY}:58"), LockMode::Exclusive)));
    let [Call::Update(added)] = runs[3].as_slice() else { panic!("{:?}", runs[3]) };
    let zeros = added.initial.as_ref().unwrap();
    assert!(added.rows.len() == 2 && zeros.rows == vec![Some(vec![Amount::ZERO.put(); 2]); 2], "{added:?}");
    assert_eq!(added.rows[0].add, [amount("7").to_string(), Amount::ZERO.to_string()]);
    let [Call::Update(until)] = runs[4].as_slice() else { panic!("{:?}", runs[4]) };
    assert_eq!(until.rows[0].set, [Value::Instant(NOW - 7 * MINUTE)]);

    // What is summed up to the minute before the last is not asked for again.
    let log = script([vec![
        Reply::Done,
        Reply::Done,
        Reply::Inserted(vec![false]),
        rows([whole(&summed_lines(NOW - MINUTE), 1)]),
    ]]);
    assert_eq!(bring_forward(ENTITY), Ok(false));
    assert_eq!(log.borrow().runs.len(), 1);
}

#[test]
fn lines_that_come_late_are_summed_at_once() {
    let written = || vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; 2]), Reply::Done];
    for (until, runs) in [(NOW + 1, 3), (NOW, 2)] {
        let mut found = setup(true);
        found[2] = rows([whole(&summed_lines(until), 1)]);
        let log = script([found, written(), vec![Reply::Done]]);
        assert!(post(&[posting("1.5")]).is_ok());
        assert_eq!(log.borrow().runs.len(), runs, "summed until {until}");
        if let Some(run) = log.borrow().runs.get(2) {
            let [Call::Update(added)] = run.as_slice() else { panic!("{run:?}") };
            assert_eq!((added.collection.as_str(), added.rows.len()), ("day_total", 2));
        }
    }
}

#[test]
fn sums_are_read_anew_where_lines_were_summed_meanwhile() {
    let until = |at: i64| rows([vec![Instant(at).put()]]);
    let log = script([
        vec![until(NOW - 9 * MINUTE), rows([])],
        // The day totals hold what the lines tell too.
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
