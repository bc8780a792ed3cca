//! Reading sums of a whole entity: totals of months, lines of days at the edges, and the lines that are in no total yet.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, Batch, Call, Failure, Replies, Totals, WholeTotals, run};
use stoa_sdk::{Date, Filter, Id, all, today};

use super::{Ledger, Summed, add_figures, find_summed, negate_figures, split_days, unsummed_lines};
use crate::quantity::Amount;

/// A query of lines, or of totals.
pub struct Part<'a, T, A> {
    /// Which of them, but for their entity and days.
    pub filter: Filter,
    /// The measures of those that meet a filter.
    pub measure: &'a dyn Fn(Filter) -> Aggregate<T>,
    /// The figures that were measured; of groups with their key.
    pub figures: fn(T) -> A,
}

/// Sums of the days of an entity's ledger, by group; see [`group_days`].
pub struct SumsByGroup<T, R, K, const N: usize> {
    totals: Option<WholeTotals<T>>,
    of_totals: fn(T) -> (K, [Amount; N]),
    lines: Vec<(bool, WholeTotals<R>)>,
    of_lines: fn(R) -> (K, [Amount; N]),
}

/// From one day to another, both included; `None`: without an end.
pub type Days = (Option<Date>, Option<Date>);

/// Sums what is dated on these days, by group. Groups that add up to nothing may be absent.
pub fn group_days<L: Ledger<M>, T, R, K, const M: usize, const N: usize>(
    entity: Id,
    summed: Option<Summed>,
    (from, to): Days,
    totals: Part<'_, T, (K, [Amount; N])>,
    lines: Part<'_, R, (K, [Amount; N])>,
) -> SumsByGroup<T, R, K, N>
where
    T: Totals<Entity = L::Total>,
    R: Totals<Entity = L::Row>,
{
    let dated = |from: Option<Date>, to: Option<Date>| {
        let from = from.map(|day| L::LINE_DAY.ge(day));
        all(from.into_iter().chain(to.map(|day| L::LINE_DAY.le(day))))
    };
    let entity_filter = L::LINE_ENTITY.eq(entity);
    let (of_totals, of_lines) = (totals.figures, lines.figures);
    let Some(Summed { until, .. }) = summed else {
        let asked = (lines.measure)(all([entity_filter, lines.filter, dated(from, to)]));
        return SumsByGroup { totals: None, of_totals, lines: vec![(false, take_all(asked))], of_lines };
    };
    let split = split_days(from, to, today());
    let months = split.months.map(|(first, last)| {
        let first = first.map(|month| L::TOTAL_MONTH.ge(month));
        let last = last.map(|month| L::TOTAL_MONTH.le(month));
        let month_filters = [L::TOTAL_ENTITY.eq(entity), totals.filter];
        take_all((totals.measure)(all(month_filters.into_iter().chain(first).chain(last))))
    });
    let first_unsummed = Id::first_at(until);
    let edges = split.edges.iter().map(|edge| {
        let days = dated(Some(edge.from), Some(edge.to));
        let edge_filter = all([entity_filter.clone(), lines.filter.clone(), days, L::LINE_ID.lt(first_unsummed)]);
        (edge.is_taken_off, take_all((lines.measure)(edge_filter)))
    });
    // The last lines are few: they are found by their ids, whatever else is asked of them.
    let last = (lines.measure)(unsummed_lines::<L, M>(entity, summed))
        .when_each(&all([lines.filter.clone(), dated(from, to)]));
    let lines = edges.chain([(false, take_all(last))]).collect();
    SumsByGroup { totals: months, of_totals, lines, of_lines }
}

/// Every group that does not add up to nothing.
fn take_all<T: Totals>(asked: Aggregate<T>) -> WholeTotals<T> {
    if T::KEYS.is_empty() { asked.whole() } else { asked.without_zeros().whole() }
}

impl<T: Totals, R: Totals, K: Ord, const N: usize> Batch for SumsByGroup<T, R, K, N> {
    type Answer = BTreeMap<K, [Amount; N]>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.totals.push(calls);
        self.lines.iter_mut().for_each(|(_, lines)| lines.push(calls));
    }

    fn read(self, replies: &mut Replies) -> Result<Self::Answer, Failure> {
        let mut sums = BTreeMap::new();
        let mut add = |(key, figures): (K, [Amount; N])| {
            let sum = sums.entry(key).or_insert([Amount::ZERO; N]);
            *sum = add_figures(*sum, figures).ok_or_else(|| Failure::Limit("a sum of 26 digits".to_owned()))?;
            Ok(())
        };
        self.totals.read(replies)?.into_iter().flatten().map(self.of_totals).try_for_each(&mut add)?;
        for (is_taken_off, lines) in self.lines {
            for (key, figures) in lines.read(replies)?.into_iter().map(self.of_lines) {
                add((key, if is_taken_off { negate_figures(figures) } else { figures }))?;
            }
        }
        Ok(sums)
    }
}

/// Sums of the days of an entity's ledger; see [`sum_days`].
pub struct SumOfDays<T, R, const N: usize>(SumsByGroup<T, R, (), N>);

/// Sums what is dated on these days.
pub fn sum_days<L: Ledger<M>, T, R, const M: usize, const N: usize>(
    entity: Id,
    summed: Option<Summed>,
    days: Days,
    totals: Part<'_, T, ((), [Amount; N])>,
    lines: Part<'_, R, ((), [Amount; N])>,
) -> SumOfDays<T, R, N>
where
    T: Totals<Entity = L::Total>,
    R: Totals<Entity = L::Row>,
{
    SumOfDays(group_days::<L, T, R, (), M, N>(entity, summed, days, totals, lines))
}

impl<T: Totals, R: Totals, const N: usize> Batch for SumOfDays<T, R, N> {
    type Answer = [Amount; N];

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.0.push(calls);
    }

    fn read(self, replies: &mut Replies) -> Result<[Amount; N], Failure> {
        Ok(self.0.read(replies)?.remove(&()).unwrap_or([Amount::ZERO; N]))
    }
}

/// Reads what depends on how far lines of an entity are summed. In a request that writes, lines may be summed between
/// two of its reads: then they are read again.
pub fn read_settled<B: Batch>(entity: Id, ask: impl Fn(Option<Summed>) -> B) -> Result<B::Answer, Failure> {
    settle(entity, run(find_summed(entity))?.first().copied(), ask)
}

/// As [`read_settled`], where it is read already how far lines are summed.
pub fn settle<B: Batch>(
    entity: Id,
    mut summed: Option<Summed>,
    ask: impl Fn(Option<Summed>) -> B,
) -> Result<B::Answer, Failure> {
    loop {
        let (answer, again) = run((ask(summed), find_summed(entity)))?;
        let again = again.first().copied();
        if again == summed {
            return Ok(answer);
        }
        summed = again;
    }
}
