//! Incoming goods: outstanding goods by line, as everybody reads them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id};
use stoa_trade::quantity::Quantity;

use crate::records::order::{OrderKind, OrderRow};
use crate::records::order_item::OrderItemRow;

/// A line of an open order with outstanding goods.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncomingGoods {
    order_id: Id,
    order_item_id: Id,
    number: String,
    kind: OrderKind,
    supplier_id: Id,
    warehouse_id: Id,
    variant_id: Id,
    quantity: Quantity,
    received_quantity: Quantity,
    pending_quantity: Quantity,
    expected_on: Option<Date>,
    /// Part of the quantity on shipments that have not arrived; null for STANDARD orders.
    shipped_quantity: Option<Quantity>,
}

impl IncomingGoods {
    /// `shipped`: on shipments under way.
    pub fn from_row(order: &OrderRow, item: &OrderItemRow, shipped: Quantity) -> IncomingGoods {
        IncomingGoods {
            order_id: order.id,
            order_item_id: item.id,
            number: order.number.clone(),
            kind: order.kind,
            supplier_id: order.supplier_id,
            warehouse_id: order.warehouse_id,
            variant_id: item.variant_id,
            quantity: item.quantity,
            received_quantity: item.received,
            pending_quantity: item.still_to_come(order.status),
            expected_on: order.expected_on,
            shipped_quantity: (order.kind == OrderKind::Import).then_some(shipped),
        }
    }
}
