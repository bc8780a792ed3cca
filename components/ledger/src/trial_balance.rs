//! The trial balance: what every account stood at, what moved it, what it stands at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Problem, Reply};

use crate::account::{AccountLabel, AccountRow};
use crate::balance::{self, Amount, Scope, Sums};
use crate::branch::BranchRow;
use crate::entity::EntityRow;
use crate::month::{day_after, today};
use crate::refusal::{illegal, invalid};
use crate::role::AccountType;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskTrialBalance {
    legal_entity_id: Id,
    /// The first day; omitted: the first of the books.
    from: Option<Date>,
    /// The last day; omitted: today.
    to: Option<Date>,
    branch_id: Option<Id>,
    /// Accounts that neither stood at anything nor moved, too.
    #[serde(default)]
    include_zero: bool,
}

/// An account in the range. Opening and closing are debit minus credit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialRow {
    account_id: Id,
    code: String,
    name: String,
    #[serde(rename = "type")]
    account_type: AccountType,
    opening: Amount,
    debit: Amount,
    credit: Amount,
    closing: Amount,
}

/// Sums of the columns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrialTotals {
    opening: Amount,
    debit: Amount,
    credit: Amount,
    closing: Amount,
}

/// Every account of an entity in a range, ordered by code.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialBalance {
    legal_entity_id: Id,
    currency_code: String,
    from: Date,
    to: Date,
    rows: Vec<TrialRow>,
    totals: TrialTotals,
}

/// The books of an entity that a report is about.
///
/// # Errors
/// NOT_FOUND, BOOKS_NOT_KEPT.
pub fn reported(entity: Option<EntityRow>, pointer: &str) -> Result<crate::entity::Books, Problem> {
    let entity = entity.ok_or_else(|| Problem::reference_missing(pointer))?;
    entity.books().ok_or_else(|| illegal(pointer, "BOOKS_NOT_KEPT"))
}

/// Refuses a branch of another entity, and one that does not exist.
pub fn of_entity(branch: Option<Id>, row: Option<Option<BranchRow>>, entity: Id) -> Result<(), Problem> {
    match (branch, row.flatten()) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(Problem::reference_missing("/query/branchId")),
        (Some(_), Some(row)) if row.legal_entity_id != entity => Err(Problem::reference_invalid("/query/branchId")),
        (Some(_), Some(_)) => Ok(()),
    }
}

pub fn read(call: &Call) -> Answer {
    let query: AskTrialBalance = call.query()?;
    let id = query.legal_entity_id;
    if query.from.zip(query.to).is_some_and(|(from, to)| from > to) {
        return Err(invalid("/query/to", "RANGE"));
    }
    let to = query.to.unwrap_or_else(today);
    let end = day_after(to);
    let (entity, accounts, branch, before, until) = run((
        get::<EntityRow>(id),
        select::<AccountLabel>(AccountRow::legal_entity_id.eq(id)),
        query.branch_id.map(get::<BranchRow>),
        query.from.map(|from| balance::last_closed(id, Some(from))),
        balance::last_closed(id, end),
    ))?;
    let books = reported(entity, "/query/legalEntityId")?;
    of_entity(query.branch_id, branch, id)?;
    let from = query.from.unwrap_or(books.start_on);
    let scope = Scope::entity(id, query.branch_id);
    // Nothing stands before the books, so without a first day there is nothing to read.
    let opening = query.from.map(|from| balance::sums(&scope, before.as_ref().and_then(balance::base), Some(from)));
    let (opening, closing) = balance::run_sums((opening, balance::sums(&scope, balance::base(&until), end)))?;
    let opening = opening.map_or_else(|| Ok(Default::default()), balance::fold)?;
    let closing = balance::fold(closing)?;
    let of = |sums: &std::collections::BTreeMap<Id, Sums>, id: Id| sums.get(&id).copied().unwrap_or_default();
    let mut rows = Vec::new();
    let mut all = (Sums::default(), Sums::default());
    for account in by_code(accounts) {
        let (before, after) = (of(&opening, account.id), of(&closing, account.id));
        let moved = after.since(before).ok_or_else(Problem::limit_exceeded)?;
        all.0 = all.0.add(before).ok_or_else(Problem::limit_exceeded)?;
        all.1 = all.1.add(after).ok_or_else(Problem::limit_exceeded)?;
        let (Some(opening), Some(closing)) = (before.balance(), after.balance()) else {
            return Err(Problem::limit_exceeded());
        };
        if query.include_zero || !opening.is_zero() || moved != Sums::default() {
            rows.push(TrialRow {
                account_id: account.id,
                code: account.code,
                name: account.name,
                account_type: account.account_type,
                opening,
                debit: moved.debit,
                credit: moved.credit,
                closing,
            });
        }
    }
    let moved = all.1.since(all.0).ok_or_else(Problem::limit_exceeded)?;
    let (Some(opening), Some(closing)) = (all.0.balance(), all.1.balance()) else {
        return Err(Problem::limit_exceeded());
    };
    let totals = TrialTotals { opening, debit: moved.debit, credit: moved.credit, closing };
    let currency_code = books.currency_code;
    Ok(Reply::json(&TrialBalance { legal_entity_id: id, currency_code, from, to, rows, totals }))
}

/// The accounts of a report, by their numbers.
pub fn by_code(accounts: Rows<AccountLabel>) -> Vec<AccountLabel> {
    let mut accounts = accounts.items;
    accounts.sort_unstable_by(|one, other| one.code.cmp(&other.code));
    accounts
}
