//! Reading purchase orders: lists of headers, and one order with its lines.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Instant, Problem, Text, all, has};
use stoa_trade::lists::{between, changed_since, equals, mentions, read_page};
use stoa_trade::quantity::StatedTotal;
use stoa_trade::{Caller, list_query};

use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::shown_order::{ApiPurchaseOrder, ApiPurchaseOrderHeader, PurchaseOrder, PurchaseOrderHeader};

list_query! {
    pub struct ListPurchaseOrders {
        status: Option<OrderStatus>,
        kind: Option<OrderKind>,
        supplier_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// ISO 4217.
        currency_code: Option<Text<3, 3>>,
        /// Only documents with a line of this variant.
        variant_id: Option<Id>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only orders expected on or after this day.
        expected_from: Option<Date>,
        /// Only orders expected on or before this day.
        expected_to: Option<Date>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
    }
}

/// Orders of which a line is of the variant.
pub fn of_variant(id: Id) -> Filter {
    let live = all([OrderItemRow::variant_id.eq(id), OrderItemRow::line_no.not_null()]);
    has::<OrderItemRow, _, _>(OrderRow::id, OrderItemRow::order_id, live)
}

impl ListPurchaseOrders {
    fn filter(&self) -> Filter {
        let currency = self.currency_code.as_deref().map(str::to_ascii_uppercase);
        all([
            equals(OrderRow::status, self.status),
            equals(OrderRow::kind, self.kind),
            equals(OrderRow::supplier_id, self.supplier_id),
            equals(OrderRow::warehouse_id, self.warehouse_id),
            equals(OrderRow::legal_entity_id, self.legal_entity_id),
            equals(OrderRow::currency_code, currency),
            self.variant_id.map(of_variant).unwrap_or_default(),
            mentions("number", self.number.as_deref()),
            between(OrderRow::expected_on, self.expected_from, self.expected_to),
            between(OrderRow::total, self.total_min.map(|total| total.0), self.total_max.map(|total| total.0)),
            between(OrderRow::created_at, self.from, self.to),
            changed_since(OrderRow::updated_at, self.updated_since),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListPurchaseOrders = call.query()?;
    let rows = read_page(&query.filter(), query.cursor, query.limit)?;
    Caller::current().answer_page(rows, PurchaseOrderHeader::from_row, ApiPurchaseOrderHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let live = select::<OrderItemRow>(OrderItemRow::live_of(id)).whole();
    let (order, mut items) = run((get::<OrderRow>(id), live))?;
    let order = order.ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    let client = || ApiPurchaseOrder::from_row(&order, &items);
    Ok(Caller::current().show(|| PurchaseOrder::from_row(&order, &items), client).resource(id))
}
