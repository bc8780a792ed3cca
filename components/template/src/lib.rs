//! Template: entries with a name and a note.

mod operations;
mod records;
#[cfg(test)]
mod tests;

use stoa_sdk::{Manifest, Module};

use crate::records::entry;

pub struct Template;

impl Module for Template {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[("template.read", "Read entries."), ("template.write", "Create entries.")],
        scopes: &[("template.read", "Read entries without their notes.")],
        events: &[entry::CREATED.declare()],
        examples: &[("createTemplateEntry", include_str!("../examples/create.json"))],
        ..Manifest::new("template", env!("CARGO_PKG_VERSION"), "Entries with a name and a note.")
    };
}

stoa_sdk::export_module!(Template);
