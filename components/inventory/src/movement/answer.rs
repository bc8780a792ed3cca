//! Movements as people read them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant};

use crate::movement::row::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::terms::{ActorType, Quantity};
use crate::unit::row::UnitStatus;

/// A movement as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryMovement {
    pub id: Id,
    pub tenant_id: Id,
    pub variant_id: Id,
    pub movement_type: MovementType,
    pub quantity: Quantity,
    pub created_at: Instant,
    pub from_warehouse_id: Option<Id>,
    pub to_warehouse_id: Option<Id>,
    pub reason: String,
    pub reference_type: ReferenceType,
    pub reference_id: Option<Id>,
    pub document_type: Option<DocumentType>,
    pub document_id: Option<Id>,
    pub actor_type: ActorType,
    pub actor_id: String,
    pub request_id: Id,
    pub inventory_unit_id: Option<Id>,
    pub unit_version: Option<i64>,
    pub from_location_id: Option<Id>,
    pub to_location_id: Option<Id>,
    /// Null for who may not read serial numbers.
    pub from_status: Option<UnitStatus>,
    /// Null for who may not read serial numbers.
    pub to_status: Option<UnitStatus>,
    pub purchase_receipt_item_id: Option<Id>,
    pub sale_allocation_id: Option<Id>,
}

impl InventoryMovement {
    /// `with_states`: for readers of serial numbers.
    pub fn of(row: MovementRow, tenant: Id, with_states: bool) -> InventoryMovement {
        InventoryMovement {
            id: row.id,
            tenant_id: tenant,
            variant_id: row.variant_id,
            movement_type: row.movement_type,
            quantity: row.quantity,
            created_at: row.created_at,
            from_warehouse_id: row.from_warehouse_id,
            to_warehouse_id: row.to_warehouse_id,
            reason: row.reason,
            reference_type: row.reference_type,
            reference_id: row.reference_id,
            document_type: row.document_type,
            document_id: row.document_id,
            actor_type: row.actor_type,
            actor_id: row.actor_id,
            request_id: row.request_id,
            inventory_unit_id: row.inventory_unit_id,
            unit_version: row.unit_version,
            from_location_id: row.from_location_id,
            to_location_id: row.to_location_id,
            from_status: row.from_status.filter(|_| with_states),
            to_status: row.to_status.filter(|_| with_states),
            purchase_receipt_item_id: row.purchase_receipt_item_id,
            sale_allocation_id: row.sale_allocation_id,
        }
    }
}
