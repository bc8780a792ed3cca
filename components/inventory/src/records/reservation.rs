//! Reservations and their ledger: as they are kept, as they are read, and the receipts of a write. One is closed once and whole.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply, collection, tenant, text_enum};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::Quantity;
use stoa_trade::resource;

use crate::records::unit::UnitRow;

pub const RESERVATION: &str = "INVENTORY_RESERVATION";

text_enum! {
    /// An ACTIVE reservation becomes CONSUMED when its goods leave, or RELEASED without them. Both are final.
    pub enum ReservationStatus { Active => "ACTIVE", Released => "RELEASED", Consumed => "CONSUMED" }
}

text_enum! {
    /// Source of a reservation. Only MANUAL reservations can be released through the API.
    pub enum ReservationSource { Manual => "MANUAL", SalesOrder => "SALES_ORDER", TransferOrder => "TRANSFER_ORDER" }
}

text_enum! {
    pub enum ReservationStep { Reserve => "RESERVE", Release => "RELEASE", Consume => "CONSUME" }
}

collection! {
    /// `active_unit_id` is the unit while the reservation is ACTIVE: a unit is held once.
    pub record ReservationRow in "reservation" {
        warehouse_id: Id,
        variant_id: Id,
        unit_id: Option<Id>,
        active_unit_id: Option<Id>,
        quantity: Quantity,
        status: ReservationStatus,
        source: ReservationSource,
        document_id: Option<Id>,
        line_id: Option<Id>,
        reference_id: Option<Id>,
        reason: Option<String>,
        movement_id: Option<Id>,
        closed_at: Option<Instant>,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
    unique { active_unit: [active_unit_id] }
    index { [warehouse_id, variant_id, status], [variant_id, id], [document_id], [unit_id], [status, id], [updated_at] }
}

collection! {
    /// Step 1 opens a reservation, step 2 closes it.
    pub ledger ReservationEntryRow in "reservation_entry" {
        reservation_id: Id,
        step: i64,
        kind: ReservationStep,
        quantity: Quantity,
        unit_id: Option<Id>,
        unit_version: Option<i64>,
        movement_id: Option<Id>,
        reason: Option<String>,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
    unique { step: [reservation_id, step] }
    index { [unit_id, id] }
}

resource! {
    /// Goods held for an order, a transfer or by hand.
    pub struct Reservation of row: ReservationRow {
        #[serde(flatten)]
        public: ApiReservation = ApiReservation::from_row(row),
        tenant_id: Id = tenant(),
        inventory_unit_id: Option<Id> = row.unit_id,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
}

resource! {
    /// Goods held for an order, a transfer or by hand, as returned to API clients.
    #[schemars(rename = "PublicReservation")]
    pub struct ApiReservation of row: ReservationRow {
        id: Id,
        variant_id: Id,
        warehouse_id: Id,
        quantity: Quantity,
        status: ReservationStatus,
        source: ReservationSource,
        /// Id of the document for which the goods are held; null for a MANUAL reservation.
        document_id: Option<Id>,
        /// For a MANUAL reservation, an id that the caller stated; else null.
        reference_id: Option<Id>,
        reason: Option<String>,
        /// Id of the movement that consumed it; null before that.
        movement_id: Option<Id>,
        created_at: Instant,
        closed_at: Option<Instant>,
    }
}

resource! {
    /// Receipt of a reservation.
    pub struct ReservationReceipt of row: ReservationRow {
        id: Id,
        variant_id: Id,
        warehouse_id: Id,
        quantity: Quantity,
        status: ReservationStatus,
        created_at: Instant,
        closed_at: Option<Instant>,
    }
}

/// The answer of a write of one reservation of a quantity of a product.
pub fn receipt(row: &ReservationRow, product: Id) -> Reply {
    Reply::json(&ReservationReceipt::from_row(row)).resource(row.id).subject(product)
}

resource! {
    /// Receipt of a hold or release of a unit.
    pub struct InventoryUnitReservationReceipt of row: ReservationRow, unit: &UnitRow {
        id: Id,
        inventory_unit_id: Id = unit.id,
        variant_id: Id = unit.variant_id,
        /// Always 1.000000: a reservation of a unit.
        quantity: Quantity,
        status: ReservationStatus,
        #[schemars(range(min = 1))]
        unit_version: i64 = unit.version,
    }
}

/// Receipt of a release, for a quantity or a unit.
#[allow(dead_code, reason = "its schema is the answer's; each side writes its own receipt")]
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReleaseReceipt {
    Quantity(ReservationReceipt),
    Unit(InventoryUnitReservationReceipt),
}

/// The answer of a write of one reservation of a unit.
pub fn unit_receipt(row: &ReservationRow, unit: &UnitRow) -> Reply {
    Reply::json(&InventoryUnitReservationReceipt::from_row(row, unit)).resource(row.id).subject(unit.product_id)
}
