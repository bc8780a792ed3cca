//! Income and expense, assets and liabilities as people read them: amounts are positive where the balance is on its type's
//! usual side; earlier results are derived, so no year-end entry can be forgotten or doubled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Problem};
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

use crate::records::account::AccountLabel;
use crate::records::role::AccountType;
use crate::rules::sums::Sums;

pub const RESULT: [AccountType; 2] = [AccountType::Income, AccountType::Expense];
pub const WORTH: [AccountType; 3] = [AccountType::Asset, AccountType::Liability, AccountType::Equity];

resource! {
    /// An account with its amount: credit minus debit for INCOME, LIABILITY and EQUITY, debit minus credit for EXPENSE
    /// and ASSET.
    pub struct ReportRow of account: AccountLabel, amount: Amount {
        account_id: Id = account.id,
        code: String,
        name: String,
        #[serde(rename = "type")]
        account_type: AccountType,
        amount: Amount = amount,
    }
}

/// Sum of the accounts of one type.
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
            let sums = sums.get(&account.id).copied().unwrap_or_default();
            let amount = sums.natural(*of_type).ok_or_else(Amount::limit_exceeded)?;
            sum = sum.checked_add(amount).ok_or_else(Amount::limit_exceeded)?;
            if !amount.is_zero() {
                rows.push(ReportRow::from_row(account, amount));
            }
        }
        subtotals.push(Subtotal { account_type: *of_type, amount: sum });
    }
    Ok((rows, subtotals))
}

/// Income minus expense.
pub fn net_result(subtotals: &[Subtotal]) -> Result<Amount, Problem> {
    let amount_of = |wanted: AccountType| {
        subtotals.iter().find(|sum| sum.account_type == wanted).map_or(Amount::ZERO, |sum| sum.amount)
    };
    amount_of(AccountType::Income).checked_sub(amount_of(AccountType::Expense)).ok_or_else(Amount::limit_exceeded)
}

/// Difference between two readings of the same accounts.
pub fn subtract(earlier: &BTreeMap<Id, Sums>, later: BTreeMap<Id, Sums>) -> Result<BTreeMap<Id, Sums>, Problem> {
    let mut moved = BTreeMap::new();
    for (id, sums) in later {
        let before = earlier.get(&id).copied().unwrap_or_default();
        moved.insert(id, sums.since(before).ok_or_else(Amount::limit_exceeded)?);
    }
    Ok(moved)
}

/// The accounts of a report, by their numbers.
pub fn sort_by_code(mut accounts: Vec<AccountLabel>) -> Vec<AccountLabel> {
    accounts.sort_unstable_by(|one, other| one.code.cmp(&other.code));
    accounts
}

#[cfg(test)]
mod tests {
    use stoa_sdk::map;

    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn rows_stand_on_their_usual_side_and_results_are_income_minus_expense() {
        use AccountType::{Asset, Expense, Income, Liability};
        // Type, debit, credit; and the amount that a report shows, none for zero.
        let table = [
            (Asset, "150", "30", Some("120")),
            (Liability, "20", "100", Some("80")),
            (Income, "10", "90", Some("80")),
            (Income, "5", "5", None),
            (Expense, "40", "0", Some("40")),
            (Expense, "0", "1.5", Some("-1.5")),
        ];
        let label = |index: usize, account_type| AccountLabel {
            id: Id(0, index as u64),
            code: format!("{index}"),
            name: String::new(),
            account_type,
        };
        let accounts: Vec<AccountLabel> = table.iter().enumerate().map(|(index, row)| label(index, row.0)).collect();
        let sums = |(debit, credit): (&str, &str)| Sums { debit: amount(debit), credit: amount(credit) };
        let sums = map(table.iter().enumerate().map(|(index, row)| (Id(0, index as u64), sums((row.1, row.2)))));
        let mut shown: Vec<(String, Amount)> = Vec::new();
        for types in [&RESULT[..], &WORTH[..]] {
            let (rows, _) = list_rows(&accounts, &sums, types).unwrap();
            shown.extend(rows.into_iter().map(|row| (row.code, row.amount)));
        }
        shown.sort_unstable();
        let expected = table.iter().enumerate().filter_map(|(index, row)| Some((format!("{index}"), amount(row.3?))));
        assert_eq!(shown, expected.collect::<Vec<_>>());
        let (_, subtotals) = list_rows(&accounts, &sums, &RESULT).unwrap();
        assert_eq!(net_result(&subtotals).unwrap(), amount("41.5"));
        assert_eq!(net_result(&[]).unwrap(), Amount::ZERO);
    }

    #[test]
    fn what_moved_is_the_later_reading_without_the_earlier() {
        let sums = |debit: &str, credit: &str| Sums { debit: amount(debit), credit: amount(credit) };
        let earlier = map([(Id(0, 1), sums("10", "4"))]);
        let later = map([(Id(0, 1), sums("15", "4")), (Id(0, 2), sums("0", "7"))]);
        let moved = subtract(&earlier, later).unwrap();
        assert_eq!(moved, map([(Id(0, 1), sums("5", "0")), (Id(0, 2), sums("0", "7"))]));
    }
}
