//! Serial units: their permanent identity, their state and the ledger of its versions.

use stoa_sdk::{Id, collection, text_enum};

use crate::terms::ActorType;

text_enum! {
    pub enum UnitStatus {
        Available => "AVAILABLE",
        Reserved => "RESERVED",
        Sold => "SOLD",
        InTransit => "IN_TRANSIT",
        Damaged => "DAMAGED",
        Returned => "RETURNED",
        Rma => "RMA",
        Lost => "LOST",
        Quarantined => "QUARANTINED",
    }
}

text_enum! {
    pub enum Condition {
        New => "NEW", Used => "USED", Refurbished => "REFURBISHED", OpenBox => "OPEN_BOX", AsIs => "AS_IS",
    }
}

text_enum! {
    pub enum Grade { A => "A", B => "B", C => "C" }
}

impl UnitStatus {
    /// Whether such a unit stands in a warehouse.
    pub fn in_custody(self) -> bool {
        !matches!(self, UnitStatus::Sold | UnitStatus::Lost | UnitStatus::Rma)
    }

    /// Whether such a unit is worth something: goods in custody that are not damaged.
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
        [sale_allocation_id], [product_id, id], [updated_at],
    }
}

text_enum! {
    /// All IMEIs share one space.
    pub enum IdentityKind { Serial => "SERIAL", Imei => "IMEI" }
}

text_enum! {
    pub enum IdentitySlot { SerialNumber => "SERIAL_NUMBER", Imei1 => "IMEI1", Imei2 => "IMEI2" }
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
        Created => "CREATED",
        Moved => "MOVED",
        Reserved => "RESERVED",
        Released => "RELEASED",
        Regraded => "REGRADED",
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
