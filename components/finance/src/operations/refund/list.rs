//! Refunds as they are read.

use serde::Serialize;
use stoa_sdk::store::{Rows, get, run};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Problem, Reply, Text, all, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::Money;

use crate::records::refund::{ApiRefund, Refund, RefundRow, RefundStatus};
use crate::records::side::Side;

list_query! {
    pub struct ListRefunds {
        status: Option<RefundStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only documents whose number or reference contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        method: Option<Method>,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        session_id: Option<Id>,
        /// Only refunds made on or after this day.
        from: Option<Date>,
        to: Option<Date>,
        total_min: Option<Money>,
        total_max: Option<Money>,
    }
}

impl ListRefunds {
    fn filter(&self, side: Side) -> Filter {
        all([
            RefundRow::side.eq(side),
            equals(RefundRow::status, self.status),
            equals(RefundRow::legal_entity_id, self.legal_entity_id),
            equals(RefundRow::party_id, self.party_id),
            equals(RefundRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.number.as_deref()),
            mentions("text", self.text.as_deref()),
            equals(RefundRow::method, self.method),
            equals(RefundRow::payment_id, self.payment_id),
            equals(RefundRow::credit_id, self.credit_id),
            equals(RefundRow::session_id, self.session_id),
            between(RefundRow::refunded_on, self.from, self.to),
            between(RefundRow::amount, self.total_min, self.total_max),
        ])
    }
}

fn list<T: Serialize>(call: &Call, side: Side, show: fn(&RefundRow) -> T) -> Answer {
    let query: ListRefunds = call.query()?;
    let rows: Rows<RefundRow> = read_page(&query.filter(side), query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| show(&row))
}

fn read<T: Serialize>(call: &Call, side: Side, show: fn(&RefundRow) -> T) -> Answer {
    let id = call.path_id("id")?;
    let row: Option<RefundRow> = run(get(id))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&show(&row)).resource(id))
}

pub fn list_sales(call: &Call) -> Answer {
    list(call, Side::Sales, Refund::from_row)
}

pub fn list_sales_as_client(call: &Call) -> Answer {
    list(call, Side::Sales, ApiRefund::from_row)
}

pub fn list_purchases(call: &Call) -> Answer {
    list(call, Side::Purchases, Refund::from_row)
}

pub fn read_sales(call: &Call) -> Answer {
    read(call, Side::Sales, Refund::from_row)
}

pub fn read_sales_as_client(call: &Call) -> Answer {
    read(call, Side::Sales, ApiRefund::from_row)
}

pub fn read_purchase(call: &Call) -> Answer {
    read(call, Side::Purchases, Refund::from_row)
}
