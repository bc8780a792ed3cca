//! The trial balance: the opening balance, the movements and the closing balance of every account.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Operation, Reply, today};
use stoa_trade::dates::{check_range, day_after};
use stoa_trade::quantity::Amount;
use stoa_trade::resource;

use crate::records::account::AccountLabel;
use crate::records::permission::figures;
use crate::records::role::AccountType;
use crate::rules::sums::Sums;
use crate::work::balance;
use crate::work::reports::{Subject, read_subject};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/trial-balance", "getTrialBalance", read))
        .summary("The trial balance of a range").query::<AskTrialBalance>().answers::<TrialBalance>()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]).item_codes(&["BOOKS_NOT_KEPT"]),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskTrialBalance {
    legal_entity_id: Id,
    /// First day. Omitted: the first day of the books.
    from: Option<Date>,
    /// Last day. Omitted: today.
    to: Option<Date>,
    branch_id: Option<Id>,
    /// True also lists accounts without a balance and without movements.
    #[serde(default)]
    include_zero: bool,
}

resource! {
    /// An account in the range. Opening and closing are debit minus credit.
    pub struct TrialRow of account: AccountLabel, opening: Amount, moved: Sums, closing: Amount {
        account_id: Id = account.id,
        code: String,
        name: String,
        #[serde(rename = "type")]
        account_type: AccountType,
        opening: Amount = opening,
        debit: Amount = moved.debit,
        credit: Amount = moved.credit,
        closing: Amount = closing,
    }
}

/// Sums of the columns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrialTotals {
    opening: Amount,
    debit: Amount,
    credit: Amount,
    closing: Amount,
}

/// All accounts of a legal entity in a range, sorted by code.
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

pub fn read(call: &Call) -> Answer {
    let query: AskTrialBalance = call.query()?;
    let id = query.legal_entity_id;
    check_range(query.from, query.to)?;
    let to = query.to.unwrap_or_else(today);
    let end = day_after(to);
    let Subject { books, accounts, scope } = read_subject(id, query.branch_id, Filter::default())?;
    let from = query.from.unwrap_or(books.start_on);
    let [opening, closing] = balance::sums_of_range(&scope, query.from, end)?;
    let sums_of = |sums: &BTreeMap<Id, Sums>, id: Id| sums.get(&id).copied().unwrap_or_default();
    let mut rows = Vec::new();
    let mut all = (Sums::default(), Sums::default());
    for account in accounts {
        let (before, after) = (sums_of(&opening, account.id), sums_of(&closing, account.id));
        let moved = after.since(before).ok_or_else(Amount::limit_exceeded)?;
        all.0 = all.0.add(before).ok_or_else(Amount::limit_exceeded)?;
        all.1 = all.1.add(after).ok_or_else(Amount::limit_exceeded)?;
        let (Some(opening), Some(closing)) = (before.balance(), after.balance()) else {
            return Err(Amount::limit_exceeded());
        };
        if query.include_zero || !opening.is_zero() || moved != Sums::default() {
            rows.push(TrialRow::from_row(&account, opening, moved, closing));
        }
    }
    let moved = all.1.since(all.0).ok_or_else(Amount::limit_exceeded)?;
    let (Some(opening), Some(closing)) = (all.0.balance(), all.1.balance()) else {
        return Err(Amount::limit_exceeded());
    };
    let totals = TrialTotals { opening, debit: moved.debit, credit: moved.credit, closing };
    let currency_code = books.currency_code;
    Ok(Reply::json(&TrialBalance { legal_entity_id: id, currency_code, from, to, rows, totals }))
}
