//! Incoming goods: outstanding goods by line, as everybody reads them.

use stoa_sdk::{Date, Id};
use stoa_trade::quantity::Quantity;
use stoa_trade::resource;

use crate::records::order::{OrderKind, OrderRow};
use crate::records::order_item::OrderItemRow;

resource! {
    /// A line of an open order with outstanding goods.
    pub struct IncomingGoods of order: OrderRow, item: &OrderItemRow, shipped: Quantity {
        order_id: Id = order.id,
        order_item_id: Id = item.id,
        number: String,
        kind: OrderKind,
        supplier_id: Id,
        warehouse_id: Id,
        variant_id: Id = item.variant_id,
        quantity: Quantity = item.quantity,
        received_quantity: Quantity = item.received,
        pending_quantity: Quantity = item.still_to_come(order.status),
        expected_on: Option<Date>,
        /// Part of the quantity on shipments that have not arrived; null for STANDARD orders.
        shipped_quantity: Option<Quantity> = (order.kind == OrderKind::Import).then_some(shipped),
    }
}
