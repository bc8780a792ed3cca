//! Warehouses as they are kept, and as people and API clients read them.

use stoa_sdk::{EventData, Id, Instant, Reply, collection, event_kinds, tenant, text_enum};
use stoa_trade::life::PublicHead;
use stoa_trade::{Archivable, Status, archivable, resource};

use crate::records::{EXAMPLE_ID, EXAMPLE_INSTANT};

pub const WAREHOUSE: &str = "WAREHOUSE";

text_enum! {
    /// PHYSICAL, VIRTUAL and THIRD_PARTY warehouses allow reservations and sales.
    pub enum WarehouseType {
        Physical => "PHYSICAL", Virtual => "VIRTUAL", InTransit => "IN_TRANSIT", ThirdParty => "THIRD_PARTY",
        Quarantine => "QUARANTINE",
    }
}

impl WarehouseType {
    /// Returns whether goods can be reserved and sold in an active warehouse of this type.
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
    fixed [code, kind, legal_entity_id, branch_id]
    members { kind: "type" }
}
archivable!(WarehouseRow);

impl WarehouseRow {
    /// Returns whether goods can be reserved and sold there.
    pub fn is_normal(&self) -> bool {
        self.status == Status::Active && self.kind.is_normal()
    }
}

/// The name of a warehouse's lock: requests that bring goods in hold it shared, the one that archives holds it exclusively.
pub fn gate(warehouse: Id) -> String {
    format!("warehouse:{warehouse}")
}

resource! {
    /// A warehouse as returned to users.
    pub struct Warehouse of row: WarehouseRow {
        tenant_id: Id = tenant(),
        archived_at: Option<Instant>,
        #[serde(flatten)]
        public: ApiWarehouse = ApiWarehouse::from_row(row),
    }
}

resource! {
    /// A warehouse.
    #[schemars(rename = "PublicWarehouse")]
    pub struct ApiWarehouse of row: WarehouseRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        code: String,
        name: String,
        #[serde(rename = "type")]
        kind: WarehouseType,
        legal_entity_id: Id,
        branch_id: Option<Id>,
    }
}

pub fn reply(row: &WarehouseRow) -> Reply {
    Reply::json(&Warehouse::from_row(row)).of(row.id, row.version)
}

event_kinds! { ApiWarehouse of WAREHOUSE:
    WAREHOUSE_CREATED = "inventory.warehouse.created", "A warehouse was created.";
    WAREHOUSE_UPDATED = "inventory.warehouse.updated", "A warehouse was renamed.";
    WAREHOUSE_ARCHIVED = "inventory.warehouse.archived", "A warehouse was archived.";
}

impl EventData for ApiWarehouse {
    fn example() -> ApiWarehouse {
        ApiWarehouse {
            head: PublicHead::example(EXAMPLE_ID, EXAMPLE_INSTANT),
            code: "MAIN".to_owned(),
            name: "Main warehouse".to_owned(),
            kind: WarehouseType::Physical,
            legal_entity_id: EXAMPLE_ID,
            branch_id: None,
        }
    }
}
