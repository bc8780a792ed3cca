//! Lines of purchase orders: as they are kept, and as they are shown. A line has one id for the life of its order, also where a
//! replacement of the draft leaves it out and another brings it back.

use stoa_sdk::{Filter, Id, all, collection};
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking};
use stoa_trade::resource;

use crate::records::order::OrderStatus;

collection! {
    /// `line_no` null: taken out of the draft. `open`: goods of the line are expected and are in inventory's incoming, so it is
    /// tracked, its order is open and it is not received whole. `settled`: as much of it is billed as came, by value; so are new
    /// lines. Entity, warehouse and currency are the order's, to be summed by.
    pub record OrderItemRow in "purchase_item" {
        order_id: Id,
        line_no: Option<i64>,
        variant_id: Id,
        tracking: Tracking,
        quantity: Quantity,
        unit_cost: Money,
        line_total: Amount,
        received: Quantity = "0",
        billed: Quantity = "0",
        received_value: Amount = "0",
        billed_value: Amount = "0",
        legal_entity_id: Id,
        warehouse_id: Id,
        currency_code: String,
        open: bool,
        settled: bool = false,
    }
    unique { variant: [order_id, variant_id] }
    index { [order_id, line_no], [variant_id, open], [open, id], [warehouse_id, open], [legal_entity_id, settled] }
    checks { received: [received >= 0, received <= quantity], billed: [billed >= 0, billed <= quantity] }
    counters [received, billed, received_value, billed_value]
}

impl OrderItemRow {
    /// The lines of an order as they are in it.
    pub fn live_of(order_id: Id) -> Filter {
        all([OrderItemRow::order_id.eq(order_id), OrderItemRow::line_no.not_null()])
    }

    /// The quantity that is ordered and did not come yet.
    pub fn left_to_receive(&self) -> Quantity {
        // The collection's own check: no more is received than ordered.
        self.quantity.checked_sub(self.received).unwrap_or(Quantity::ZERO)
    }

    /// The quantity still to come while its order has this status.
    pub fn still_to_come(&self, status: OrderStatus) -> Quantity {
        if status.is_open() { self.left_to_receive() } else { Quantity::ZERO }
    }

    /// Returns whether it is settled once this came and this is billed of it.
    pub fn is_settled(&self, came: Amount, billed: Amount) -> bool {
        let received = self.received_value.checked_add(came);
        received.is_some() && received == self.billed_value.checked_add(billed)
    }

    /// Returns whether goods of it move stock.
    pub fn is_tracked(&self) -> bool {
        self.tracking != Tracking::None
    }
}

resource! {
    /// A line as returned to API clients.
    #[schemars(rename = "PublicPurchaseOrderItem")]
    pub struct ApiPurchaseOrderItem of row: OrderItemRow, status: OrderStatus {
        id: Id,
        // People count from one.
        #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
        line_no: i64 = row.line_no.unwrap_or_default() + 1,
        variant_id: Id,
        tracking_mode: Tracking = row.tracking,
        quantity: Quantity,
        unit_cost: Money,
        line_total: Amount,
        received_quantity: Quantity = row.received,
        /// Quantity that has not arrived yet; zero unless the order is open.
        pending_quantity: Quantity = row.still_to_come(status),
    }
}

resource! {
    /// A line as returned to users.
    pub struct PurchaseOrderItem of row: OrderItemRow, status: OrderStatus {
        #[serde(flatten)]
        public: ApiPurchaseOrderItem = ApiPurchaseOrderItem::from_row(row, status),
        billed_quantity: Quantity = row.billed,
    }
}
