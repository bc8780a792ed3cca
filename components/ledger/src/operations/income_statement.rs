//! The income statement: income, expense and result of a range.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Date, Id, Operation, Reply};
use stoa_trade::dates::{check_range, day_after};
use stoa_trade::quantity::Amount;

use crate::records::account::AccountRow;
use crate::records::permission::figures;
use crate::rules::results::{RESULT, ReportRow, Subtotal, list_rows, net_result, subtract};
use crate::work::balance;
use crate::work::reports::{Subject, read_subject};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/income-statement", "getIncomeStatement", income_statement))
        .summary("Income, expense and result of a range").query::<AskIncomeStatement>().answers::<IncomeStatement>()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]).item_codes(&["BOOKS_NOT_KEPT"]),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskIncomeStatement {
    legal_entity_id: Id,
    /// First day of the range.
    from: Date,
    /// Last day of the range.
    to: Date,
    branch_id: Option<Id>,
}

/// Income and expense of a range. The result is income minus expense.
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

pub fn income_statement(call: &Call) -> Answer {
    let query: AskIncomeStatement = call.query()?;
    check_range(Some(query.from), Some(query.to))?;
    let id = query.legal_entity_id;
    let end = day_after(query.to);
    let of_result = AccountRow::account_type.one_of(RESULT);
    let Subject { books, accounts, scope } = read_subject(id, query.branch_id, of_result)?;
    let [earlier, later] = balance::sums_before(&scope, [Some(query.from), end])?;
    let moved = subtract(&earlier, later)?;
    let (rows, subtotals) = list_rows(&accounts, &moved, &RESULT)?;
    let result = net_result(&subtotals)?;
    let (currency_code, from, to) = (books.currency_code, query.from, query.to);
    Ok(Reply::json(&IncomeStatement { legal_entity_id: id, currency_code, from, to, rows, subtotals, result }))
}
