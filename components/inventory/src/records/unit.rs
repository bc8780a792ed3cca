//! Serial units: their permanent identity, their state and the ledger of its versions; and what is answered of them, whole to
//! readers of serial numbers, a receipt to the user who wrote it.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Answer, Id, Instant, Problem, Reply, collection, tenant, text_enum};
use stoa_trade::document::actor::ActorType;
use stoa_trade::resource;

pub use stoa_trade::goods::{Condition, Grade};
pub use stoa_trade::unit_identity::{IdentityKind, IdentitySlot};

/// Audit name of units.
pub const UNIT: &str = "INVENTORY_UNIT";

text_enum! {
    pub enum UnitStatus {
        Available => "AVAILABLE", Reserved => "RESERVED", Sold => "SOLD", InTransit => "IN_TRANSIT",
        Damaged => "DAMAGED", Returned => "RETURNED", Rma => "RMA", Lost => "LOST", Quarantined => "QUARANTINED",
    }
}

impl UnitStatus {
    /// Returns whether such a unit is in a warehouse.
    pub fn in_custody(self) -> bool {
        !matches!(self, UnitStatus::Sold | UnitStatus::Lost | UnitStatus::Rma)
    }

    /// Returns whether such a unit is worth something: goods in custody that are not damaged.
    pub fn is_valued(self) -> bool {
        self.in_custody() && self != UnitStatus::Damaged
    }
}

collection! {
    /// The record's version is the unit's: every update of a unit is one row of its ledger.
    pub record UnitRow in "unit" {
        variant_id: Id,
        product_id: Id,
        serial_number: Option<String>,
        imei1: Option<String>,
        imei2: Option<String>,
        status: UnitStatus,
        condition: Option<Condition>,
        grade: Option<Grade>,
        legal_entity_id: Id,
        warehouse_id: Option<Id>,
        location_id: Option<Id>,
        reservation_id: Option<Id>,
        transfer_order_id: Option<Id>,
        receipt_item_id: Option<Id>,
        sale_allocation_id: Option<Id>,
        sale_movement_id: Option<Id>,
    }
    index {
        [variant_id, warehouse_id, status, id], [warehouse_id, status], [location_id], [receipt_item_id],
        [sale_allocation_id], [product_id, id],
    }
}

impl UnitRow {
    /// The version of the unit after the change that is collected.
    pub fn next_version(&self) -> i64 {
        self.version + 1
    }
}

collection! {
    /// An identity belongs to one unit for ever. `value_key`: a serial number in lower case, or an IMEI.
    pub ledger UnitIdentityRow in "unit_identity" {
        kind: IdentityKind,
        value_key: String,
        slot: IdentitySlot,
        unit_id: Id,
    }
    unique { value: [kind, value_key], slot: [unit_id, slot] }
}

text_enum! {
    pub enum UnitEvent {
        Created => "CREATED", Moved => "MOVED", Reserved => "RESERVED", Released => "RELEASED", Regraded => "REGRADED",
    }
}

collection! {
    pub ledger UnitEntryRow in "unit_entry" {
        unit_id: Id,
        unit_version: i64,
        event: UnitEvent,
        variant_id: Id,
        movement_id: Option<Id>,
        reservation_id: Option<Id>,
        from_status: Option<UnitStatus>,
        to_status: UnitStatus,
        from_warehouse_id: Option<Id>,
        to_warehouse_id: Option<Id>,
        from_location_id: Option<Id>,
        to_location_id: Option<Id>,
        condition: Option<Condition>,
        grade: Option<Grade>,
        reason: Option<String>,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
    unique { version: [unit_id, unit_version] }
    index { [movement_id] }
}

resource! {
    /// A unit as returned to callers with `inventory.serials.read`.
    pub struct InventoryUnit of row: UnitRow {
        id: Id,
        tenant_id: Id = tenant(),
        variant_id: Id,
        product_id: Id,
        serial_number: Option<String>,
        imei1: Option<String>,
        imei2: Option<String>,
        status: UnitStatus,
        condition: Option<Condition>,
        grade: Option<Grade>,
        #[schemars(range(min = 1))]
        version: i64,
        /// Legal entity that owns the unit, or owned it last.
        legal_entity_id: Id,
        warehouse_id: Option<Id>,
        location_id: Option<Id>,
        reservation_id: Option<Id>,
        transfer_order_id: Option<Id>,
        purchase_receipt_item_id: Option<Id> = row.receipt_item_id,
        sale_allocation_id: Option<Id>,
        created_at: Instant,
        updated_at: Instant,
    }
}

resource! {
    /// Receipt of a change of a unit. It contains no identity, location, owner or cost.
    pub struct InventoryUnitReceipt of record row: UnitRow {
        variant_id: Id,
        status: UnitStatus,
    }
}

/// The receipt of the one unit that was written.
pub fn receipt(rows: Vec<UnitRow>) -> Answer {
    let row = rows.first().ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&InventoryUnitReceipt::from_row(row)).resource(row.id).subject(row.product_id))
}

/// Receipts of the units that a request changed, in the order of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdmittedUnits {
    pub items: Vec<InventoryUnitReceipt>,
}

resource! {
    /// One version of a unit.
    pub struct InventoryUnitEntry of row: UnitEntryRow {
        id: Id,
        #[schemars(range(min = 1))]
        unit_version: i64,
        event: UnitEvent,
        from_status: Option<UnitStatus>,
        to_status: UnitStatus,
        from_warehouse_id: Option<Id>,
        to_warehouse_id: Option<Id>,
        from_location_id: Option<Id>,
        to_location_id: Option<Id>,
        variant_id: Id,
        movement_id: Option<Id>,
        reservation_id: Option<Id>,
        condition: Option<Condition>,
        grade: Option<Grade>,
        reason: Option<String>,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
        created_at: Instant,
    }
}
