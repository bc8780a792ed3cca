//! Balances: the snapshot of the last closed month and the lines after it, summed by account.
//!
//! Snapshots are cumulative since the start of the books, and months close in order, so one snapshot and the open lines are
//! all that any date needs.

use std::collections::BTreeMap;

use stoa_sdk::store::{First, WholeTotals, aggregate, run, select};
use stoa_sdk::{Date, Filter, Id, Problem, all, totals, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

use crate::records::entry::{BranchKey, LineRow};
use crate::records::period::{PeriodRow, PeriodStatus, TotalRow};
use crate::rules::sums::Sums;

view! {
    /// A snapshot: the month at whose end it was taken, and which closing of that month took it.
    #[derive(Copy)]
    pub Base of PeriodRow { month: Month, closing_no: i64 }
}

totals! {
    /// Both sides of an account in a snapshot.
    pub Snapshot of TotalRow by [account_id: Id] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

totals! {
    /// Both sides of an account in lines.
    pub Moved of LineRow by [account_id: Id] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

/// What [`sum_before`] asks for.
type Question = (Option<WholeTotals<Snapshot>>, WholeTotals<Moved>);

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

/// The snapshot of the last closed month that ends before this day, or of all.
pub fn select_last_closed(entity: Id, before: Option<Date>) -> First<Base> {
    let ended = before.map(|day| PeriodRow::month.lt(Month::of(day)));
    let closed = [PeriodRow::legal_entity_id.eq(entity), PeriodRow::status.eq(PeriodStatus::Closed)];
    select(all(closed.into_iter().chain(ended))).by_descending(PeriodRow::month).first()
}

/// Sums by account of everything dated before this day (none: of everything); see [`fold_sums`].
pub fn sum_before(scope: &Scope, base: Option<Base>, before: Option<Date>) -> Question {
    let base = base.filter(|_| scope.party.is_none());
    let snapshot = base.map(|base| aggregate(scope.totals(base)).whole());
    let after = base.map(|base| LineRow::month.gt(base.month));
    let until = before.map(|day| LineRow::entry_date.lt(day));
    (snapshot, aggregate(all([scope.lines()].into_iter().chain(after).chain(until))).whole())
}

/// Snapshot and lines together.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves 26 integer digits.
pub fn fold_sums((snapshot, moved): (Option<Vec<Snapshot>>, Vec<Moved>)) -> Result<BTreeMap<Id, Sums>, Problem> {
    let snapshot = snapshot.into_iter().flatten().map(|row| (row.account_id, row.debit, row.credit));
    let moved = moved.into_iter().map(|row| (row.account_id, row.debit, row.credit));
    let mut by_account: BTreeMap<Id, Sums> = BTreeMap::new();
    for (account, debit, credit) in snapshot.chain(moved) {
        let sums = by_account.entry(account).or_default();
        *sums = sums.add(Sums { debit, credit }).ok_or_else(Problem::limit_exceeded)?;
    }
    Ok(by_account)
}

/// Whether any of the scope's accounts has a balance.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves the range.
pub fn any_balance(scope: &Scope, base: Option<Base>) -> Result<bool, Problem> {
    if scope.accounts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(false);
    }
    let sums = fold_sums(run(sum_before(scope, base, None))?)?;
    Ok(sums.values().any(|sums| sums.debit != sums.credit))
}
