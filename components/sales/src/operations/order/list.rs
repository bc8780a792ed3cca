//! Lists of sales orders: headers, with counts for people.

use stoa_sdk::{Answer, Call, Id, Instant, Text};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{at_least, at_most, changed_since, is_set, mentions};
use stoa_trade::quantity::StatedTotal;
use stoa_trade::{Caller, list_query};

use crate::records::order::{ApiSalesOrderHeader, OrderRow, OrderStatus, SalesOrderHeader};

list_query! {
    pub struct ListSalesOrders of OrderRow {
        status: Option<OrderStatus>,
        /// Only these orders, at most 100, separated by commas.
        ids: Option<Ids> = among(OrderRow::id, ids.as_ref()),
        customer_id: Option<Id>,
        legal_entity_id: Option<Id>,
        warehouse_id: Option<Id>,
        price_list_id: Option<Id>,
        currency_code: Option<CurrencyCode>,
        quotation_id: Option<Id>,
        /// Only orders of this salesperson, spelled as in the order.
        salesperson: Option<Text<1, 100>>,
        /// Only documents whose number contains the text, ignoring case.
        text: Option<Text<1, 64>> = mentions("number", text.as_deref()),
        /// True lists orders that a receipt has collected, false all others.
        collected: Option<bool> = is_set(OrderRow::pos_receipt_id, collected),
        /// True lists orders whose total can be invoiced and collected, false all others.
        collectable: Option<bool>,
    } by creation {
        confirmed_from: Option<Instant> = at_least(OrderRow::confirmed_at, confirmed_from),
        confirmed_to: Option<Instant> = at_most(OrderRow::confirmed_at, confirmed_to),
        completed_from: Option<Instant> = at_least(OrderRow::completed_at, completed_from),
        completed_to: Option<Instant> = at_most(OrderRow::completed_at, completed_to),
        total_min: Option<StatedTotal> = at_least(OrderRow::total, total_min.map(|total| total.0)),
        total_max: Option<StatedTotal> = at_most(OrderRow::total, total_max.map(|total| total.0)),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(OrderRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListSalesOrders>()?.page([])?;
    Caller::current().answer_page(rows, SalesOrderHeader::from_row, ApiSalesOrderHeader::from_row)
}
