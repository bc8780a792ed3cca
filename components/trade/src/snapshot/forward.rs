//! Bringing totals forward over the lines that came before, so that no line is missed and none is counted twice,
//! whatever the order in which requests commit:
//! - a request that writes lines holds, shared, the lock of the minute of its request, which is the minute of its lines' ids too;
//! - a request that sums takes the locks of the minutes before, and so waits for running writers;
//! - a writer that gets its lock after its time was summed sees that under the lock, and adds its own lines.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

use stoa_sdk::store::{
    Failure, Find, Lock, MOST_ROWS, Row, Update, find, insert, lock_all, lock_all_shared, run, select, update,
    update_by,
};
use stoa_sdk::{Entity, Field, Filter, Id, Instant, View, all, facts, now};

use super::{Ledger, Summed, SummedLinesRow, add_figures};
use crate::quantity::Amount;

/// In milliseconds.
const MINUTE: i64 = 60_000;
/// Names of minutes come round every hour.
const NAMES: i64 = 60;
/// Minutes that are waited for: those before the last one, longer back than any request lasts. The names of the next ten are
/// left out: requests of theirs may run already.
const PAST: std::ops::Range<i64> = 2..NAMES - 10;
/// Lines that are written for each step of summing, about.
const STRIDE: u64 = 1_024;
/// Calls that one batch may hold.
const CALLS: usize = 32;

/// The ledgers of a module whose totals are brought forward together.
pub struct Snapshots {
    /// Prefix of the names of the module's locks of minutes.
    pub lock: &'static str,
    /// Where its requests begin among some thousand requests, so that not all modules sum in one request.
    pub offset: u64,
    /// Each of its ledgers.
    pub ledgers: &'static [LedgerStep],
}

/// Up to where a step sums at most, and whether more lines wait.
type StepEnd = (Instant, bool);

/// How one ledger is summed; see [`ledger_step`].
pub struct LedgerStep {
    find_end: fn(Id, Instant, Instant) -> Result<StepEnd, Failure>,
    sum: fn(Id, Instant, Instant) -> Result<(), Failure>,
}

/// How this ledger is summed.
pub const fn ledger_step<L: Ledger<N>, const N: usize>() -> LedgerStep {
    LedgerStep { find_end: find_end::<L, N>, sum: sum_lines::<L, N> }
}

/// The entities for which lines that this request writes belong to a time that is summed already.
pub fn late_entities(summed: &[Summed]) -> Vec<Id> {
    summed.iter().filter(|summed| now() < summed.until).map(|summed| summed.legal_entity_id).collect()
}

struct LineId<E> {
    id: Id,
    row: PhantomData<fn() -> E>,
}

impl<E: Entity> View for LineId<E> {
    type Entity = E;
    const COLUMNS: &'static [&'static str] = &["id"];

    fn read(row: Row) -> Option<Self> {
        let [id] = <[_; 1]>::try_from(row).ok()?;
        Some(LineId { id: Id::take(id)?, row: PhantomData })
    }
}

/// The lines of an entity that were made from one instant until before another.
fn made_between<L: Ledger<N>, const N: usize>(entity: Id, from: Instant, end: Instant) -> Filter {
    all([L::LINE_ENTITY.eq(entity), L::LINE_ID.ge(Id::first_at(from)), L::LINE_ID.lt(Id::first_at(end))])
}

fn find_end<L: Ledger<N>, const N: usize>(entity: Id, from: Instant, end: Instant) -> Result<StepEnd, Failure> {
    let next = run(select::<LineId<L::Row>>(made_between::<L, N>(entity, from, end)).limit(MOST_ROWS))?;
    let ids: Vec<Id> = next.items.iter().map(|line| line.id).collect();
    Ok((if next.more { whole_instants(&ids).min(end) } else { end }, next.more))
}

/// The last instant of which these ids, which others follow, are all there are before it; where all are of one, the next.
fn whole_instants(ids: &[Id]) -> Instant {
    let instant = |id: Option<&Id>| id.map_or(0, |id| i64::try_from(id.0 >> 16).unwrap_or(0));
    let (first, last) = (instant(ids.first()), instant(ids.last()));
    Instant(if last > first { last } else { first + 1 })
}

fn sum_lines<L: Ledger<N>, const N: usize>(entity: Id, from: Instant, end: Instant) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = run(select::<L::Row>(made_between::<L, N>(entity, from, end)).after(after).limit(MOST_ROWS))?;
        after = page.items.last().map(|line| L::read_line(line).0);
        add_lines::<L, N>(entity, &page.items)?;
        if !page.more {
            return Ok(());
        }
    }
}

/// Adds lines to the totals of their entity.
fn add_lines<'a, L: Ledger<N>, const N: usize>(
    entity: Id,
    lines: impl IntoIterator<Item = &'a L::Row>,
) -> Result<(), Failure>
where
    L::Row: 'a,
{
    let mut sums: BTreeMap<L::Group, [Amount; N]> = BTreeMap::new();
    for (_, owner, group, figures) in lines.into_iter().map(L::read_line) {
        if owner == entity {
            let sum = sums.entry(group).or_insert([Amount::ZERO; N]);
            *sum = add_figures(*sum, figures).ok_or_else(|| Failure::Limit("a sum of 26 digits".to_owned()))?;
        }
    }
    let sums: Vec<(L::Group, [Amount; N])> = sums.into_iter().collect();
    let chunks: Vec<_> = sums.chunks(MOST_ROWS as usize).collect();
    chunks.chunks(CALLS).try_for_each(|batch| {
        run(batch.iter().map(|sums| add_to_totals::<L, N>(entity, sums)).collect::<Vec<_>>()).map(drop)
    })
}

