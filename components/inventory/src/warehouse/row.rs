//! Warehouses and their locations as they are kept.

use stoa_sdk::{Id, Instant, collection, text_enum};

use crate::terms::Status;

text_enum! {
    /// PHYSICAL, VIRTUAL and THIRD_PARTY are normal: goods can be reserved and sold there.
    pub enum WarehouseType {
        Physical => "PHYSICAL",
        Virtual => "VIRTUAL",
        InTransit => "IN_TRANSIT",
        ThirdParty => "THIRD_PARTY",
        Quarantine => "QUARANTINE",
    }
}

impl WarehouseType {
    /// Whether goods can be reserved and sold in an active warehouse of this type.
    pub fn is_normal(self) -> bool {
        matches!(self, WarehouseType::Physical | WarehouseType::Virtual | WarehouseType::ThirdParty)
    }
}

collection! {
    pub record WarehouseRow in "warehouse" {
        code: String,
        code_key: String,
        name: String,
        kind: WarehouseType,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code_key] }
    index { [status, id], [legal_entity_id], [branch_id] }
    search { text: [code, name] }
}

collection! {
    pub record LocationRow in "location" {
        warehouse_id: Id,
        code: String,
        code_key: String,
        name: String,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [warehouse_id, code_key] }
    index { [warehouse_id, status, id] }
    search { text: [code, name] }
}

impl WarehouseRow {
    /// Whether goods can be reserved and sold there.
    pub fn is_normal(&self) -> bool {
        self.status == Status::Active && self.kind.is_normal()
    }
}
