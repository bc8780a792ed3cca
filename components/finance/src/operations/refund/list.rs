//! Refunds as they are read.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Date, Id, Problem};
use stoa_trade::Caller;
use stoa_trade::lists::{answer_page, at_least, at_most};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;

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
        /// Only refunds made on or after this day.
        from: Option<Date> = at_least(RefundRow::refunded_on, from),
        to: Option<Date> = at_most(RefundRow::refunded_on, to),
        total_min: Option<Money> = at_least(RefundRow::amount, total_min),
        total_max: Option<Money> = at_most(RefundRow::amount, total_max),
    }
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = call.query::<ListRefunds>()?.page([RefundRow::side.eq(side)])?;
    match Caller::current() {
        Caller::Person => answer_page(rows, |row| row.id, |row| Refund::from_row(&row)),
        Caller::Client => answer_page(rows, |row| row.id, |row| ApiRefund::from_row(&row)),
    }
}

pub fn read(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<RefundRow> = run(get(id))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    Ok(Caller::current().show(|| Refund::from_row(&row), || ApiRefund::from_row(&row)).resource(id))
}
