//! Catalog: products, their variants and media, and the lookups and units they name.

pub mod bindings;
mod operations;
mod records;
mod rules;
pub mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step, count, join};

use crate::operations::{import, lookup, media, product, product_change, variant, variant_change, variant_find};
use crate::records::lookup::LookupRow;
use crate::records::media::MediaRow;
use crate::records::product::ProductRow;
use crate::records::variant::VariantRow;

const PARTS: &[&[Operation]] = &[
    lookup::OPERATIONS,
    product::OPERATIONS,
    product_change::OPERATIONS,
    variant::OPERATIONS,
    variant_change::OPERATIONS,
    variant_find::OPERATIONS,
    media::OPERATIONS,
    import::OPERATIONS,
];

const OPERATIONS: [Operation; count(PARTS)] = join(PARTS);

pub struct Catalog;

impl Module for Catalog {
    const OPERATIONS: &'static [Operation] = &OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "catalog".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Products, variants, media, lookups and units of measure.".to_owned(),
            routes: Vec::new(),
            collections: vec![
                LookupRow::collection(),
                ProductRow::collection(),
                VariantRow::collection(),
                MediaRow::collection(),
            ],
            permissions: vec![
                named("catalog.read", "Read products, variants, media and lookups."),
                named("catalog.write", "Create, import, change and archive products, variants, media and lookups."),
            ],
            scopes: vec![
                named("catalog.read", "Read published products, their variants and media, and active lookups."),
                named("catalog.write", "Create and change products, variants, media and lookups."),
            ],
            events: vec![
                named("catalog.lookup.created", "A lookup or unit was created."),
                named("catalog.lookup.updated", "A lookup or unit was replaced."),
                named("catalog.lookup.archived", "A lookup or unit was archived."),
                named("catalog.product.created", "A product was created."),
                named("catalog.product.updated", "A product was changed."),
                named("catalog.product.archived", "A product was archived."),
                named("catalog.product.deleted", "A product that was never used was deleted."),
                named("catalog.variant.created", "A variant was created."),
                named("catalog.variant.updated", "A variant was replaced."),
                named("catalog.variant.archived", "A variant was archived."),
                named("catalog.media.created", "Media were added to a product."),
                named("catalog.media.updated", "Media were replaced."),
                named("catalog.media.archived", "Media were archived."),
            ],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: vec![named(
                "productId",
                "Entries of this product and of all its variants, archived ones too.",
            )],
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        upkeep::provision(options)
    }

    fn checklist() -> Vec<Step> {
        upkeep::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

stoa_sdk::export_module!(Catalog);
