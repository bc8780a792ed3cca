//! What is answered of units: whole to readers of serial numbers, a receipt to whoever wrote one.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, facts};

use crate::reservation::row::{ReservationRow, ReservationStatus};
use crate::terms::{ActorType, Quantity};
use crate::unit::row::{Condition, Grade, UnitEntryRow, UnitEvent, UnitRow, UnitStatus};

/// A unit as readers of serial numbers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryUnit {
    pub id: Id,
    pub tenant_id: Id,
    pub variant_id: Id,
    pub product_id: Id,
    pub serial_number: Option<String>,
    pub imei1: Option<String>,
    pub imei2: Option<String>,
    pub status: UnitStatus,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    #[schemars(range(min = 1))]
    pub version: i64,
    /// Of whoever has it, or had it last.
    pub legal_entity_id: Id,
    pub warehouse_id: Option<Id>,
    pub location_id: Option<Id>,
    pub reservation_id: Option<Id>,
    pub transfer_order_id: Option<Id>,
    pub purchase_receipt_item_id: Option<Id>,
    pub sale_allocation_id: Option<Id>,
    pub created_at: Instant,
    pub updated_at: Instant,
}

impl InventoryUnit {
    pub fn of(row: UnitRow, tenant: Id) -> InventoryUnit {
        InventoryUnit {
            id: row.id,
            tenant_id: tenant,
            variant_id: row.variant_id,
            product_id: row.product_id,
            serial_number: row.serial_number,
            imei1: row.imei1,
            imei2: row.imei2,
            status: row.status,
            condition: row.condition,
            grade: row.grade,
            version: row.version,
            legal_entity_id: row.legal_entity_id,
            warehouse_id: row.warehouse_id,
            location_id: row.location_id,
            reservation_id: row.reservation_id,
            transfer_order_id: row.transfer_order_id,
            purchase_receipt_item_id: row.receipt_item_id,
            sale_allocation_id: row.sale_allocation_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// What a write answers of a unit: never its identities, place, owner or cost.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryUnitReceipt {
    pub id: Id,
    pub variant_id: Id,
    pub status: UnitStatus,
    #[schemars(range(min = 1))]
    pub version: i64,
    pub created_at: Instant,
    pub updated_at: Instant,
}

impl InventoryUnitReceipt {
    pub fn of(row: &UnitRow) -> InventoryUnitReceipt {
        InventoryUnitReceipt {
            id: row.id,
            variant_id: row.variant_id,
            status: row.status,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Receipts of the units that a request made, in its order.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdmittedUnits {
    pub items: Vec<InventoryUnitReceipt>,
}

/// What a hold of a unit, or its release, answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryUnitReservationReceipt {
    pub id: Id,
    pub inventory_unit_id: Id,
    pub variant_id: Id,
    /// Always 1.000000.
    pub quantity: Quantity,
    pub status: ReservationStatus,
    #[schemars(range(min = 1))]
    pub unit_version: i64,
}

impl InventoryUnitReservationReceipt {
    pub fn of(reservation: &ReservationRow, unit: &UnitRow) -> InventoryUnitReservationReceipt {
        InventoryUnitReservationReceipt {
            id: reservation.id,
            inventory_unit_id: unit.id,
            variant_id: unit.variant_id,
            quantity: reservation.quantity,
            status: reservation.status,
            unit_version: unit.version,
        }
    }
}

/// One version of a unit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryUnitEntry {
    pub id: Id,
    #[schemars(range(min = 1))]
    pub unit_version: i64,
    pub event: UnitEvent,
    pub from_status: Option<UnitStatus>,
    pub to_status: UnitStatus,
    pub from_warehouse_id: Option<Id>,
    pub to_warehouse_id: Option<Id>,
    pub from_location_id: Option<Id>,
    pub to_location_id: Option<Id>,
    pub variant_id: Id,
    pub movement_id: Option<Id>,
    pub reservation_id: Option<Id>,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub reason: Option<String>,
    pub actor_type: ActorType,
    pub actor_id: String,
    pub request_id: Id,
    pub created_at: Instant,
}

impl InventoryUnitEntry {
    pub fn of(row: UnitEntryRow) -> InventoryUnitEntry {
        InventoryUnitEntry {
            id: row.id,
            unit_version: row.unit_version,
            event: row.event,
            from_status: row.from_status,
            to_status: row.to_status,
            from_warehouse_id: row.from_warehouse_id,
            to_warehouse_id: row.to_warehouse_id,
            from_location_id: row.from_location_id,
            to_location_id: row.to_location_id,
            variant_id: row.variant_id,
            movement_id: row.movement_id,
            reservation_id: row.reservation_id,
            condition: row.condition,
            grade: row.grade,
            reason: row.reason,
            actor_type: row.actor_type,
            actor_id: row.actor_id,
            request_id: row.request_id,
            created_at: row.created_at,
        }
    }
}

/// The tenant of the request, as answers show it.
pub fn tenant() -> Id {
    facts().tenant.into()
}
