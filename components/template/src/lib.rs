//! Template: entries with a name and a note. The table below is the whole module.

mod entry;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Page, Problem, ProvisionOptions, Step};

use crate::entry::{EntryRow, ListEntries, TemplateEntry, TemplateEntryInput};

const ENTRIES_AT: &str = "/tenants/{tenantId}/template/entries";
const ENTRY_AT: &str = "/tenants/{tenantId}/template/entries/{id}";

const READ: &[&str] = &["template.read"];
const WRITE: &[&str] = &["template.write"];

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::read(ENTRIES_AT, "listTemplateEntries", entry::list).summary("Entries")
        .needs(READ).query::<ListEntries>().answers::<Page<TemplateEntry>>(),
    Operation::create(ENTRIES_AT, "createTemplateEntry", entry::create).summary("Create an entry")
        .needs(WRITE).body::<TemplateEntryInput>().answers::<TemplateEntry>()
        .writes(entry::AUDIT, &[entry::CREATED]).problems(&["DUPLICATE"]),
    Operation::read(ENTRY_AT, "getTemplateEntry", entry::read).summary("An entry")
        .needs(READ).answers::<TemplateEntry>(),
];

pub struct Template;

impl Module for Template {
    const OPERATIONS: &'static [Operation] = OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "template".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Entries with a name and a note.".to_owned(),
            routes: Vec::new(),
            collections: vec![EntryRow::collection()],
            permissions: vec![named("template.read", "Read entries."), named("template.write", "Create entries.")],
            scopes: Vec::new(),
            events: vec![named(entry::CREATED, "An entry was created.")],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
            schemas: serde_json::Map::new(),
        }
    }

    /// Nothing is there by default.
    fn provision(_options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        Ok(Vec::new())
    }

    /// Nothing must be done before the module can be used.
    fn checklist() -> Vec<Step> {
        Vec::new()
    }

    /// The store's own rules (a unique name) are all there is to keep.
    fn verify(_cursor: Option<String>) -> Findings {
        Findings { findings: Vec::new(), next: None }
    }
}

stoa_sdk::export_module!(Template);
