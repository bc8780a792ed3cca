//! Payments as they are read.

use std::collections::BTreeMap;

use stoa_sdk::store::{find, get, run};
use stoa_sdk::{Answer, Call, Field, Id, Problem, map};
use stoa_trade::Caller;
use stoa_trade::payment_method::Method;

use crate::operations::document_list::document_list;
use crate::records::funds::FundsRow;
use crate::records::payment::{ApiPayment, Payment, PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;

document_list! {
    ListPayments of PaymentRow, PaymentStatus {
        /// Only documents whose number or reference contains the text, ignoring case.
        text;
        method: Option<Method>,
        account_id: Option<Id>,
        origin: Option<PaymentOrigin>,
        receipt_id: Option<Id>,
        order_id: Option<Id>,
    } dated {
        /// Only payments made on or after this day.
        paid_on;
    } of amount
}

/// Funds left of these documents, by document.
pub fn read_funds(ids: impl Iterator<Item = Id>) -> Result<BTreeMap<Id, FundsRow>, Problem> {
    let keys: Vec<_> = ids.map(|id| vec![id.put()]).collect();
    let found = (!keys.is_empty()).then(|| find::<FundsRow>("source", keys));
    Ok(map(run(found)?.unwrap_or_default().into_iter().map(|funds| (funds.source_id, funds))))
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = call.query::<ListPayments>()?.page([PaymentRow::side.eq(side)])?;
    let funds = read_funds(rows.items.iter().map(|row| row.id))?;
    let payment = |row: &PaymentRow| Payment::from_row(row, funds.get(&row.id));
    Caller::current().answer_page(rows, payment, |row| ApiPayment::from_row(row, funds.get(&row.id)))
}

pub fn read(side: Side, call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, funds) = run((get::<PaymentRow>(id), find::<FundsRow>("source", [vec![id.put()]])))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    let (person, client) = (|| Payment::from_row(&row, funds.first()), || ApiPayment::from_row(&row, funds.first()));
    Ok(Caller::current().show(person, client).resource(id))
}
