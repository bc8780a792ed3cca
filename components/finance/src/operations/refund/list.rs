//! Refunds as they are read.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Problem};
use stoa_trade::Caller;
use stoa_trade::lists::changed_since;
use stoa_trade::payment_method::Method;

use crate::operations::document_list::document_list;
use crate::records::refund::{ApiRefund, Refund, RefundRow, RefundStatus};
use crate::records::side::Side;

document_list! {
    ListRefunds of RefundRow, RefundStatus {
        /// Only documents whose number or reference contains the text, ignoring case.
        text;
        method: Option<Method>,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        session_id: Option<Id>,
    } dated {
        /// Only refunds made on or after this day.
        refunded_on;
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(RefundRow::updated_at, updated_since),
    } of amount
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = call.query::<ListRefunds>()?.page([RefundRow::side.eq(side)])?;
    Caller::current().answer_page(rows, Refund::from_row, ApiRefund::from_row)
}

pub fn read(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<RefundRow> = run(get(id))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    Ok(Caller::current().show(|| Refund::from_row(&row), || ApiRefund::from_row(&row)).resource(id))
}
