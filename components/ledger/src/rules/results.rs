//! Income and expense, assets and liabilities as people read them: amounts are positive where the account stands on its type's
//! usual side; earlier results are derived, so no year-end entry can be forgotten or doubled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Problem};

use crate::records::account::AccountLabel;
use crate::records::entry::Amount;
use crate::records::role::AccountType;
use crate::rules::sums::Sums;

pub const RESULT: [AccountType; 2] = [AccountType::Income, AccountType::Expense];
pub const WORTH: [AccountType; 3] = [AccountType::Asset, AccountType::Liability, AccountType::Equity];

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

/// Rows of these types that are not zero, with the sum of each type.
pub fn list_rows(
    accounts: &[AccountLabel],
    sums: &BTreeMap<Id, Sums>,
    types: &[AccountType],
) -> Result<(Vec<ReportRow>, Vec<Subtotal>), Problem> {
    let mut rows = Vec::new();
    let mut subtotals = Vec::new();
    for of_type in types {
        let mut sum = Amount::ZERO;
        for account in accounts.iter().filter(|account| account.account_type == *of_type) {
            let amount = sums
                .get(&account.id)
                .copied()
                .unwrap_or_default()
                .natural(*of_type)
                .ok_or_else(Problem::limit_exceeded)?;
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

/// Income minus expense.
pub fn net_result(subtotals: &[Subtotal]) -> Result<Amount, Problem> {
    let of = |wanted: AccountType| {
        subtotals.iter().find(|sum| sum.account_type == wanted).map_or(Amount::ZERO, |sum| sum.amount)
    };
    of(AccountType::Income).checked_sub(of(AccountType::Expense)).ok_or_else(Problem::limit_exceeded)
}

/// What moved between two readings of the same accounts.
pub fn subtract(earlier: &BTreeMap<Id, Sums>, later: BTreeMap<Id, Sums>) -> Result<BTreeMap<Id, Sums>, Problem> {
    let mut moved = BTreeMap::new();
    for (id, sums) in later {
        let before = earlier.get(&id).copied().unwrap_or_default();
        moved.insert(id, sums.since(before).ok_or_else(Problem::limit_exceeded)?);
    }
    Ok(moved)
}

/// The accounts of a report, by their numbers.
pub fn sort_by_code(mut accounts: Vec<AccountLabel>) -> Vec<AccountLabel> {
    accounts.sort_unstable_by(|one, other| one.code.cmp(&other.code));
    accounts
}
