//! Reservations as people and API clients read them, and the receipts of a write.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply};

use super::row::{ReservationRow, ReservationSource, ReservationStatus};
use crate::terms::{ActorType, Quantity};
use crate::unit::answer::InventoryUnitReservationReceipt;

/// Goods held for somebody.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reservation {
    id: Id,
    tenant_id: Id,
    variant_id: Id,
    warehouse_id: Id,
    inventory_unit_id: Option<Id>,
    quantity: Quantity,
    status: ReservationStatus,
    source: ReservationSource,
    /// Of the source.
    document_id: Option<Id>,
    /// Of a MANUAL one: the caller's own.
    reference_id: Option<Id>,
    reason: Option<String>,
    /// The movement that consumed it.
    movement_id: Option<Id>,
    created_at: Instant,
    closed_at: Option<Instant>,
    actor_type: ActorType,
    actor_id: String,
    request_id: Id,
}

impl Reservation {
    pub fn of(row: ReservationRow, tenant_id: Id) -> Reservation {
        Reservation {
            id: row.id,
            tenant_id,
            variant_id: row.variant_id,
            warehouse_id: row.warehouse_id,
            inventory_unit_id: row.unit_id,
            quantity: row.quantity,
            status: row.status,
            source: row.source,
            document_id: row.document_id,
            reference_id: row.reference_id,
            reason: row.reason,
            movement_id: row.movement_id,
            created_at: row.created_at,
            closed_at: row.closed_at,
            actor_type: row.actor_type,
            actor_id: row.actor_id,
            request_id: row.request_id,
        }
    }
}

/// Goods held for somebody, as API clients read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicReservation {
    id: Id,
    variant_id: Id,
    warehouse_id: Id,
    quantity: Quantity,
    status: ReservationStatus,
    source: ReservationSource,
    /// Of the source.
    document_id: Option<Id>,
    /// Of a MANUAL one: the caller's own.
    reference_id: Option<Id>,
    reason: Option<String>,
    /// The movement that consumed it.
    movement_id: Option<Id>,
    created_at: Instant,
    closed_at: Option<Instant>,
}

impl PublicReservation {
    pub fn of(row: ReservationRow) -> PublicReservation {
        PublicReservation {
            id: row.id,
            variant_id: row.variant_id,
            warehouse_id: row.warehouse_id,
            quantity: row.quantity,
            status: row.status,
            source: row.source,
            document_id: row.document_id,
            reference_id: row.reference_id,
            reason: row.reason,
            movement_id: row.movement_id,
            created_at: row.created_at,
            closed_at: row.closed_at,
        }
    }
}

/// What a write of a reservation answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReservationReceipt {
    id: Id,
    variant_id: Id,
    warehouse_id: Id,
    quantity: Quantity,
    status: ReservationStatus,
    created_at: Instant,
    closed_at: Option<Instant>,
}

/// What a release answers: of a quantity, or of a unit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReleaseReceipt {
    Quantity(ReservationReceipt),
    Unit(InventoryUnitReservationReceipt),
}

/// The answer of a write of one reservation of a quantity.
pub fn receipt(row: &ReservationRow) -> Reply {
    let receipt = ReservationReceipt {
        id: row.id,
        variant_id: row.variant_id,
        warehouse_id: row.warehouse_id,
        quantity: row.quantity,
        status: row.status,
        created_at: row.created_at,
        closed_at: row.closed_at,
    };
    Reply::json(&receipt).resource(row.id).subject(row.variant_id)
}
