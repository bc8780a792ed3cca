//! Lists of sales orders: headers, with counts for people.

use stoa_sdk::{Answer, Call, Filter, Id, Instant, Text, all, text};
use stoa_trade::lists::{between, changed_since, equals, is_set, mentions, read_page};
use stoa_trade::quantity::StatedTotal;
use stoa_trade::{Caller, list_query};

use crate::records::order::{ApiSalesOrderHeader, OrderRow, OrderStatus, SalesOrderHeader};

list_query! {
    pub struct ListSalesOrders {
        status: Option<OrderStatus>,
        customer_id: Option<Id>,
        legal_entity_id: Option<Id>,
        warehouse_id: Option<Id>,
        price_list_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        quotation_id: Option<Id>,
        /// Only documents whose number contains the text, ignoring case.
        text: Option<Text<1, 64>>,
        /// True lists orders that a receipt has collected, false all others.
        collected: Option<bool>,
        /// True lists orders whose total can be invoiced and collected, false all others.
        collectable: Option<bool>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
        confirmed_from: Option<Instant>,
        confirmed_to: Option<Instant>,
        completed_from: Option<Instant>,
        completed_to: Option<Instant>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

impl ListSalesOrders {
    fn filter(&self) -> Filter {
        all([
            equals(OrderRow::status, self.status),
            equals(OrderRow::customer_id, self.customer_id),
            equals(OrderRow::legal_entity_id, self.legal_entity_id),
            equals(OrderRow::warehouse_id, self.warehouse_id),
            equals(OrderRow::price_list_id, self.price_list_id),
            equals(OrderRow::currency_code, self.currency_code.as_deref()),
            equals(OrderRow::quotation_id, self.quotation_id),
            mentions("number", self.text.as_deref()),
            is_set(OrderRow::pos_receipt_id, self.collected),
            equals(OrderRow::collectable, self.collectable),
            between(OrderRow::created_at, self.from, self.to),
            between(OrderRow::confirmed_at, self.confirmed_from, self.confirmed_to),
            between(OrderRow::completed_at, self.completed_from, self.completed_to),
            between(OrderRow::total, self.total_min.map(|total| total.0), self.total_max.map(|total| total.0)),
            changed_since(OrderRow::updated_at, self.updated_since),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListSalesOrders = call.query()?;
    let rows = read_page(&query.filter(), query.cursor, query.limit)?;
    Caller::current().answer_page(rows, SalesOrderHeader::from_row, ApiSalesOrderHeader::from_row)
}
