//! Entries: a name that is unique in the company, and a note.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, tenant};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "TEMPLATE_ENTRY";

pub const CREATED: EventKind<TemplateEntry> = EventKind::new("template.entry.created", AUDIT, "An entry was created.");

collection! {
    pub record EntryRow in "entry" {
        name: String,
        note: Option<String>,
    }
    unique { name: [name] }
    search { text: [name] }
}

/// An entry as people read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateEntry {
    id: Id,
    tenant_id: Id,
    created_at: Instant,
    updated_at: Instant,
    name: String,
    note: Option<String>,
}

impl From<EntryRow> for TemplateEntry {
    fn from(row: EntryRow) -> TemplateEntry {
        TemplateEntry {
            id: row.id,
            tenant_id: tenant(),
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: row.name,
            note: row.note,
        }
    }
}

impl EventData for TemplateEntry {
    fn example() -> TemplateEntry {
        TemplateEntry {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0001),
            tenant_id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0000),
            created_at: Instant(1_767_225_600_000),
            updated_at: Instant(1_767_225_600_000),
            name: "First".to_owned(),
            note: None,
        }
    }
}

/// The whole record as an answer.
pub fn show(row: EntryRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&TemplateEntry::from(row)).of(id, version)
}
