//! Bringing the day totals forward, so that what a balance or a closing reads does not grow with the lines of a month.
//!
//! Totals that every posting added to would be rows on which all postings of an entity wait for each other. So postings insert
//! their lines and no more, and about one of a thousand lines sums those that came before it: 10 million lines of a month are
//! some thousands of such steps, each as long as a few postings, and a closing reads the days, not the lines.
//!
//! No line is missed and none is counted twice, whatever the order in which requests commit:
//! - whoever posts holds, shared, the lock of the minute of its request, which is the minute of its lines' ids too;
//! - whoever sums takes the locks of the minutes before, and so waits for those that are still at it, and sums whole minutes;
//! - whoever comes to its lock after its minute was summed sees that under the lock, and adds its own lines.

use std::collections::BTreeMap;

use stoa_sdk::store::{
    Failure, Find, MOST_ROWS, Update, aggregate, find, insert, lock_all, lock_all_shared, run, select, update,
    update_by,
};
use stoa_sdk::{Date, Field, Filter, Id, Instant, all, facts, now, totals, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::day_total::{DayTotalRow, Summed, SummedLinesRow};
use crate::records::entry::{BranchKey, LineRow};
use crate::rules::books::books_lock;
use crate::rules::sums::Sums;

/// In milliseconds.
const MINUTE: i64 = 60_000;
/// Names of minutes come round every hour.
const NAMES: i64 = 60;
/// Minutes that are waited for: those before the last one, longer back than any request lasts. The names of the next ten are
/// left out: requests of theirs may run already.
const PAST: std::ops::Range<i64> = 2..NAMES - 10;
/// Lines that are posted for each step of summing, about.
const STRIDE: u64 = 1_024;
/// Calls that one batch may hold.
const CALLS: usize = 32;

view! { LineId of LineRow { id: Id } }

totals! {
    /// Both sides of a day total, in lines.
    pub DaySums of LineRow by [entry_date: Date, account_id: Id, branch: BranchKey] {
        debit: Amount = sum(debit), credit: Amount = sum(credit),
    }
}

/// What a day total is of.
pub type DayGroup = (Date, Id, BranchKey);

fn minute_lock(entity: Id, minute: i64) -> String {
    format!("books:{entity}:{}", minute.rem_euclid(NAMES))
}

/// What whoever posts holds, shared, before it asks how far lines are summed.
pub fn posting_locks(entity: Id) -> [String; 2] {
    [books_lock(entity), minute_lock(entity, now().0.div_euclid(MINUTE))]
}

/// How far an entity's lines are in its day totals.
pub fn find_summed(entity: Id) -> Find<Summed> {
    find("entity", [vec![entity.put()]])
}

/// Whether lines that this request writes belong to a time that is summed already.
pub fn is_late(summed: Option<&Summed>) -> bool {
    summed.is_some_and(|summed| now() < summed.until)
}

/// Lines that are in no day total yet.
pub fn filter_unsummed(entity: Id, summed: Option<Summed>) -> Filter {
    let after = summed.map(|summed| LineRow::id.ge(Id::first_at(summed.until)));
    all([LineRow::legal_entity_id.eq(entity)].into_iter().chain(after))
}

/// Adds to the day totals of an entity.
fn add<'a>(entity: Id, sums: impl IntoIterator<Item = (&'a DayGroup, &'a Sums)>) -> Vec<Vec<Update<DayTotalRow>>> {
    let sums: Vec<(&DayGroup, &Sums)> = sums.into_iter().collect();
    let zeros = [DayTotalRow::debit.name(), DayTotalRow::credit.name()];
    let update = |sums: &[(&DayGroup, &Sums)]| {
        let key = |((day, account, branch), _): &(&DayGroup, &Sums)| {
            vec![entity.put(), Month::of(*day).put(), account.put(), branch.put(), day.put()]
        };
        update_by::<DayTotalRow>("total", sums.iter().map(key))
            .add_each(DayTotalRow::debit, sums.iter().map(|(_, sums)| sums.debit))
            .add_each(DayTotalRow::credit, sums.iter().map(|(_, sums)| sums.credit))
            .or_insert(&zeros, sums.iter().map(|_| Some(vec![Amount::ZERO.put(), Amount::ZERO.put()])))
    };
    let chunks: Vec<&[(&DayGroup, &Sums)]> = sums.chunks(MOST_ROWS as usize).collect();
    chunks.chunks(CALLS).map(|batch| batch.iter().copied().map(update).collect()).collect()
}

