//! Balances: the snapshot of the last closed month and the lines after it, summed by account.
//!
//! Snapshots are cumulative since the start of the books, and months close in order, so one snapshot and the open lines are
//! all that any date needs.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, Batch, Failure, Row, Rows, Select, aggregate, run, select};
use stoa_sdk::{Date, Field, Filter, Id, Problem, all, view};

use crate::records::entry::{Amount, BranchKey, LineRow};
use crate::records::month::Month;
use crate::records::period::{PeriodRow, PeriodStatus, TotalRow};
use crate::rules::sums::Sums;

view! { pub ClosedMonth of PeriodRow { month: Month, closing_no: i64 } }

/// A snapshot: the month at whose end it was taken, and which closing of that month took it.
#[derive(Debug, Clone, Copy)]
pub struct Base {
    pub month: Month,
    pub closing_no: i64,
}

/// Which lines are summed.
#[derive(Debug, Clone)]
pub struct Scope {
    pub entity: Id,
    /// None: every account.
    pub accounts: Option<Vec<Id>>,
    pub branch: Option<Id>,
    /// Snapshots know no parties: with one, the lines are summed from the first.
    pub party: Option<Id>,
}

impl Base {
    /// The snapshot that the answer of [`select_last_closed`] names.
    pub fn of(rows: &Rows<ClosedMonth>) -> Option<Base> {
        rows.items.first().map(|closed| Base { month: closed.month, closing_no: closed.closing_no })
    }
}

impl Scope {
    pub fn entity(entity: Id, branch: Option<Id>) -> Scope {
        Scope { entity, accounts: None, branch, party: None }
    }

    pub fn accounts(entity: Id, accounts: Vec<Id>) -> Scope {
        Scope { entity, accounts: Some(accounts), branch: None, party: None }
    }

    /// The lines, without regard to dates.
    pub fn lines(&self) -> Filter {
        let accounts = self.accounts.as_ref().map(|ids| match ids.as_slice() {
            [only] => LineRow::account_id.eq(*only),
            ids => LineRow::account_id.one_of(ids.iter().copied()),
        });
        let branch = self.branch.map(|branch| LineRow::branch.eq(BranchKey(Some(branch))));
        let party = self.party.map(|party| LineRow::party_id.eq(party));
        all([LineRow::legal_entity_id.eq(self.entity)].into_iter().chain(accounts).chain(branch).chain(party))
    }

    fn totals(&self, base: Base) -> Filter {
        let accounts = self.accounts.as_ref().map(|ids| TotalRow::account_id.one_of(ids.iter().copied()));
        let branch = self.branch.map(|branch| TotalRow::branch.eq(BranchKey(Some(branch))));
        let of = [
            TotalRow::legal_entity_id.eq(self.entity),
            TotalRow::month.eq(base.month),
            TotalRow::closing_no.eq(base.closing_no),
        ];
        all(of.into_iter().chain(accounts).chain(branch))
    }
}

/// The last closed month that ends before this day, or of all: what [`Base::of`] reads.
pub fn select_last_closed(entity: Id, before: Option<Date>) -> Select<ClosedMonth> {
    let ended = before.map(|day| PeriodRow::month.lt(Month::of(day)));
    let closed = [PeriodRow::legal_entity_id.eq(entity), PeriodRow::status.eq(PeriodStatus::Closed)];
    select(all(closed.into_iter().chain(ended))).by_descending(PeriodRow::month).limit(1)
}

/// Sums by account of everything dated before this day (none: of everything); see [`fold_sums`].
pub fn sum_before(scope: &Scope, base: Option<Base>, before: Option<Date>) -> (Option<Aggregate>, Aggregate) {
    let base = base.filter(|_| scope.party.is_none());
    let snapshot = base.map(|base| {
        aggregate::<TotalRow>(scope.totals(base))
            .by(TotalRow::account_id)
            .sum(TotalRow::debit, Filter::default())
            .sum(TotalRow::credit, Filter::default())
    });
    let after = base.map(|base| LineRow::month.gt(base.month));
    let until = before.map(|day| LineRow::entry_date.lt(day));
    let lines = aggregate::<LineRow>(all([scope.lines()].into_iter().chain(after).chain(until)))
        .by(LineRow::account_id)
        .sum(LineRow::debit, Filter::default())
        .sum(LineRow::credit, Filter::default());
    (snapshot, lines)
}

/// Snapshot and lines together.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves 26 integer digits.
pub fn fold_sums(answer: (Option<Vec<Row>>, Vec<Row>)) -> Result<BTreeMap<Id, Sums>, Problem> {
    let mut by_account: BTreeMap<Id, Sums> = BTreeMap::new();
    for row in answer.0.into_iter().flatten().chain(answer.1) {
        let Some((account, sums)) = read_sums(row) else { continue };
        let entry = by_account.entry(account).or_default();
        *entry = entry.add(sums).ok_or_else(Problem::limit_exceeded)?;
    }
    Ok(by_account)
}

fn read_sums(row: Row) -> Option<(Id, Sums)> {
    let mut values = row.into_iter();
    let account = Id::take(values.next()?)?;
    Some((account, Sums { debit: Amount::take(values.next()?)?, credit: Amount::take(values.next()?)? }))
}

/// Reads sums that may leave the range: a report of them is refused, never wrong.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn run_sums<B: Batch>(batch: B) -> Result<B::Answer, Problem> {
    run(batch).map_err(|failure| match failure {
        Failure::Limit(_) => Problem::limit_exceeded(),
        other => other.into(),
    })
}

/// Whether any of the scope's accounts has a balance.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves the range.
pub fn any_balance(scope: &Scope, base: Option<Base>) -> Result<bool, Problem> {
    if scope.accounts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(false);
    }
    let sums = fold_sums(run_sums(sum_before(scope, base, None))?)?;
    Ok(sums.values().any(|sums| sums.debit != sums.credit))
}
