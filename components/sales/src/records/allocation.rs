//! Stock that an order line holds or has taken: one row for a line of quantities, one for each unit of a serialized line.

use stoa_sdk::{Id, collection, text_enum};
use stoa_trade::quantity::Quantity;

text_enum! {
    /// Outcome for goods on an order: reserved, delivered to the customer or released.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum AllocationOutcome { Reserved => "RESERVED", Delivered => "DELIVERED", Released => "RELEASED" }
}

collection! {
    /// `live_slot` is 1 while the allocation is RESERVED: a unit is held by one line at a time.
    pub record AllocationRow in "allocation" {
        order_id: Id,
        item_id: Id,
        reservation_id: Id,
        quantity: Quantity,
        returned: Quantity = "0",
        unit_id: Option<Id>,
        outcome: AllocationOutcome,
        live_slot: Option<i64>,
        movement_id: Option<Id>,
    }
    unique { reservation: [reservation_id], movement: [movement_id], live: [unit_id, live_slot] }
    index { [order_id, id], [item_id, id], [unit_id] }
    checks { returned: [returned >= 0, returned <= quantity] }
    counters [returned]
}

impl AllocationRow {
    /// The line holds it or has taken it.
    pub fn is_live(&self) -> bool {
        self.outcome != AllocationOutcome::Released
    }

    /// The quantity still with the customer; zero where the figures contradict each other.
    pub fn left_to_return(&self) -> Quantity {
        self.quantity.checked_sub(self.returned).filter(|left| !left.is_negative()).unwrap_or(Quantity::ZERO)
    }
}
