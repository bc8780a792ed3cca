//! Cancelling a customer return: a draft ends.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem};
use stoa_trade::Change;
use stoa_trade::document::version::Transition;

use crate::records::customer_return::{ReturnStatus, SalesReturnRow, receipt};

pub fn cancel(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let row: SalesReturnRow = run(get(call.path_id("id")?).locked())?.ok_or_else(Problem::not_found)?;
    body.expected_version.check(row.version)?;
    if row.status != ReturnStatus::Draft {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let change = Change::of(&row, SalesReturnRow { status: ReturnStatus::Cancelled, ..row.clone() })?;
    run(change.update())?;
    Ok(receipt(change.after()).changed(change.members()))
}
