//! Reservations and their ledger. One is closed once and whole.

use stoa_sdk::{Id, Instant, collection, text_enum};

use crate::terms::{ActorType, Quantity};

text_enum! {
    pub enum ReservationStatus { Active => "ACTIVE", Released => "RELEASED", Consumed => "CONSUMED" }
}

text_enum! {
    /// Only MANUAL ones are released by the public operation.
    pub enum ReservationSource {
        Manual => "MANUAL",
        SalesOrder => "SALES_ORDER",
        TransferOrder => "TRANSFER_ORDER",
    }
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
    index { [warehouse_id, variant_id, status], [variant_id, id], [document_id], [unit_id], [status, id] }
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
