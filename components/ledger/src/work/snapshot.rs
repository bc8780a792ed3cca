//! Snapshots: both sides of every account and branch at the end of a month, as a closing keeps them.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, MOST_ROWS, Row, aggregate};
use stoa_sdk::{Field, Filter, Id, Problem, all};

use crate::records::entry::{Amount, BranchKey, LineRow};
use crate::records::month::Month;
use crate::records::period::TotalRow;
use crate::rules::sums::Sums;
use crate::work::balance::{self, Base};

/// Pages of sums that a closing reads of the snapshot before and of the month's lines, at most.
const PAGES: usize = 4;

/// A group of sums: the account and the branch.
type Group = (Id, String);

/// Both sides by account and branch at the end of the month: the snapshot before and the month's lines.
pub fn sum_month(entity: Id, month: Month, base: Option<Base>) -> Result<Vec<(Id, BranchKey, Sums)>, Problem> {
    let mut sums: BTreeMap<Group, Sums> = BTreeMap::new();
    if let Some(base) = base {
        let of = all([
            TotalRow::legal_entity_id.eq(entity),
            TotalRow::month.eq(base.month),
            TotalRow::closing_no.eq(base.closing_no),
        ]);
        add_pages(&mut sums, || {
            aggregate::<TotalRow>(of.clone())
                .by(TotalRow::account_id)
                .by(TotalRow::branch)
                .sum(TotalRow::debit, Filter::default())
                .sum(TotalRow::credit, Filter::default())
        })?;
    }
    let of = all([LineRow::legal_entity_id.eq(entity), LineRow::month.eq(month)]);
    add_pages(&mut sums, || {
        aggregate::<LineRow>(of.clone())
            .by(LineRow::account_id)
            .by(LineRow::branch)
            .sum(LineRow::debit, Filter::default())
            .sum(LineRow::credit, Filter::default())
    })?;
    let branch = |text: String| BranchKey::take(text.put()).unwrap_or(BranchKey(None));
    Ok(sums.into_iter().map(|((account, text), sums)| (account, branch(text), sums)).collect())
}

/// Adds every page of the aggregate.
fn add_pages(sums: &mut BTreeMap<Group, Sums>, ask: impl Fn() -> Aggregate) -> Result<(), Problem> {
    let mut after: Option<Row> = None;
    for _ in 0..PAGES {
        let page = balance::run_sums(ask().after(after.take()))?;
        let full = page.len() >= MOST_ROWS as usize;
        after = page.last().map(|row| row.iter().take(2).cloned().collect());
        for row in page {
            let Some((group, more)) = read_group(row) else { continue };
            let entry = sums.entry(group).or_default();
            *entry = entry.add(more).ok_or_else(Problem::limit_exceeded)?;
        }
        if !full {
            return Ok(());
        }
    }
    // More accounts times branches than one request may read.
    Err(Problem::limit_exceeded())
}

fn read_group(row: Row) -> Option<(Group, Sums)> {
    let mut values = row.into_iter();
    let account = Id::take(values.next()?)?;
    let branch = String::take(values.next()?)?;
    Some(((account, branch), Sums { debit: Amount::take(values.next()?)?, credit: Amount::take(values.next()?)? }))
}
