//! Payments as they are read.

use std::collections::BTreeMap;

use serde::Serialize;
use stoa_sdk::store::{Rows, find, get, run};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Problem, Reply, Text, all, map, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;

use crate::records::funds::FundsRow;
use crate::records::payment::{ApiPayment, Payment, PaymentOrigin, PaymentRow, PaymentStatus};
use crate::records::side::Side;

list_query! {
    pub struct ListPayments {
        status: Option<PaymentStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only documents whose number or reference contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        method: Option<Method>,
        account_id: Option<Id>,
        origin: Option<PaymentOrigin>,
        receipt_id: Option<Id>,
        order_id: Option<Id>,
        /// Only payments made on or after this day.
        from: Option<Date>,
        to: Option<Date>,
        total_min: Option<Money>,
        total_max: Option<Money>,
    }
}

impl ListPayments {
    fn filter(&self, side: Side) -> Filter {
        all([
            PaymentRow::side.eq(side),
            equals(PaymentRow::status, self.status),
            equals(PaymentRow::legal_entity_id, self.legal_entity_id),
            equals(PaymentRow::party_id, self.party_id),
            equals(PaymentRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.number.as_deref()),
            mentions("text", self.text.as_deref()),
            equals(PaymentRow::method, self.method),
            equals(PaymentRow::account_id, self.account_id),
            equals(PaymentRow::origin, self.origin),
            equals(PaymentRow::receipt_id, self.receipt_id),
            equals(PaymentRow::order_id, self.order_id),
            between(PaymentRow::paid_on, self.from, self.to),
            between(PaymentRow::amount, self.total_min, self.total_max),
        ])
    }
}

/// Funds left of these documents, by document.
pub fn read_funds(ids: impl Iterator<Item = Id>) -> Result<BTreeMap<Id, FundsRow>, Problem> {
    let keys: Vec<_> = ids.map(|id| vec![id.put()]).collect();
    let found = (!keys.is_empty()).then(|| find::<FundsRow>("source", keys));
    Ok(map(run(found)?.unwrap_or_default().into_iter().map(|funds| (funds.source_id, funds))))
}

fn list<T: Serialize>(call: &Call, side: Side, show: fn(&PaymentRow, Option<&FundsRow>) -> T) -> Answer {
    let query: ListPayments = call.query()?;
    let rows: Rows<PaymentRow> = read_page(&query.filter(side), query.cursor, query.limit)?;
    let funds = read_funds(rows.items.iter().map(|row| row.id))?;
    answer_page(rows, |row| row.id, |row| show(&row, funds.get(&row.id)))
}

pub fn list_sales(call: &Call) -> Answer {
    list(call, Side::Sales, Payment::from_row)
}

pub fn list_sales_as_client(call: &Call) -> Answer {
    list(call, Side::Sales, ApiPayment::from_row)
}

pub fn list_purchases(call: &Call) -> Answer {
    list(call, Side::Purchases, Payment::from_row)
}

pub fn list_purchases_as_client(call: &Call) -> Answer {
    list(call, Side::Purchases, ApiPayment::from_row)
}

fn read<T: Serialize>(call: &Call, side: Side, show: fn(&PaymentRow, Option<&FundsRow>) -> T) -> Answer {
    let id = call.path_id("id")?;
    let (row, funds) = run((get::<PaymentRow>(id), find::<FundsRow>("source", [vec![id.put()]])))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&show(&row, funds.first())).resource(id))
}

pub fn read_sales(call: &Call) -> Answer {
    read(call, Side::Sales, Payment::from_row)
}

pub fn read_sales_as_client(call: &Call) -> Answer {
    read(call, Side::Sales, ApiPayment::from_row)
}

pub fn read_purchase(call: &Call) -> Answer {
    read(call, Side::Purchases, Payment::from_row)
}

pub fn read_purchase_as_client(call: &Call) -> Answer {
    read(call, Side::Purchases, ApiPayment::from_row)
}
