//! Balances: the snapshot of the last closed month, the day totals after it, and the lines that are in no total yet, summed by
//! account.
//!
//! Snapshots are cumulative since the start of the books, and months close in order, so one snapshot and what is open after it
//! are all that any date needs.

use std::collections::BTreeMap;

use stoa_sdk::store::{First, MOST_KEYS, WholeTotals, aggregate, run, select};
use stoa_sdk::{Column, Date, Filter, Id, Problem, all, totals, view};
use stoa_trade::dates::Month;
use stoa_trade::lists::equals;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{Part, Summed, SumsByGroup, find_summed, group_days, settle};

use crate::records::day_total::DayTotalRow;
use crate::records::entry::{BranchKey, LineRow};
use crate::records::period::{PeriodRow, PeriodStatus, TotalRow};
use crate::rules::sums::Sums;
use crate::work::day_totals::Journal;

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
    /// Both sides of an account in day totals.
    pub Days of DayTotalRow by [account_id: Id] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

totals! {
    /// Both sides of an account in lines.
    pub Moved of LineRow by [account_id: Id] { debit: Amount = sum(debit), credit: Amount = sum(credit) }
}

/// The reads of [`sum_before`].
type Question = (Option<WholeTotals<Snapshot>>, SumsByGroup<Days, Moved, Id, 2>);

/// Which lines are summed.
#[derive(Debug, Clone)]
pub struct Scope {
    pub entity: Id,
    /// None: every account.
    pub accounts: Option<Vec<Id>>,
    pub branch: Option<Id>,
    /// Totals have no parties: with one, the lines are summed from the first.
    pub party: Option<Id>,
}

impl Scope {
    pub fn entity(entity: Id, branch: Option<Id>) -> Scope {
        Scope { entity, accounts: None, branch, party: None }
    }

    pub fn accounts(entity: Id, accounts: Vec<Id>) -> Scope {
        Scope { entity, accounts: Some(accounts), branch: None, party: None }
    }

    /// The accounts that a question names: if there are more than it can name, all of the entity are summed.
    fn few_accounts(&self) -> Option<&[Id]> {
        self.accounts.as_deref().filter(|ids| ids.len() <= MOST_KEYS)
    }

    fn takes(&self, account: Id) -> bool {
        self.few_accounts().is_some() || self.accounts.as_ref().is_none_or(|ids| ids.contains(&account))
    }

    /// The lines, without regard to dates.
    pub fn lines(&self) -> Filter {
        all([LineRow::legal_entity_id.eq(self.entity), self.of_lines()])
    }

    /// Filter of lines by account, branch and party.
    fn of_lines(&self) -> Filter {
        all([self.filter(LineRow::account_id, LineRow::branch), equals(LineRow::party_id, self.party)])
    }

    /// Filter by account and branch.
    fn filter(&self, account: Column<Id>, branch: Column<BranchKey>) -> Filter {
        let accounts = self.few_accounts().map(|ids| match ids {
            [only] => account.eq(*only),
            ids => account.one_of(ids.iter().copied()),
        });
        all([accounts.unwrap_or_default(), equals(branch, self.branch.map(|id| BranchKey(Some(id))))])
    }
}

/// The rows of a snapshot.
pub fn rows_of(entity: Id, base: Base) -> Filter {
    all([
        TotalRow::legal_entity_id.eq(entity),
        TotalRow::month.eq(base.month),
        TotalRow::closing_no.eq(base.closing_no),
    ])
}

/// The snapshot of the last closed month that ends before this day, or of all.
pub fn select_last_closed(entity: Id, before: Option<Date>) -> First<Base> {
    let ended = before.map(|day| PeriodRow::month.lt(Month::from_day(day)));
    let closed = [PeriodRow::legal_entity_id.eq(entity), PeriodRow::status.eq(PeriodStatus::Closed)];
    select(all(closed.into_iter().chain(ended))).by_descending(PeriodRow::month).first()
}

