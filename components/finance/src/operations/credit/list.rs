//! Credits as they are read.

use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{Answer, Call, Field, Id, Problem, has};
use stoa_trade::Caller;

use crate::operations::document_list::document_list;
use crate::operations::payment::list::read_funds;
use crate::records::credit::{
    ApiCredit, CostLine, Credit, CreditCostLineRow, CreditHeader, CreditReason, CreditRow, CreditStatus,
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
    } of amount
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = call.query::<ListCredits>()?.page([CreditRow::side.eq(side)])?;
    let funds = read_funds(rows.items.iter().map(|row| row.id))?;
    let header = |row: &CreditRow| CreditHeader::from_row(row, funds.get(&row.id));
    Caller::current().answer_page(rows, header, |row| ApiCredit::from_row(row, funds.get(&row.id)))
}

/// API clients see no cost lines: none are read for them.
pub fn read(side: Side, call: &Call) -> Answer {
    let (id, caller) = (call.path_id("id")?, Caller::current());
    let standing = has::<CreditRow, _, _>(CreditCostLineRow::line_set_id, CreditRow::line_set_id, CreditRow::id.eq(id));
    let (row, funds, lines) = run((
        get::<CreditRow>(id),
        find::<FundsRow>("source", [vec![id.put()]]),
        (!caller.is_client()).then(|| select::<CreditCostLineRow>(standing).whole()),
    ))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    let mut lines = lines.unwrap_or_default();
    lines.sort_by_key(|line| line.line_no);
    let line = |line: &CreditCostLineRow| CostLine {
        receipt_item_id: line.receipt_item_id,
        inventory_unit_id: line.inventory_unit_id,
        amount: line.amount,
    };
    let person = || Credit::from_row(&row, funds.first(), lines.iter().map(line).collect());
    Ok(caller.show(person, || ApiCredit::from_row(&row, funds.first())).resource(id))
}
