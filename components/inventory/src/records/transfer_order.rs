//! Transfer orders: as they are kept, and as they are answered, to people whole, and without tenant and units to API clients.

use stoa_sdk::{Date, Id, Instant, Reply, collection, text_enum};
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::{resource, with_lines};

use crate::records::unit::{UnitRow, UnitStatus};

/// Audit name of transfer orders.
pub const ORDER: &str = "TRANSFER_ORDER";

text_enum! {
    /// DRAFT, APPROVED, IN_TRANSIT, PARTIALLY_RECEIVED and RECEIVED follow in this order; APPROVED and PARTIALLY_RECEIVED may
    /// be skipped. An order can become CANCELLED until its first receipt. RECEIVED and CANCELLED are final.
    pub enum TransferStatus {
        Draft => "DRAFT", Approved => "APPROVED", InTransit => "IN_TRANSIT", PartiallyReceived => "PARTIALLY_RECEIVED",
        Received => "RECEIVED", Cancelled => "CANCELLED",
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
    index {
        [status, id], [from_warehouse_id, status], [to_warehouse_id, status], [transit_warehouse_id, status], [updated_at],
    }
    search { number: [number] }
    fixed [number, from_warehouse_id]
    members { item_count: "items" }
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
    /// The state of a unit on a transfer order.
    pub enum UnitOutcome {
        Reserved => "RESERVED", InTransit => "IN_TRANSIT", Received => "RECEIVED", Lost => "LOST",
        Returned => "RETURNED", Released => "RELEASED",
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
    /// The quantity that was sent and has neither arrived, nor been lost, nor come back. None where the figures
    /// contradict each other.
    pub fn left_to_receive(&self) -> Option<Quantity> {
        let settled = self.received.checked_add(self.lost)?.checked_add(self.returned)?;
        self.quantity.checked_sub(settled).filter(|left| !left.is_negative())
    }

    /// The quantity that an order of this status still awaits.
    fn left_in(&self, status: TransferStatus) -> Quantity {
        self.left_to_receive().filter(|_| status != TransferStatus::Cancelled).unwrap_or(Quantity::ZERO)
    }
}

resource! {
    /// Receipt of a write.
    pub struct TransferOrderReceipt of record row: TransferOrderRow {
        status: TransferStatus,
    }
}

resource! {
    /// A transfer order in a list.
    pub struct TransferOrderHeader of row: TransferOrderRow, tenant: Option<Id> {
        id: Id,
        /// Present for users only.
        #[serde(skip_serializing_if = "Option::is_none")]
        tenant_id: Option<Id> = tenant,
        number: String,
        status: TransferStatus,
        #[schemars(range(min = 1))]
        version: i64,
        legal_entity_id: Id,
        from_warehouse_id: Id,
        to_warehouse_id: Id,
        transit_warehouse_id: Option<Id>,
        expected_on: Option<Date>,
        notes: Option<String>,
        item_count: i64,
        shipped_at: Option<Instant>,
        closed_at: Option<Instant>,
        cancel_reason: Option<String>,
        created_at: Instant,
        updated_at: Instant,
    }
}

with_lines! {
    /// A transfer order with its lines.
    pub struct TransferOrder of row: TransferOrderRow, tenant: Option<Id> => TransferOrderHeader, items: [TransferItem];
}

resource! {
    /// A line. Its quantity is the sum of received, lost, returned and outstanding quantity. A cancelled order has no outstanding
    /// quantity.
    pub struct TransferItem of row: TransferItemRow, status: TransferStatus, count: usize,
        units: Option<Vec<TransferUnit>>
    {
        id: Id,
        variant_id: Id,
        tracking_mode: Tracking = row.tracking,
        quantity: Quantity,
        received_quantity: Quantity = row.received,
        lost_quantity: Quantity = row.lost,
        returned_quantity: Quantity = row.returned,
        outstanding_quantity: Quantity = row.left_in(status),
        /// Number of units chosen for the line.
        unit_count: i64 = i64::try_from(count).unwrap_or(i64::MAX),
        /// Present only for callers with `inventory.serials.read`.
        #[serde(skip_serializing_if = "Option::is_none")]
        units: Option<Vec<TransferUnit>> = units,
    }
}

resource! {
    /// A unit of a line with its current state.
    pub struct TransferUnit of chosen: TransferUnitRow, unit: &UnitRow {
        unit_id: Id,
        /// Null on a draft.
        outcome: Option<UnitOutcome>,
        serial_number: Option<String> = unit.serial_number.clone(),
        imei1: Option<String> = unit.imei1.clone(),
        imei2: Option<String> = unit.imei2.clone(),
        status: UnitStatus = unit.status,
    }
}

/// The receipt of a write.
pub fn receipt(order: &TransferOrderRow) -> Reply {
    Reply::json(&TransferOrderReceipt::from_row(order)).resource(order.id)
}
