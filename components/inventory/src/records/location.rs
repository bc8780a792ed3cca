//! Locations, the places in a warehouse where units stand: as they are kept, and as people and API clients read them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply, collection, facts};

use crate::records::life::Status;

pub const LOCATION: &str = "WAREHOUSE_LOCATION";

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

/// As `gate`, for a location.
pub fn location_gate(location: Id) -> String {
    format!("location:{location}")
}

/// A location as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    tenant_id: Id,
    archived_at: Option<Instant>,
    #[serde(flatten)]
    public: PublicLocation,
}

/// A location.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicLocation {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    warehouse_id: Id,
    code: String,
    name: String,
}

impl Location {
    pub fn of(row: LocationRow, tenant_id: Id) -> Location {
        Location { tenant_id, archived_at: row.archived_at, public: PublicLocation::of(row) }
    }
}

impl PublicLocation {
    pub fn of(row: LocationRow) -> PublicLocation {
        PublicLocation {
            id: row.id,
            status: row.status,
            created_at: row.created_at,
            updated_at: row.updated_at,
            warehouse_id: row.warehouse_id,
            code: row.code,
            name: row.name,
        }
    }
}

pub fn reply(row: LocationRow) -> Reply {
    let (id, version, warehouse) = (row.id, row.version, row.warehouse_id);
    Reply::json(&Location::of(row, facts().tenant.into())).of(id, version).subject(warehouse)
}
