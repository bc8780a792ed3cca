//! Deliveries and returns, line by line: the ledger that reports of sales are sums of (sales-pos.md 7, S10).

use stoa_sdk::{Date, Decimal, Id, collection, text_enum};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;

/// A signed quantity, wide enough for what came back.
pub type SignedQuantity = Decimal<6, 19>;

text_enum! {
    /// A line of an order, or a line of a customer's return.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum DeliveryKind { Delivery => "DELIVERY", Return => "RETURN" }
}

collection! {
    /// `source_id` is the line of the order or of the return. Returns carry quantity and cost below zero and no
    /// revenue. `cost` is of what has one in the currency, `uncosted_quantity` the rest of what is tracked.
    /// `document_count` is 1 on the first line of an order, so that a sum counts orders.
    pub ledger DeliveryLineRow in "delivery_line" {
        kind: DeliveryKind,
        order_id: Id,
        item_id: Id,
        source_id: Id,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        customer_id: Id,
        variant_id: Id,
        currency_code: String,
        on_date: Date,
        month: Month,
        quantity: SignedQuantity,
        revenue: Amount,
        cost: Option<Amount>,
        uncosted_quantity: SignedQuantity,
        document_count: i64,
    }
    unique { source: [kind, source_id] }
    index {
        [legal_entity_id, currency_code, on_date],
        [legal_entity_id, id],
        [legal_entity_id, variant_id, on_date],
        [legal_entity_id, customer_id, on_date],
        [order_id],
    }
}
