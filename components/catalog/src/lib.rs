//! Catalog: products, their variants and media, and the lookups and units they name.

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

use stoa_sdk::{Manifest, Module};
use stoa_trade::points;

use crate::records::{lookup, media, product, variant};

pub struct Catalog;

impl Module for Catalog {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("catalog.read", "Read products, variants, media and lookups."),
            ("catalog.write", "Create, import, change and archive products, variants, media and lookups."),
        ],
        scopes: &[
            ("catalog.read", "Read published products, their variants and media, and active lookups."),
            ("catalog.write", "Create and change products, variants, media and lookups."),
        ],
        events: stoa_sdk::events! {
            lookup::CREATED, lookup::UPDATED, lookup::ARCHIVED, product::CREATED, product::UPDATED, product::ARCHIVED,
            product::DELETED, variant::CREATED, variant::UPDATED, variant::ARCHIVED, media::CREATED, media::UPDATED,
            media::ARCHIVED,
        },
        audit_filters: &[("productId", "Entries of this product and of all its variants, archived variants included.")],
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        points: &[points::VIEWS],
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        ..Manifest::new(
            "catalog",
            env!("CARGO_PKG_VERSION"),
            "Products, variants, media, lookups and units of measure.",
        )
    };
}

stoa_sdk::export_module!(Catalog);
