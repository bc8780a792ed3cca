//! Checks that totals are the sums of their lines: stages of a module's `verify`.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{MOST_KEYS, OneTotal, find, read, select};
use stoa_sdk::{Entity, Field, Finding, Id, Instant, all, map, set};

use super::{Ledger, SummedLinesRow};
use crate::stages::{Batch, finding};

/// Totals of a batch; the lines of each are summed.
const TOTALS: u32 = 12;
/// Lines of a batch, whose totals are looked for.
const LINES: u32 = 500;

/// The ids of wrong rows, and the row that was looked at last where others follow.
type Checked = (Vec<Id>, Option<Id>);

/// How far the lines of these entities are in their totals.
fn read_until(entities: BTreeSet<Id>) -> BTreeMap<Id, Instant> {
    let rows = (!entities.is_empty())
        .then(|| find::<SummedLinesRow>("entity", entities.into_iter().map(|entity| vec![entity.put()])));
    map(read(rows).into_iter().flatten().map(|row| (row.legal_entity_id, row.until)))
}

/// A total is the sum of the lines that are summed.
pub fn check_totals<L: Ledger<N>, const N: usize>(after: Option<Id>) -> Batch {
    let (wrong, last) = find_wrong_totals::<L, N>(after);
    (list::<L, N>(wrong, "The total is not the sum of its lines."), last)
}

/// A line that is summed has a total.
pub fn check_lines<L: Ledger<N>, const N: usize>(after: Option<Id>) -> Batch {
    let (missing, last) = find_lines_without_total::<L, N>(after);
    (list::<L, N>(missing, "A line that is summed is in no total."), last)
}

fn list<L: Ledger<N>, const N: usize>(ids: Vec<Id>, message: &str) -> Vec<Finding> {
    ids.into_iter().map(|id| finding(L::INVARIANT, id, message)).collect()
}

fn find_wrong_totals<L: Ledger<N>, const N: usize>(after: Option<Id>) -> Checked {
    let page = read(select::<L::Total>(Default::default()).after(after).limit(TOTALS));
    let last = page.items.last().filter(|_| page.more).map(Entity::id);
    let rows: Vec<_> = page.items.iter().map(|row| (row.id(), L::read_total(row))).collect();
    let until = read_until(set(rows.iter().map(|(_, (entity, ..))| *entity)));
    let lines = rows.iter().map(|(_, (entity, group, _))| -> OneTotal<L::LineSums> {
        let until = until.get(entity).copied().unwrap_or(Instant(0));
        L::measure(all([L::LINE_ENTITY.eq(*entity), L::lines_of(group), L::LINE_ID.lt(Id::first_at(until))])).one()
    });
    let lines = read(lines.collect::<Vec<_>>());
    let wrong = rows.iter().zip(lines).filter(|((_, (.., figures)), sums)| *figures != L::read_sums(sums));
    (wrong.map(|((id, _), _)| *id).collect(), last)
}

fn find_lines_without_total<L: Ledger<N>, const N: usize>(after: Option<Id>) -> Checked {
    let page = read(select::<L::Row>(Default::default()).after(after).limit(LINES));
    let lines: Vec<_> = page.items.iter().map(L::read_line).collect();
    let last = lines.last().filter(|_| page.more).map(|(id, ..)| *id);
    let until = read_until(set(lines.iter().map(|(_, entity, ..)| *entity)));
    let is_summed = |id: &Id, entity: &Id| until.get(entity).is_some_and(|until| *id < Id::first_at(*until));
    let summed: Vec<(Id, (Id, L::Group))> = lines
        .into_iter()
        .filter(|(id, entity, ..)| is_summed(id, entity))
        .map(|(id, entity, group, _)| (id, (entity, group)))
        .collect();
    let keys: Vec<_> = set(summed.iter().map(|(_, key)| key.clone())).into_iter().collect();
    let of_keys = keys
        .chunks(MOST_KEYS)
        .map(|keys| find::<L::Total>("total", keys.iter().map(|(entity, group)| L::key(*entity, group))));
    let totals = read(of_keys.collect::<Vec<_>>()).into_iter().flatten();
    let there = set(totals.map(|row| L::read_total(&row)).map(|(entity, group, _)| (entity, group)));
    (summed.into_iter().filter(|(_, key)| !there.contains(key)).map(|(id, _)| id).collect(), last)
}