/// Adds lines that came late to the day totals.
///
/// # Errors
/// The store's failures.
pub fn add_late(entity: Id, sums: &BTreeMap<DayGroup, Sums>) -> Result<(), Failure> {
    add(entity, sums).into_iter().try_for_each(|batch| run(batch).map(drop))
}

/// Whether a request that has posted so many lines brings the totals forward: one of about a thousand lines does.
pub fn is_due(lines: usize) -> bool {
    facts().request.1 % STRIDE < u64::try_from(lines).unwrap_or(STRIDE)
}

/// Sums the next lines, at most some thousands or those of one minute; answers whether more wait.
///
/// # Errors
/// The store's failures.
pub fn bring_forward(entity: Id) -> Result<bool, Failure> {
    let minute = now().0.div_euclid(MINUTE);
    // Minutes whose requests have ended: the locks see to it that they have.
    let ended = Instant((minute - 1) * MINUTE);
    let (_, _, _, rows) = run((
        lock_all_shared(posting_locks(entity)),
        lock_all(PAST.map(|back| minute_lock(entity, minute - back))),
        insert([&SummedLinesRow::new(entity)]).unless_taken(),
        find::<SummedLinesRow>("entity", [vec![entity.put()]]).locked(),
    ))?;
    let Some(row) = rows.into_iter().next().filter(|row| row.until < ended) else { return Ok(false) };
    let before = |end: Instant| {
        all([filter_unsummed(entity, Some(Summed { until: row.until })), LineRow::id.lt(Id::first_at(end))])
    };
    let next = run(select::<LineId>(before(ended)).limit(MOST_ROWS))?;
    let end = if next.more { whole_minutes(&next.items).min(ended) } else { ended };
    let mut after = None;
    loop {
        let page = run(aggregate::<DaySums>(before(end)).after(after.take()).limit(MOST_ROWS))?;
        after = page.items.last().map(|row| vec![row.entry_date.put(), row.account_id.put(), row.branch.put()]);
        let group = |row: DaySums| {
            ((row.entry_date, row.account_id, row.branch), Sums { debit: row.debit, credit: row.credit })
        };
        let sums: BTreeMap<DayGroup, Sums> = page.items.into_iter().map(group).collect();
        add_late(entity, &sums)?;
        if !page.more {
            break;
        }
    }
    run(update::<SummedLinesRow>(row.id).set(SummedLinesRow::until, &end))?;
    Ok(next.more)
}

/// The end of the last minute whose lines all are among these, which others follow; where all are of one minute, its own end.
fn whole_minutes(lines: &[LineId]) -> Instant {
    let minute =
        |line: Option<&LineId>| line.map_or(0, |line| i64::try_from(line.id.0 >> 16).unwrap_or(0).div_euclid(MINUTE));
    let (first, last) = (minute(lines.first()), minute(lines.last()));
    Instant(if last > first { last } else { first + 1 }.saturating_mul(MINUTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_with_a_whole_minute() {
        let line = |minute: i64, ms: i64| LineId { id: Id::first_at(Instant(minute * MINUTE + ms)) };
        for (lines, expected) in [
            (vec![line(7, 0), line(7, 59_999), line(8, 0)], 8),
            (vec![line(7, 0), line(9, 1), line(9, 2)], 9),
            (vec![line(7, 0), line(7, 1)], 8),
        ] {
            assert_eq!(whole_minutes(&lines), Instant(expected * MINUTE));
        }
    }

    #[test]
    fn minutes_that_are_waited_for_are_over_and_none_that_begin() {
        let minute = 1_000_000;
        let name = |of: i64| minute_lock(Id(3, 3), of);
        let waited: Vec<String> = PAST.map(|back| name(minute - back)).collect();
        for running in minute - 1..=minute + 10 {
            assert!(!waited.contains(&name(running)), "{running}");
        }
        assert_eq!(waited.len(), 48);
    }
}
