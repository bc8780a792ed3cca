//! The ledger: legal entities and their branches, and the double-entry books of those that keep them. Other modules post
//! through its services.

pub mod bindings;
mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
pub mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::{Manifest, Module, Problem};

/// The module.
pub struct Ledger;

impl Module for Ledger {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("reports.cost.read", "Read costs and valuations; with margins, the journal and its reports."),
            ("reports.margin.read", "Read margins; with costs, the journal and its reports."),
        ],
        problems: rules::refusal::CODES,
        onboarding: Some(upkeep::onboarding),
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        ..Manifest::new("ledger", env!("CARGO_PKG_VERSION"), "Legal entities, branches and double-entry books.")
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        upkeep::upgrade(cursor)
    }
}

stoa_sdk::export_module!(Ledger);
