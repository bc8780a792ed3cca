//! Procurement: suppliers, purchase and import orders, goods receipts, and what the goods of imports cost when they are here.

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
use stoa_trade::points;

/// The module.
pub struct Procurement;

impl Module for Procurement {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("purchases.read", "Read suppliers, purchase orders and goods receipts."),
            ("purchases.create", "Write suppliers, draft orders, receive goods, write shipments and charges."),
            ("purchases.approve", "Approve purchase orders, and cancel approved ones."),
        ],
        scopes: &[
            ("purchases.read", "Read purchase orders and goods receipts."),
            ("purchases.write", "Draft purchase orders, write shipments and, with inventory.write, receive goods."),
            ("suppliers.read", "Read suppliers."),
            ("suppliers.write", "Write suppliers."),
        ],
        events: records::EVENTS,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        points: &[points::NUMBERING],
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        ..Manifest::new("procurement", env!("CARGO_PKG_VERSION"), "Suppliers, purchase orders and goods receipts.")
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        upkeep::upgrade(cursor)
    }
}

stoa_sdk::export_module!(Procurement);
