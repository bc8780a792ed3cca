//! The income statement: income, expense and result of a range.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Operation, Reply, all};
use stoa_trade::dates::day_after;
use stoa_trade::quantity::Amount;

use crate::operations::access::figures;
use crate::records::account::{AccountLabel, AccountRow};
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::rules::books::require_books;
use crate::rules::days::check_range;
use crate::rules::references::check_branch;
use crate::rules::results::{RESULT, ReportRow, Subtotal, list_rows, net_result, sort_by_code, subtract};
use crate::work::balance::{self, Scope};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    figures(Operation::read("/ledger/income-statement", "getIncomeStatement", income_statement))
        .summary("Income, expense and result of a range").query::<AskIncomeStatement>().answers::<IncomeStatement>()
        .problems(&["NOT_FOUND", "ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
];

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

pub fn income_statement(call: &Call) -> Answer {
    let query: AskIncomeStatement = call.query()?;
    check_range(Some(query.from), Some(query.to))?;
    let id = query.legal_entity_id;
    let end = day_after(query.to);
    let (entity, accounts, branch) = run((
        get::<EntityRow>(id),
        select::<AccountLabel>(all([AccountRow::legal_entity_id.eq(id), AccountRow::account_type.one_of(RESULT)]))
            .whole(),
        query.branch_id.map(get::<BranchRow>),
    ))?;
    let books = require_books(entity, "/query/legalEntityId")?;
    check_branch(query.branch_id, branch, id)?;
    let scope = Scope::entity(id, query.branch_id);
    let [earlier, later] = balance::sums_before(&scope, [Some(query.from), end])?;
    let moved = subtract(&earlier, later)?;
    let (rows, subtotals) = list_rows(&sort_by_code(accounts), &moved, &RESULT)?;
    let result = net_result(&subtotals)?;
    let (currency_code, from, to) = (books.currency_code, query.from, query.to);
    Ok(Reply::json(&IncomeStatement { legal_entity_id: id, currency_code, from, to, rows, subtotals, result }))
}