fn add_to_totals<L: Ledger<N>, const N: usize>(entity: Id, sums: &[(L::Group, [Amount; N])]) -> Update<L::Total> {
    let keys = sums.iter().map(|(group, _)| L::key(entity, group));
    let names = L::FIGURES.map(|column| column.name());
    let added = L::FIGURES.iter().enumerate().fold(update_by::<L::Total>("total", keys), |update, (nth, column)| {
        update.add_each(*column, sums.iter().filter_map(|(_, figures)| figures.get(nth).copied()))
    });
    added.or_insert(&names, sums.iter().map(|_| Some(vec![Amount::ZERO.put(); N])))
}

impl Snapshots {
    /// The lock that is held, shared, before lines of an entity are written; see [`Snapshots::hold`].
    pub fn own_lock(&self, entity: Id) -> String {
        self.minute_lock(entity, now().0.div_euclid(MINUTE))
    }

    fn minute_lock(&self, entity: Id, minute: i64) -> String {
        format!("{}:{entity}:{}", self.lock, minute.rem_euclid(NAMES))
    }

    /// The calls that go before the lines that a request writes, in the same batch or an earlier one: the locks of its
    /// minute, and how far lines are summed.
    pub fn hold(&self, entities: impl IntoIterator<Item = Id>) -> Option<(Lock, Find<Summed>)> {
        let entities: BTreeSet<Id> = entities.into_iter().collect();
        let locks = lock_all_shared(entities.iter().map(|entity| self.own_lock(*entity)));
        let keys: Vec<Row> = entities.iter().map(|entity| vec![entity.put()]).collect();
        (!keys.is_empty()).then(|| (locks, find("entity", keys)))
    }

    /// Adds those lines of an entity that came late to the totals, at once.
    pub fn add_late<'a, L: Ledger<N>, const N: usize>(
        &self,
        entity: Id,
        lines: impl IntoIterator<Item = &'a L::Row>,
    ) -> Result<(), Failure>
    where
        L::Row: 'a,
    {
        add_lines::<L, N>(entity, lines)
    }

    /// Brings the totals of an entity forward if this request, which has written so many lines, is to do so: it is one
    /// of about a thousand lines.
    pub fn follow(&self, entity: Id, lines: usize) -> Result<(), Failure> {
        if facts().request.1.wrapping_sub(self.offset) % STRIDE < u64::try_from(lines).unwrap_or(STRIDE) {
            self.bring_forward(entity)?;
        }
        Ok(())
    }

    /// Sums the next lines of each ledger, at most some thousands or those of one request; answers whether more wait.
    pub fn bring_forward(&self, entity: Id) -> Result<bool, Failure> {
        let minute = now().0.div_euclid(MINUTE);
        // Minutes whose requests have ended: the locks see to it that they have.
        let mut end = Instant((minute - 1) * MINUTE);
        let (_, _, rows) = run((
            lock_all(PAST.map(|back| self.minute_lock(entity, minute - back))),
            insert([&SummedLinesRow::new(entity)]).unless_taken(),
            find::<SummedLinesRow>("entity", [vec![entity.put()]]).locked(),
        ))?;
        let Some(row) = rows.into_iter().next().filter(|row| row.until < end) else { return Ok(false) };
        let mut waits = false;
        for ledger in self.ledgers {
            let (ledger_end, has_more) = (ledger.find_end)(entity, row.until, end)?;
            (end, waits) = (ledger_end, waits || has_more);
        }
        for ledger in self.ledgers {
            (ledger.sum)(entity, row.until, end)?;
        }
        run(update::<SummedLinesRow>(row.id).set(SummedLinesRow::until, &end))?;
        Ok(waits)
    }

    /// Brings the totals of one entity forward, over lines that are older than they: for a module's `upgrade`. The cursor is the
    /// entity, once it is done followed by a point; `next` answers the entity after one.
    pub fn upgrade(
        &self,
        cursor: Option<String>,
        next: impl Fn(Option<Id>) -> Result<Option<Id>, Failure>,
    ) -> Result<Option<String>, Failure> {
        let cursor = cursor.unwrap_or_default();
        let last: Option<Id> = cursor.strip_suffix(DONE).unwrap_or(&cursor).parse().ok();
        let entity = match last.filter(|_| !cursor.ends_with(DONE)) {
            Some(entity) => Some(entity),
            None => next(last)?,
        };
        let Some(entity) = entity else { return Ok(None) };
        let done = if self.bring_forward(entity)? { "" } else { DONE };
        Ok(Some(format!("{entity}{done}")))
    }
}

/// After an entity's id in the cursor of the backfill.
const DONE: &str = ".";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_with_a_whole_instant() {
        let id = |ms: i64, nth: u64| Id(Id::first_at(Instant(ms)).0 | 0x7000, nth);
        for (ids, expected) in [
            (vec![id(7, 1), id(7, 2), id(8, 1)], 8),
            (vec![id(7, 1), id(9, 1), id(9, 2)], 9),
            (vec![id(7, 1), id(7, 2)], 8),
        ] {
            assert_eq!(whole_instants(&ids), Instant(expected));
        }
    }

    #[test]
    fn minutes_that_are_waited_for_are_over_and_none_that_begin() {
        let snapshots = Snapshots { lock: "lines", offset: 0, ledgers: &[] };
        let minute = 1_000_000;
        let name = |minute: i64| snapshots.minute_lock(Id(3, 3), minute);
        let waited: Vec<String> = PAST.map(|back| name(minute - back)).collect();
        for running in minute - 1..=minute + 10 {
            assert!(!waited.contains(&name(running)), "{running}");
        }
        assert_eq!(waited.len(), 48);
    }
}
