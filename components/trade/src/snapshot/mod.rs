//! Totals of a ledger's lines by month or day, so that what is read of a whole legal entity does not grow with its history.
//!
//! Totals that every request added to would be rows on which all requests of an entity wait for each other. So requests
//! insert their lines and no more, and about one of a thousand lines has those that came before it added to the totals
//! (`forward`). A read takes the totals of whole months, the days at the edges of what is asked, and the last few lines
//! that are in no total yet (`read`). Totals are derived from the lines: only the lines are the ledger.

mod check;
mod figures;
mod forward;
mod read;
mod split;
#[allow(missing_docs, reason = "described at the collection")]
mod summed;
mod upgrade;

pub use check::{check_lines, check_totals};
pub use figures::{
    Figure, FigureSums, LineMonths, LineSums, MonthSums, MonthlyLines, PlainLedger, TotalMonths, TotalSums,
    list_counters, measure_lines, read_counters, read_parts, sum_figures, sum_months,
};
pub use forward::{LedgerStep, Snapshots, late_entities, ledger_step};
pub use read::{Days, Part, SumOfDays, SumsByGroup, group_days, read_settled, settle, sum_days};
pub use split::{Edge, Split, split_days};
pub use summed::{Summed, SummedLinesRow};

use stoa_sdk::store::{Aggregate, Failure, Find, Row, Totals, aggregate, find};
use stoa_sdk::{Column, Date, Entity, Field, Filter, Id, all};

use crate::dates::Month;
use crate::quantity::Amount;

/// How far an entity's lines are in its totals.
pub fn find_summed(entity: Id) -> Find<Summed> {
    find("entity", [vec![entity.put()]])
}

/// Lines of an entity that are in no total yet.
pub fn unsummed_lines<L: Ledger<N>, const N: usize>(entity: Id, summed: Option<Summed>) -> Filter {
    let after = summed.map(|summed| L::LINE_ID.ge(Id::first_at(summed.until)));
    all([L::LINE_ENTITY.eq(entity)].into_iter().chain(after))
}

/// A ledger of a module, whose rows are only ever inserted, and the totals of its lines: a projection whose one unique
/// key, `total`, begins with the legal entity and contains what its reports distinguish. A total has `N` figures, each
/// a sum.
pub trait Ledger<const N: usize>: 'static {
    /// Its lines.
    type Row: Entity;
    /// Its totals.
    type Total: Entity;
    /// The group of a total, within a legal entity.
    type Group: Ord + Clone;
    /// The figures of lines, as the store sums them.
    type LineSums: Totals<Entity = Self::Row>;

    /// The invariant's name in a finding about a total.
    const INVARIANT: &'static str = "month-total";

    /// The legal entity of a line.
    const LINE_ENTITY: Column<Id>;
    /// The id of a line.
    const LINE_ID: Column<Id>;
    /// The day of a line.
    const LINE_DAY: Column<Date>;
    /// The legal entity of a total.
    const TOTAL_ENTITY: Column<Id>;
    /// The month of a total.
    const TOTAL_MONTH: Column<Month>;
    /// The figures of a total: counters.
    const FIGURES: [Column<Amount>; N];

    /// Id and legal entity of a line, what it belongs to and what it adds.
    fn read_line(line: &Self::Row) -> (Id, Id, Self::Group, [Amount; N]);
    /// The key of a total.
    fn key(entity: Id, group: &Self::Group) -> Row;
    /// Legal entity and group of a total, and its figures.
    fn read_total(total: &Self::Total) -> (Id, Self::Group, [Amount; N]);
    /// The lines of a group, but for their legal entity.
    fn lines_of(group: &Self::Group) -> Filter;
    /// Sums the lines that meet a filter.
    fn measure(filter: Filter) -> Aggregate<Self::LineSums> {
        aggregate(filter)
    }

    /// The figures of lines.
    fn read_sums(sums: &Self::LineSums) -> [Amount; N];
}

/// The figures of one and the other. None where a sum leaves 26 integer digits.
pub fn add_figures<const N: usize>(one: [Amount; N], other: [Amount; N]) -> Option<[Amount; N]> {
    let mut sums = one;
    for (sum, figure) in sums.iter_mut().zip(other) {
        *sum = sum.checked_add(figure)?;
    }
    Some(sums)
}

/// The figures of all of these.
///
/// # Errors
/// Limit where a sum leaves 26 integer digits.
pub fn add_up<const N: usize>(all: impl IntoIterator<Item = [Amount; N]>) -> Result<[Amount; N], Failure> {
    let sum = all.into_iter().try_fold([Amount::ZERO; N], add_figures);
    sum.ok_or_else(|| Failure::Limit("a sum of 26 digits".to_owned()))
}

/// The figures with the other sign.
pub fn negate_figures<const N: usize>(figures: [Amount; N]) -> [Amount; N] {
    figures.map(|figure| Amount::from_units(-figure.units()))
}

#[cfg(test)]
mod tests;
