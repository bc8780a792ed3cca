//! The balance sheet: what an entity owns and owes at the end of a day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Operation, Reply};
use stoa_trade::dates::{Month, day_after};
use stoa_trade::quantity::Amount;

use crate::records::permission::figures;
use crate::rules::results::{RESULT, ReportRow, Subtotal, WORTH, list_rows, net_result, subtract};
use crate::work::balance;
use crate::work::reports::{Subject, read_subject};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/balance-sheet", "getBalanceSheet", balance_sheet))
        .summary("Balance sheet")
        .description("The results of earlier years and of this year are derived: there is no year-end entry.")
        .query::<AskBalanceSheet>().answers::<BalanceSheet>()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]).item_codes(&["BOOKS_NOT_KEPT"]),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskBalanceSheet {
    legal_entity_id: Id,
    /// Last day that the balances include.
    as_of: Date,
    branch_id: Option<Id>,
}

/// Assets, liabilities and equity of a legal entity at the end of a day: assets = liabilities + equity + both results.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BalanceSheet {
    legal_entity_id: Id,
    currency_code: String,
    as_of: Date,
    rows: Vec<ReportRow>,
    subtotals: Vec<Subtotal>,
    /// Income minus expense of earlier calendar years.
    result_brought_forward: Amount,
    /// Income minus expense of the calendar year so far.
    result_of_year: Amount,
}

pub fn balance_sheet(call: &Call) -> Answer {
    let query: AskBalanceSheet = call.query()?;
    let id = query.legal_entity_id;
    let end = day_after(query.as_of);
    let year = Month::read(&format!("{:04}-01", query.as_of.year())).and_then(Month::first_day);
    let Subject { books, accounts, scope } = read_subject(id, query.branch_id, Filter::default())?;
    let [earlier, later] = balance::sums_before(&scope, [year, end])?;
    let (rows_now, subtotals) = list_rows(&accounts, &later, &WORTH)?;
    let brought_forward = net_result(&list_rows(&accounts, &earlier, &RESULT)?.1)?;
    let of_year = net_result(&list_rows(&accounts, &subtract(&earlier, later)?, &RESULT)?.1)?;
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
