//! Locations, the places in a warehouse where units stand: as they are kept, and as people and API clients read them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, tenant};
use stoa_trade::{Status, archivable};

use crate::records::{EXAMPLE_ID, EXAMPLE_INSTANT};

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
    fixed [code]
}
archivable!(LocationRow);

/// As `gate`, for a location.
pub fn location_gate(location: Id) -> String {
    format!("location:{location}")
}

/// A location as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    tenant_id: Id,
    archived_at: Option<Instant>,
    #[serde(flatten)]
    public: ApiLocation,
}

/// A location.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicLocation")]
pub struct ApiLocation {
    id: Id,
    status: Status,
    created_at: Instant,
    updated_at: Instant,
    warehouse_id: Id,
    code: String,
    name: String,
}

impl From<LocationRow> for Location {
    fn from(row: LocationRow) -> Location {
        Location { tenant_id: tenant(), archived_at: row.archived_at, public: row.into() }
    }
}

impl From<LocationRow> for ApiLocation {
    fn from(row: LocationRow) -> ApiLocation {
        ApiLocation {
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
    Reply::json(&Location::from(row)).of(id, version).subject(warehouse)
}

/// A location was created, renamed, archived.
pub const LOCATION_CREATED: EventKind<ApiLocation> =
    EventKind::new("inventory.location.created", LOCATION, "A location of a warehouse was created.");
pub const LOCATION_UPDATED: EventKind<ApiLocation> =
    EventKind::new("inventory.location.updated", LOCATION, "A location of a warehouse was renamed.");
pub const LOCATION_ARCHIVED: EventKind<ApiLocation> =
    EventKind::new("inventory.location.archived", LOCATION, "A location of a warehouse was archived.");

impl EventData for ApiLocation {
    fn example() -> ApiLocation {
        ApiLocation {
            id: EXAMPLE_ID,
            status: Status::Active,
            created_at: EXAMPLE_INSTANT,
            updated_at: EXAMPLE_INSTANT,
            warehouse_id: EXAMPLE_ID,
            code: "A-01".to_owned(),
            name: "Aisle A, shelf 1".to_owned(),
        }
    }
}
