//! Snapshots: both sides of every account and branch at the end of a month, as a closing keeps them, a page at a time:
//! the number of a company's accounts and branches limits neither its closing nor its check.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_ROWS, Row, Rows, aggregate, run};
use stoa_sdk::{Field, Id, Problem, all, totals};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{Summed, unsummed_lines};

use crate::records::day_total::DayTotalRow;
use crate::records::entry::{BranchKey, LineRow};
use crate::records::period::TotalRow;
use crate::rules::sums::Sums;
use crate::work::balance::{Base, rows_of};
use crate::work::day_totals::Journal;

/// Declares the sums of collections by account and branch.
macro_rules! group_sums {
    ($($name:ident of $row:ident),+) => {$(
        totals! {
            $name of $row by [account_id: Id, branch: BranchKey] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
        }

        impl From<$name> for (Group, Sums) {
            fn from(row: $name) -> (Group, Sums) {
                ((row.account_id, row.branch), Sums { debit: row.debit, credit: row.credit })
            }
        }
    )+};
}
group_sums!(Earlier of TotalRow, Days of DayTotalRow, Moved of LineRow);

/// An account at a branch.
pub type Group = (Id, BranchKey);

/// Sums of the groups after a group, and the last of them where others follow.
pub struct SumPage {
    pub sums: BTreeMap<Group, Sums>,
    pub next: Option<Group>,
}

/// A month of an entity, and what its snapshot is made from.
#[derive(Clone, Copy)]
pub struct MonthSums {
    pub entity: Id,
    pub month: Month,
    /// The snapshot of the month before.
    pub base: Option<Base>,
    /// How far lines are in the day totals.
    pub summed: Option<Summed>,
}

fn after_row(after: Option<Group>) -> Option<Row> {
    after.map(|(account, branch)| vec![account.put(), branch.put()])
}

/// The groups of a page.
fn read_groups<T: Into<(Group, Sums)>>(page: Rows<T>) -> (Vec<(Group, Sums)>, bool) {
    (page.items.into_iter().map(T::into).collect(), page.more)
}

/// Pages of several sources as one: groups up to where every source has reported all.
fn merge(sources: Vec<(Vec<(Group, Sums)>, bool)>) -> Result<SumPage, Problem> {
    let ends = sources.iter().filter(|(_, has_more)| *has_more).filter_map(|(groups, _)| groups.last());
    let next = ends.map(|(group, _)| *group).min();
    let mut sums: BTreeMap<Group, Sums> = BTreeMap::new();
    for (group, other) in sources.into_iter().flat_map(|(groups, _)| groups) {
        if next.is_none_or(|end| group <= end) {
            let entry = sums.entry(group).or_default();
            *entry = entry.add(other).ok_or_else(Amount::limit_exceeded)?;
        }
    }
    Ok(SumPage { sums, next })
}

impl MonthSums {
    /// Both sides by account and branch at the end of the month, of the groups after this one: the snapshot before, the month's
    /// days, and its lines that are in no day total yet.
    ///
    /// # Errors
    /// LIMIT_EXCEEDED where a sum leaves the range.
    pub fn page(&self, after: Option<Group>) -> Result<SumPage, Problem> {
        let earlier = self
            .base
            .map(|base| aggregate::<Earlier>(rows_of(self.entity, base)).after(after_row(after)).limit(MOST_ROWS));
        let days = all([DayTotalRow::legal_entity_id.eq(self.entity), DayTotalRow::month.eq(self.month)]);
        let days = self.summed.map(|_| aggregate::<Days>(days).after(after_row(after)).limit(MOST_ROWS));
        let of_month = LineRow::month.eq(self.month);
        let lines = unsummed_lines::<Journal, 2>(self.entity, self.summed);
        let moved = match self.summed {
            None => aggregate::<Moved>(all([lines, of_month])),
            // The last lines are few, whatever their month: they are found by their ids.
            Some(_) => {
                aggregate(lines).when(Moved::debit, of_month.clone()).when(Moved::credit, of_month).without_zeros()
            }
        };
        let (earlier, days, moved) = run((earlier, days, moved.after(after_row(after)).limit(MOST_ROWS)))?;
        let (earlier, days) = (earlier.map(read_groups), days.map(read_groups));
        merge(earlier.into_iter().chain(days).chain([read_groups(moved)]).collect())
    }
}

/// A snapshot as it is kept, of the groups after this one.
pub fn read_kept(entity: Id, base: Base, after: Option<Group>) -> Result<SumPage, Problem> {
    let page = run(aggregate::<Earlier>(rows_of(entity, base)).after(after_row(after)).limit(MOST_ROWS))?;
    merge(vec![read_groups(page)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(account: u64, debit: i128) -> (Group, Sums) {
        let sums = Sums { debit: Amount::from_units(debit), credit: Amount::ZERO };
        ((Id(5, account), BranchKey(None)), sums)
    }

    #[test]
    fn a_page_ends_where_a_source_has_more() {
        let merged = |sources: Vec<(Vec<u64>, bool)>| {
            let source = |(accounts, has_more): (Vec<u64>, bool)| {
                (accounts.into_iter().map(|id| group(id, 1)).collect(), has_more)
            };
            let page = merge(sources.into_iter().map(source).collect()).unwrap();
            let sums = page.sums.into_iter().map(|((account, _), sums)| (account.1, sums.debit.units()));
            (sums.collect::<Vec<_>>(), page.next.map(|(account, _)| account.1))
        };
        assert_eq!(merged(vec![(vec![1, 2, 9], false), (vec![2, 3], true)]), (vec![(1, 1), (2, 2), (3, 1)], Some(3)));
        assert_eq!(merged(vec![(vec![1, 4], true), (vec![2, 3], true)]), (vec![(1, 1), (2, 1), (3, 1)], Some(3)));
        assert_eq!(merged(vec![(vec![1], false), (vec![], false)]), (vec![(1, 1)], None));
    }

    #[test]
    fn the_order_of_groups_is_that_of_the_store() {
        let texts: Vec<_> = [None, Some(Id(0, 0)), Some(Id(0, u64::MAX)), Some(Id(u64::MAX, 0))]
            .map(|branch| (BranchKey(branch), BranchKey(branch).0.map_or("-".to_owned(), |id| id.to_string())))
            .into();
        assert!(texts.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1));
    }
}
