//! Income statement and balance sheet: the trial balance as people read it. Amounts are positive where the account stands on its
//! type's usual side; earlier results are derived, so no year-end entry can be forgotten or doubled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Problem, Reply, all};

use crate::account::{AccountLabel, AccountRow};
use crate::balance::{self, Amount, Scope, Sums};
use crate::branch::BranchRow;
use crate::entity::EntityRow;
use crate::month::{Month, day_after};
use crate::refusal::invalid;
use crate::role::AccountType;
use crate::trial_balance::{by_code, of_entity, reported};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskIncomeStatement {
    legal_entity_id: Id,
    /// The first day.
    from: Date,
    /// The last day.
    to: Date,
    branch_id: Option<Id>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskBalanceSheet {
    legal_entity_id: Id,
    /// The day at whose end it stands.
    as_of: Date,
    branch_id: Option<Id>,
}

/// An account with its amount: credit minus debit of INCOME, LIABILITY and EQUITY, debit minus credit of EXPENSE and ASSET.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportRow {
    account_id: Id,
    code: String,
    name: String,
    #[serde(rename = "type")]
    account_type: AccountType,
    amount: Amount,
}

/// The sum of a type's rows.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subtotal {
    #[serde(rename = "type")]
    account_type: AccountType,
    amount: Amount,
}

/// Income and expense of a range; the result is income minus expense.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncomeStatement {
    legal_entity_id: Id,
    currency_code: String,
    from: Date,
    to: Date,
    rows: Vec<ReportRow>,
    subtotals: Vec<Subtotal>,
    result: Amount,
}

/// What an entity owns and owes at the end of a day: assets = liabilities + equity + both results.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceSheet {
    legal_entity_id: Id,
    currency_code: String,
    as_of: Date,
    rows: Vec<ReportRow>,
    subtotals: Vec<Subtotal>,
    /// Income minus expense of the calendar years before.
    result_brought_forward: Amount,
    /// Income minus expense of the calendar year so far.
    result_of_year: Amount,
}

/// Rows of these types that are not zero, with the sum of each type.
fn rows(
    accounts: &[AccountLabel],
    sums: &BTreeMap<Id, Sums>,
    types: &[AccountType],
) -> Result<(Vec<ReportRow>, Vec<Subtotal>), Problem> {
    let mut rows = Vec::new();
    let mut subtotals = Vec::new();
    for of_type in types {
        let mut sum = Amount::ZERO;
        for account in accounts.iter().filter(|account| account.account_type == *of_type) {
            let amount = natural(sums.get(&account.id).copied().unwrap_or_default(), *of_type)?;
            sum = sum.checked_add(amount).ok_or_else(Problem::limit_exceeded)?;
            if !amount.is_zero() {
                rows.push(ReportRow {
                    account_id: account.id,
                    code: account.code.clone(),
                    name: account.name.clone(),
                    account_type: *of_type,
                    amount,
                });
            }
        }
        subtotals.push(Subtotal { account_type: *of_type, amount: sum });
    }
    Ok((rows, subtotals))
}

/// Positive on the type's usual side.
fn natural(sums: Sums, of_type: AccountType) -> Result<Amount, Problem> {
    let amount = match of_type.stands_in_debit() {
        true => sums.debit.checked_sub(sums.credit),
        false => sums.credit.checked_sub(sums.debit),
    };
    amount.ok_or_else(Problem::limit_exceeded)
}

/// Income minus expense.
fn result(subtotals: &[Subtotal]) -> Result<Amount, Problem> {
    let of = |wanted: AccountType| {
        subtotals.iter().find(|sum| sum.account_type == wanted).map_or(Amount::ZERO, |sum| sum.amount)
    };
    of(AccountType::Income).checked_sub(of(AccountType::Expense)).ok_or_else(Problem::limit_exceeded)
}

const RESULT: [AccountType; 2] = [AccountType::Income, AccountType::Expense];
const WORTH: [AccountType; 3] = [AccountType::Asset, AccountType::Liability, AccountType::Equity];

/// What moved between two readings of the same accounts.
fn between(earlier: &BTreeMap<Id, Sums>, later: BTreeMap<Id, Sums>) -> Result<BTreeMap<Id, Sums>, Problem> {
    let mut moved = BTreeMap::new();
    for (id, sums) in later {
        let before = earlier.get(&id).copied().unwrap_or_default();
        moved.insert(id, sums.since(before).ok_or_else(Problem::limit_exceeded)?);
    }
    Ok(moved)
}

pub fn income_statement(call: &Call) -> Answer {
    let query: AskIncomeStatement = call.query()?;
    if query.from > query.to {
        return Err(invalid("/query/to", "RANGE"));
    }
    let id = query.legal_entity_id;
    let end = day_after(query.to);
    let (entity, accounts, branch, before, until) = run((
        get::<EntityRow>(id),
        select::<AccountLabel>(all([AccountRow::legal_entity_id.eq(id), AccountRow::account_type.one_of(RESULT)])),
        query.branch_id.map(get::<BranchRow>),
        balance::last_closed(id, Some(query.from)),
        balance::last_closed(id, end),
    ))?;
    let books = reported(entity, "/query/legalEntityId")?;
    of_entity(query.branch_id, branch, id)?;
    let scope = Scope::entity(id, query.branch_id);
    let (earlier, later) = balance::run_sums((
        balance::sums(&scope, balance::base(&before), Some(query.from)),
        balance::sums(&scope, balance::base(&until), end),
    ))?;
    let moved = between(&balance::fold(earlier)?, balance::fold(later)?)?;
    let (rows, subtotals) = rows(&by_code(accounts), &moved, &RESULT)?;
    let result = result(&subtotals)?;
    let (currency_code, from, to) = (books.currency_code, query.from, query.to);
    Ok(Reply::json(&IncomeStatement { legal_entity_id: id, currency_code, from, to, rows, subtotals, result }))
}

pub fn balance_sheet(call: &Call) -> Answer {
    let query: AskBalanceSheet = call.query()?;
    let id = query.legal_entity_id;
    let end = day_after(query.as_of);
    let year = Month::read(&format!("{:04}-01", query.as_of.year())).and_then(Month::first_day);
    let (entity, accounts, branch, before, until) = run((
        get::<EntityRow>(id),
        select::<AccountLabel>(AccountRow::legal_entity_id.eq(id)),
        query.branch_id.map(get::<BranchRow>),
        balance::last_closed(id, year),
        balance::last_closed(id, end),
    ))?;
    let books = reported(entity, "/query/legalEntityId")?;
    of_entity(query.branch_id, branch, id)?;
    let scope = Scope::entity(id, query.branch_id);
    let (earlier, later) = balance::run_sums((
        balance::sums(&scope, balance::base(&before), year),
        balance::sums(&scope, balance::base(&until), end),
    ))?;
    let (earlier, later) = (balance::fold(earlier)?, balance::fold(later)?);
    let accounts = by_code(accounts);
    let (rows_now, subtotals) = rows(&accounts, &later, &WORTH)?;
    let brought_forward = result(&rows(&accounts, &earlier, &RESULT)?.1)?;
    let of_year = result(&rows(&accounts, &between(&earlier, later)?, &RESULT)?.1)?;
    Ok(Reply::json(&BalanceSheet {
        legal_entity_id: id,
        currency_code: books.currency_code,
        as_of: query.as_of,
        rows: rows_now,
        subtotals,
        result_brought_forward: brought_forward,
        result_of_year: of_year,
    }))
}
