//! Locations, the places in a warehouse where units are: as they are kept, and as people and API clients read them.

use stoa_sdk::{EventData, Id, Instant, Reply, collection, event_kinds, tenant};
use stoa_trade::life::PublicHead;
use stoa_trade::{Archivable, Status, archivable, resource};

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

resource! {
    /// A location as returned to users.
    pub struct Location of row: LocationRow {
        tenant_id: Id = tenant(),
        archived_at: Option<Instant>,
        #[serde(flatten)]
        public: ApiLocation = ApiLocation::from_row(row),
    }
}

resource! {
    /// A location.
    #[schemars(rename = "PublicLocation")]
    pub struct ApiLocation of row: LocationRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        warehouse_id: Id,
        code: String,
        name: String,
    }
}

pub fn reply(row: &LocationRow) -> Reply {
    Reply::json(&Location::from_row(row)).of(row.id, row.version).subject(row.warehouse_id)
}

event_kinds! { ApiLocation of LOCATION:
    LOCATION_CREATED = "inventory.location.created", "A location of a warehouse was created.";
    LOCATION_UPDATED = "inventory.location.updated", "A location of a warehouse was renamed.";
    LOCATION_ARCHIVED = "inventory.location.archived", "A location of a warehouse was archived.";
}

impl EventData for ApiLocation {
    fn example() -> ApiLocation {
        ApiLocation {
            head: PublicHead::example(EXAMPLE_ID, EXAMPLE_INSTANT),
            warehouse_id: EXAMPLE_ID,
            code: "A-01".to_owned(),
            name: "Aisle A, shelf 1".to_owned(),
        }
    }
}
