//! Credits as they are read.

use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{Answer, Call, Field, Id, Instant, Problem, Reply, has};
use stoa_trade::Caller;
use stoa_trade::lists::changed_since;

use crate::operations::document_list::document_list;
use crate::operations::payment::list::read_funds;
use crate::records::credit::{
    ApiCredit, ApiSalesCredit, CostLine, Credit, CreditCostLineRow, CreditHeader, CreditLine, CreditLineRow,
    CreditReason, CreditRow, CreditStatus,
};
use crate::records::funds::FundsRow;
use crate::records::side::Side;

document_list! {
    ListCredits of CreditRow, CreditStatus {
        /// Only credits whose number, reason or document number contains the text, ignoring case.
        text;
        reason_type: Option<CreditReason>,
        origin_invoice_id: Option<Id>,
        supplier_return_id: Option<Id>,
    } dated {
        /// Only credits recognised on or after this day.
        recognized_on;
        /// Only credits changed at or after this instant; one that is applied or refunded counts.
        updated_since: Option<Instant> = changed_since(CreditRow::updated_at, updated_since),
    } of amount
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = call.query::<ListCredits>()?.page([CreditRow::side.eq(side)])?;
    let funds = read_funds(rows.items.iter().map(|row| row.id))?;
    let header = |row: &CreditRow| CreditHeader::from_row(row, funds.get(&row.id));
    Caller::current().answer_page(rows, header, |row| ApiCredit::from_row(row, funds.get(&row.id)))
}

/// Lines are of credits to customers, cost lines of suppliers' credits. API clients see no cost lines: none are read for them.
pub fn read(side: Side, call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let is_credit = || CreditRow::id.eq(id);
    let (of_goods, of_costs) = (
        has::<CreditRow, _, _>(CreditLineRow::line_set_id, CreditRow::line_set_id, is_credit()),
        has::<CreditRow, _, _>(CreditCostLineRow::line_set_id, CreditRow::line_set_id, is_credit()),
    );
    let (row, funds, lines, cost_lines) = run((
        get::<CreditRow>(id),
        find::<FundsRow>("source", [vec![id.put()]]),
        (side == Side::Sales).then(|| select::<CreditLineRow>(of_goods).whole()),
        (side == Side::Purchases && !caller.is_client()).then(|| select::<CreditCostLineRow>(of_costs).whole()),
    ))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    let (mut lines, mut cost_lines) = (lines.unwrap_or_default(), cost_lines.unwrap_or_default());
    lines.sort_by_key(|line| line.line_no);
    cost_lines.sort_by_key(|line| line.line_no);
    let lines: Vec<CreditLine> = lines.iter().map(CreditLine::from).collect();
    let cost_line = |line: &CreditCostLineRow| CostLine {
        receipt_item_id: line.receipt_item_id,
        inventory_unit_id: line.inventory_unit_id,
        amount: line.amount,
    };
    let funds = funds.first();
    let reply = match (caller, side) {
        (Caller::Person, _) => {
            Reply::json(&Credit::from_row(&row, funds, lines, cost_lines.iter().map(cost_line).collect()))
        }
        (Caller::Client, Side::Sales) => Reply::json(&ApiSalesCredit::from_row(&row, funds, lines)),
        (Caller::Client, Side::Purchases) => Reply::json(&ApiCredit::from_row(&row, funds)),
    };
    Ok(reply.resource(id))
}
