//! Payments as they are read.

use std::collections::BTreeMap;

use stoa_sdk::store::{Rows, find, get, run};
use stoa_sdk::{Answer, Call, Field, Id, Instant, Problem, all, has, map};
use stoa_trade::Caller;
use stoa_trade::lists::{ask_nothing, changed_since};
use stoa_trade::payment_method::Method;

use crate::operations::document_list::{document_list, read_changed};
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
        /// Only payments changed at or after this instant; one that is applied or refunded counts.
        updated_since: Option<Instant> = ask_nothing(updated_since),
    } of amount
}

/// Funds left of these documents, by document.
pub fn read_funds(ids: impl Iterator<Item = Id>) -> Result<BTreeMap<Id, FundsRow>, Problem> {
    let keys: Vec<_> = ids.map(|id| vec![id.put()]).collect();
    let found = (!keys.is_empty()).then(|| find::<FundsRow>("source", keys));
    Ok(map(run(found)?.unwrap_or_default().into_iter().map(|funds| (funds.source_id, funds))))
}

/// The page that is asked for. An invoice that a register's payment settles changes the row of the payment's funds and
/// not the payment.
fn read_page(side: Side, query: &ListPayments) -> Result<Rows<PaymentRow>, Problem> {
    let of_side = PaymentRow::side.eq(side);
    if query.updated_since.is_none() {
        return query.page([of_side]);
    }
    let used = all([FundsRow::side.eq(side), changed_since(FundsRow::updated_at, query.updated_since)]);
    let changed = [
        changed_since(PaymentRow::updated_at, query.updated_since),
        has::<FundsRow, _, _>(PaymentRow::id, FundsRow::source_id, used),
    ];
    read_changed(&query.filter([of_side]), changed, query.cursor, query.limit)
}

pub fn list(side: Side, call: &Call) -> Answer {
    let rows = read_page(side, &call.query()?)?;
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
