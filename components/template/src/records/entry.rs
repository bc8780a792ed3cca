//! Entries: a name that is unique in the company, and a note for its people.

use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, tenant};
use stoa_trade::{Caller, resource};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "TEMPLATE_ENTRY";

pub const CREATED: EventKind<ApiTemplateEntry> =
    EventKind::new("template.entry.created", AUDIT, "An entry was created.");

collection! {
    pub record EntryRow in "entry" {
        name: String,
        note: Option<String>,
    }
    unique { name: [name] }
    search { text: [name] }
}

impl EntryRow {
    /// An entry as there may be one: the contract shows it.
    fn example() -> EntryRow {
        EntryRow {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0001),
            version: 1,
            created_at: Instant(1_767_225_600_000),
            updated_at: Instant(1_767_225_600_000),
            name: "First".to_owned(),
            note: None,
        }
    }
}

resource! {
    /// An entry as returned to API clients.
    #[schemars(rename = "TemplatePublicEntry")]
    pub struct ApiTemplateEntry of record row: EntryRow {
        name: String,
    }
}

resource! {
    /// An entry as returned to users.
    pub struct TemplateEntry of row: EntryRow {
        tenant_id: Id = tenant(),
        #[serde(flatten)]
        public: ApiTemplateEntry = ApiTemplateEntry::from_row(row),
        note: Option<String>,
    }
}

impl EventData for ApiTemplateEntry {
    fn example() -> ApiTemplateEntry {
        ApiTemplateEntry::from_row(&EntryRow::example())
    }
}

/// The record as its caller sees it.
pub fn show(row: &EntryRow) -> Reply {
    let reply = Caller::current().show(|| TemplateEntry::from_row(row), || ApiTemplateEntry::from_row(row));
    reply.of(row.id, row.version)
}
