//! Transfer orders as they are kept.

use stoa_sdk::{Date, Id, Instant, collection, text_enum};

use crate::terms::{Quantity, Tracking};

text_enum! {
    /// RECEIVED and CANCELLED orders are closed.
    pub enum TransferStatus {
        Draft => "DRAFT",
        Approved => "APPROVED",
        InTransit => "IN_TRANSIT",
        PartiallyReceived => "PARTIALLY_RECEIVED",
        Received => "RECEIVED",
        Cancelled => "CANCELLED",
    }
}

impl TransferStatus {
    /// Those in which an order holds goods or brings some.
    pub const OPEN: [TransferStatus; 3] =
        [TransferStatus::Approved, TransferStatus::InTransit, TransferStatus::PartiallyReceived];
}

collection! {
    pub record TransferOrderRow in "transfer_order" {
        number: String,
        number_key: String,
        legal_entity_id: Id,
        from_warehouse_id: Id,
        to_warehouse_id: Id,
        transit_warehouse_id: Option<Id>,
        expected_on: Option<Date>,
        notes: Option<String>,
        status: TransferStatus,
        item_count: i64,
        shipped_at: Option<Instant>,
        closed_at: Option<Instant>,
        cancel_reason: Option<String>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [status, id], [from_warehouse_id, status], [to_warehouse_id, status], [transit_warehouse_id, status] }
    search { number: [number] }
}

collection! {
    /// `line_no` null: taken out of the draft.
    pub record TransferItemRow in "transfer_item" {
        order_id: Id,
        line_no: Option<i64>,
        variant_id: Id,
        tracking: Tracking,
        quantity: Quantity,
        received: Quantity = "0",
        lost: Quantity = "0",
        returned: Quantity = "0",
    }
    unique { variant: [order_id, variant_id] }
    index { [variant_id, order_id] }
    checks { settled: [received >= 0, lost >= 0, returned >= 0] }
    counters [received, lost, returned]
}

text_enum! {
    /// What became of a unit on a transfer order.
    pub enum UnitOutcome {
        Reserved => "RESERVED",
        InTransit => "IN_TRANSIT",
        Received => "RECEIVED",
        Lost => "LOST",
        Returned => "RETURNED",
        Released => "RELEASED",
    }
}

collection! {
    /// A unit chosen for a line. `outcome` is null in a draft; `dropped`: taken out of the draft. `live_slot` is set while the
    /// unit is held by the order or travels on it: it is on one at a time.
    pub record TransferUnitRow in "transfer_unit" {
        order_id: Id,
        item_id: Id,
        unit_id: Id,
        outcome: Option<UnitOutcome>,
        dropped: bool = false,
        live_slot: Option<i64>,
    }
    unique { unit: [item_id, unit_id], live: [unit_id, live_slot] }
    index { [unit_id], [order_id, id] }
}

impl TransferItemRow {
    /// What was sent and has neither arrived, nor been lost, nor come back. None where the figures contradict each other.
    pub fn outstanding(&self) -> Option<Quantity> {
        let settled = self.received.checked_add(self.lost)?.checked_add(self.returned)?;
        self.quantity.checked_sub(settled).filter(|left| !left.is_negative())
    }
}
