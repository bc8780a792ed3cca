//! Lookups: the brands, categories, manufacturers and units of measure that products name. How they are kept, and what people,
//! API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply, collection, facts, text_enum, view};

use crate::records::Status;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "CATALOG_LOOKUP";

text_enum! {
    /// The kinds as the path spells them.
    pub enum Kind { Brands => "brands", Categories => "categories", Manufacturers => "manufacturers", Units => "units" }
}

collection! {
    pub record LookupRow in "lookup" {
        kind: Kind,
        code: String,
        name: String,
        status: Status,
        archived_at: Option<Instant>,
        /// Of categories.
        parent_id: Option<Id>,
        /// Of categories: the ids from the root to this one, parted by spaces.
        lineage: Option<String>,
        /// Of units.
        decimal_places: Option<i64>,
    }
    unique { code: [kind, code] }
    index { [kind, status, id], [parent_id] }
    search { text: [name, code], lineage: [lineage] }
}

view! {
    /// What a product asks of a lookup that it names.
    pub LookupHead of LookupRow { id: Id, kind: Kind, status: Status }
}

view! {
    /// What a product asks of its unit.
    pub UnitHead of LookupRow { code: String, status: Status, decimal_places: Option<i64> }
}

view! { pub LookupId of LookupRow { id: Id } }

/// Whoever puts a product under a unit shares this name; whoever changes the unit holds it alone.
pub fn unit_lock(code: &str) -> String {
    format!("unit:{code}")
}

/// A lookup or unit as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogLookup {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub name: String,
    pub code: String,
    /// Categories only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Option<Id>>,
    /// Units only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal_places: Option<i64>,
}

impl CatalogLookup {
    pub fn of(row: LookupRow, tenant: Id) -> CatalogLookup {
        CatalogLookup {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: row.name,
            code: row.code,
            parent_id: (row.kind == Kind::Categories).then_some(row.parent_id),
            decimal_places: row.decimal_places,
        }
    }
}

/// The whole record as an answer to a person.
pub fn show(row: LookupRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&CatalogLookup::of(row, facts().tenant.into())).of(id, version)
}

/// A lookup or unit as API clients read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicCatalogLookup<'a> {
    id: Id,
    name: &'a str,
    code: &'a str,
    /// Units only.
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal_places: Option<i64>,
}

impl PublicCatalogLookup<'_> {
    pub fn of(row: &LookupRow) -> PublicCatalogLookup<'_> {
        PublicCatalogLookup { id: row.id, name: &row.name, code: &row.code, decimal_places: row.decimal_places }
    }
}
