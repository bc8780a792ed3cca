//! Lookups: the brands, categories, manufacturers and units of measure that products name. How they are kept, and what people,
//! API clients and events see of them.

use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, text_enum, view};
use stoa_trade::life::Head;
use stoa_trade::{Archivable, Identity, Status, archivable, resource};

use crate::records::identity::{EXAMPLE_TIME, example_id};
use crate::records::receipt::show_written;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_LOOKUP";

pub const CREATED: EventKind<ApiCatalogLookup> =
    EventKind::new("catalog.lookup.created", AUDIT, "A lookup or unit was created.");
pub const UPDATED: EventKind<ApiCatalogLookup> =
    EventKind::new("catalog.lookup.updated", AUDIT, "A lookup or unit was replaced.");
pub const ARCHIVED: EventKind<Identity> =
    EventKind::new("catalog.lookup.archived", AUDIT, "A lookup or unit was archived.");

text_enum! {
    /// Kind of a lookup, as in the path.
    pub enum Kind { Brands => "brands", Categories => "categories", Manufacturers => "manufacturers", Units => "units" }
}

collection! {
    pub record LookupRow in "lookup" {
        kind: Kind,
        code: String,
        name: String,
        status: Status,
        archived_at: Option<Instant>,
        /// The parent of a category.
        parent_id: Option<Id>,
        /// The lineage of a category: the ids from the root to this one, separated by spaces.
        lineage: Option<String>,
        /// The decimal places of a unit.
        decimal_places: Option<i64>,
    }
    unique { code: [kind, code] }
    index { [kind, status, id], [parent_id] }
    search { text: [name, code], lineage: [lineage] }
    fixed [kind, code]
    members { lineage: "parentId" }
}
archivable!(LookupRow);

impl LookupRow {
    /// A unit as there may be one: what the contract shows, and what tests begin with.
    pub fn example() -> LookupRow {
        LookupRow {
            id: example_id(4),
            version: 1,
            created_at: EXAMPLE_TIME,
            updated_at: EXAMPLE_TIME,
            kind: Kind::Units,
            code: "KG".to_owned(),
            name: "Kilogram".to_owned(),
            status: Status::Active,
            archived_at: None,
            parent_id: None,
            lineage: None,
            decimal_places: Some(3),
        }
    }
}

view! {
    /// The columns of a lookup that a product which names it is checked against.
    pub LookupHead of LookupRow { id: Id, kind: Kind, status: Status }
}

view! {
    /// The columns of a unit that its products are checked against.
    pub UnitHead of LookupRow { code: String, status: Status, decimal_places: Option<i64> }
}

view! { pub LookupId of LookupRow { id: Id } }

/// A write that puts a product under a unit holds this name shared; one that changes the unit holds it exclusively.
pub fn unit_lock(code: &str) -> String {
    format!("unit:{code}")
}

resource! {
    /// A lookup or unit of measure as returned to users.
    pub struct CatalogLookup of row: LookupRow {
        #[serde(flatten)]
        head: Head = row.head(),
        name: String,
        code: String,
        /// Categories only: id of the parent category; null at the top level.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_id: Option<Option<Id>> = (row.kind == Kind::Categories).then_some(row.parent_id),
        /// Only for units of measure.
        #[serde(skip_serializing_if = "Option::is_none")]
        decimal_places: Option<i64>,
    }
}

/// The record as an answer: API clients read lookups only in lists.
pub fn show(row: &LookupRow) -> Reply {
    show_written(row, CatalogLookup::from_row)
}

resource! {
    /// A lookup or unit of measure as returned to API clients.
    #[schemars(rename = "PublicCatalogLookup")]
    pub struct ApiCatalogLookup of row: LookupRow {
        id: Id,
        name: String,
        code: String,
        /// Only for units of measure.
        #[serde(skip_serializing_if = "Option::is_none")]
        decimal_places: Option<i64>,
    }
}

impl EventData for ApiCatalogLookup {
    fn example() -> ApiCatalogLookup {
        ApiCatalogLookup::from_row(&LookupRow::example())
    }
}
