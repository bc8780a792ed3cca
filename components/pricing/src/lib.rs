//! Pricing: price lists and the prices of variants over time.
//!
//! It is a library too: a module that takes its place builds on it (`components/examples/tiers`).

pub mod bindings;
mod examples;
mod item_codes;
pub mod operations;
pub mod records;
pub mod rules;
pub mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
pub mod work;

use stoa_sdk::{Hints, ListHint, Manifest, Module};
use stoa_trade::points;

use crate::records::{price, price_list};

pub struct Pricing;

impl Module for Pricing {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("pricing.read", "Read price lists and prices."),
            ("pricing.write", "Create, change and archive price lists and prices."),
        ],
        scopes: &[
            ("pricing.read", "Read public price lists and the prices in effect."),
            ("pricing.write", "Create, change and archive prices of public lists."),
        ],
        events: stoa_sdk::events! {
            price_list::CREATED, price_list::UPDATED, price_list::ARCHIVED, price::CREATED, price::UPDATED,
            price::ARCHIVED,
        },
        problems: &[
            ("PRICE_NOT_IN_EFFECT", 404, "No price is in effect. Create a price for this list, variant and time."),
            (
                "PRICE_PERIOD_OVERLAP",
                409,
                "An active price covers part of this period. Change the period or archive that price.",
            ),
        ],
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        points: &[points::PRICE_ADJUSTMENT],
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        console: HINTS,
        ..Manifest::new("pricing", env!("CARGO_PKG_VERSION"), "Price lists and the prices of variants over time.")
    };
}

/// How the console names, groups and links the records.
const HINTS: Hints = Hints {
    lists: &[ListHint::new("listPriceLists")
        .title(&["code", "name"])
        .columns(&["code", "name", "currencyCode", "visibility", "status", "updatedAt"])
        .group("Goods")
        .position(20)],
    references: &[],
};

#[cfg(feature = "component")]
stoa_sdk::export_module!(Pricing);
