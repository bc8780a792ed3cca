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

use stoa_sdk::{Hints, ListHint, Manifest, Module, Problem, ReferenceHint};

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
        console: HINTS,
        ..Manifest::new("ledger", env!("CARGO_PKG_VERSION"), "Legal entities, branches and double-entry books.")
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        upkeep::upgrade(cursor)
    }
}

/// How the console names, groups and links the records.
const HINTS: Hints = Hints {
    lists: &[
        ListHint::new("listLegalEntities")
            .title(&["code", "name"])
            .columns(&["code", "name", "status", "currencyCode", "countryCode", "keepsBooks", "booksStartOn"])
            .group("Books")
            .position(80),
        ListHint::new("listBranches")
            .title(&["code", "name"])
            .columns(&["code", "name", "status", "legalEntityId"])
            .group("Books")
            .position(81),
        ListHint::new("listAccounts")
            .title(&["code", "name"])
            .columns(&["code", "name", "type", "status", "postable", "controlRole", "legalEntityId"])
            .group("Books")
            .position(82),
        ListHint::new("listMoneyAccounts")
            .title(&["code", "name"])
            .columns(&["code", "name", "kind", "status", "till", "accountId", "legalEntityId"])
            .group("Books")
            .position(83),
        ListHint::new("listJournalEntries")
            .title(&["entryDate", "description"])
            .columns(&["entryDate", "description", "purpose", "total", "currencyCode", "reference", "createdAt"])
            .group("Books")
            .position(84),
        ListHint::new("listPostingRoles")
            .title(&["role"])
            .columns(&["role", "description", "control"])
            .group("Books")
            .position(85),
        ListHint::new("getGeneralLedger").group("Books").position(86),
    ],
    references: &[
        ReferenceHint::new("moneyAccountId", "listMoneyAccounts"),
        ReferenceHint::new("cashAccountId", "listMoneyAccounts"),
        ReferenceHint::new("entryId", "listJournalEntries"),
        ReferenceHint::new("reversalOfId", "listJournalEntries"),
        ReferenceHint::new("reversedById", "listJournalEntries"),
    ],
};

stoa_sdk::export_module!(Ledger);