/// Sums by account of everything dated before this day (`None`: of everything).
fn sum_before(scope: &Scope, base: Option<Base>, summed: Option<Summed>, before: Option<Date>) -> Question {
    let (base, summed) = if scope.party.is_some() { (None, None) } else { (base, summed) };
    let totals = |base| all([rows_of(scope.entity, base), scope.filter(TotalRow::account_id, TotalRow::branch)]);
    let snapshot = base.map(|base| aggregate(totals(base)).whole());
    let after = base.map(|base| DayTotalRow::month.gt(base.month));
    let until = before.map(|day| DayTotalRow::entry_date.lt(day));
    let days = scope.filter(DayTotalRow::account_id, DayTotalRow::branch);
    let days = all([days].into_iter().chain(after).chain(until));
    let after = base.map(|base| LineRow::month.gt(base.month));
    let until = before.map(|day| LineRow::entry_date.lt(day));
    let lines = all([scope.of_lines()].into_iter().chain(after).chain(until));
    let moved = group_days::<Journal, _, _, _, _, _>(
        scope.entity,
        summed,
        (None, None),
        Part {
            filter: days,
            measure: &aggregate::<Days>,
            figures: |group| (group.account_id, [group.debit, group.credit]),
        },
        Part {
            filter: lines,
            measure: &aggregate::<Moved>,
            figures: |group| (group.account_id, [group.debit, group.credit]),
        },
    );
    (snapshot, moved)
}

/// Snapshot, days and lines together.
fn fold_sums(
    (snapshot, moved): (Option<Vec<Snapshot>>, BTreeMap<Id, [Amount; 2]>),
) -> Result<BTreeMap<Id, Sums>, Problem> {
    let snapshot = snapshot.into_iter().flatten().map(|row| (row.account_id, row.debit, row.credit));
    let moved = moved.into_iter().map(|(account, [debit, credit])| (account, debit, credit));
    let mut by_account: BTreeMap<Id, Sums> = BTreeMap::new();
    for (account, debit, credit) in snapshot.chain(moved) {
        let sums = by_account.entry(account).or_default();
        *sums = sums.add(Sums { debit, credit }).ok_or_else(Amount::limit_exceeded)?;
    }
    Ok(by_account)
}

/// Sums by account of everything dated before each of these days; `None`: of everything.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves 26 integer digits.
pub fn sums_before<const N: usize>(scope: &Scope, days: [Option<Date>; N]) -> Result<[BTreeMap<Id, Sums>; N], Problem> {
    let bases: Vec<First<Base>> = days.iter().map(|day| select_last_closed(scope.entity, *day)).collect();
    let (summed, bases) = run((find_summed(scope.entity), bases))?;
    let ask = |summed| {
        let queries = days.iter().zip(&bases).map(|(day, base)| sum_before(scope, *base, summed, *day));
        queries.collect::<Vec<_>>()
    };
    let mut answers = settle(scope.entity, summed.first().copied(), ask)?.into_iter().map(fold_sums);
    let mut sums = [const { BTreeMap::new() }; N];
    for (place, answer) in sums.iter_mut().zip(&mut answers) {
        *place = answer?;
        place.retain(|account, _| scope.takes(*account));
    }
    Ok(sums)
}

/// Sums by account of everything before a range and before the day after it. There is nothing before the books: without a
/// first day there is nothing to read for it.
pub fn sums_of_range(scope: &Scope, from: Option<Date>, end: Option<Date>) -> Result<[BTreeMap<Id, Sums>; 2], Problem> {
    match from {
        None => sums_before(scope, [end]).map(|[closing]| [BTreeMap::new(), closing]),
        Some(from) => sums_before(scope, [Some(from), end]),
    }
}

/// Returns whether any of the scope's accounts has a balance.
pub fn any_balance(scope: &Scope) -> Result<bool, Problem> {
    if scope.accounts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(false);
    }
    let [sums] = sums_before(scope, [None])?;
    Ok(sums.values().any(|sums| sums.debit != sums.credit))
}
