//! Snapshots: both sides of every account and branch at the end of a month, as a closing keeps them.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, MOST_ROWS, Totals, aggregate, run};
use stoa_sdk::{Field, Filter, Id, Problem, all, totals};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::entry::{BranchKey, LineRow};
use crate::records::period::TotalRow;
use crate::rules::sums::Sums;
use crate::work::balance::Base;

/// Pages of sums that a closing reads of the snapshot before and of the month's lines, at most.
const PAGES: usize = 4;

totals! {
    Earlier of TotalRow by [account_id: Id, branch: BranchKey] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

totals! {
    Moved of LineRow by [account_id: Id, branch: BranchKey] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

/// An account at a branch.
type Group = (Id, BranchKey);

/// The rows of a snapshot.
pub fn rows_of(entity: Id, base: Base) -> Filter {
    all([
        TotalRow::legal_entity_id.eq(entity),
        TotalRow::month.eq(base.month),
        TotalRow::closing_no.eq(base.closing_no),
    ])
}

/// Both sides by account and branch at the end of the month: the snapshot before and the month's lines.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves the range, or there are more groups than one request may read.
pub fn sum_month(entity: Id, month: Month, base: Option<Base>) -> Result<BTreeMap<Group, Sums>, Problem> {
    let mut sums = BTreeMap::new();
    if let Some(base) = base {
        let group = |row: Earlier| ((row.account_id, row.branch), Sums { debit: row.debit, credit: row.credit });
        add_pages(&mut sums, || aggregate(rows_of(entity, base)), group)?;
    }
    let of_month = || all([LineRow::legal_entity_id.eq(entity), LineRow::month.eq(month)]);
    let group = |row: Moved| ((row.account_id, row.branch), Sums { debit: row.debit, credit: row.credit });
    add_pages(&mut sums, || aggregate(of_month()), group)?;
    Ok(sums)
}

/// Adds every page of the totals.
fn add_pages<T: Totals>(
    sums: &mut BTreeMap<Group, Sums>,
    ask: impl Fn() -> Aggregate<T>,
    group: impl Fn(T) -> (Group, Sums),
) -> Result<(), Problem> {
    let mut after: Option<Group> = None;
    for _ in 0..PAGES {
        let last = after.map(|(account, branch)| vec![account.put(), branch.put()]);
        let page = run(ask().after(last).limit(MOST_ROWS))?;
        for row in page.items {
            let (of, more) = group(row);
            let entry = sums.entry(of).or_default();
            *entry = entry.add(more).ok_or_else(Problem::limit_exceeded)?;
            after = Some(of);
        }
        if !page.more {
            return Ok(());
        }
    }
    Err(Problem::limit_exceeded())
}
