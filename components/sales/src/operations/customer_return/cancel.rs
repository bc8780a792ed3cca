//! Cancelling a customer return: a draft ends.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Problem, set};
use stoa_trade::Change;
use stoa_trade::document::version::Transition;

use crate::records::customer_return::{ReturnStatus, SalesReturnItemRow, SalesReturnRow, receipt};

pub fn cancel(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: Transition = call.body()?;
    let live = select::<SalesReturnItemRow>(SalesReturnItemRow::live_of(id)).whole();
    let (row, items) = run((get::<SalesReturnRow>(id).locked(), live))?;
    let row = row.ok_or_else(Problem::not_found)?;
    row.require_draft(body.expected_version)?;
    let change = Change::new(&row, SalesReturnRow { status: ReturnStatus::Cancelled, ..row.clone() })?;
    run(change.update())?;
    let products = set(items.iter().map(|item| item.product_id));
    Ok(receipt(change.after()).subjects(products).changed(change.members()))
}
