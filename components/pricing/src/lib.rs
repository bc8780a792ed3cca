//! Pricing: price lists and the prices of variants over time.
//!
//! It is a library too: a module that takes its place builds on it (`components/examples/tiers`).

pub mod bindings;
pub mod operations;
pub mod records;
pub mod rules;
pub mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
pub mod work;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step, count, join};

use crate::operations::{price, price_change, price_list, resolve, schedule};
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;

const PARTS: &[&[Operation]] =
    &[price_list::OPERATIONS, price::OPERATIONS, price_change::OPERATIONS, schedule::OPERATIONS, resolve::OPERATIONS];

const OPERATIONS: [Operation; count(PARTS)] = join(PARTS);

pub struct Pricing;

impl Module for Pricing {
    const OPERATIONS: &'static [Operation] = &OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "pricing".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Price lists and the prices of variants over time.".to_owned(),
            routes: Vec::new(),
            collections: vec![ListRow::collection(), PriceRow::collection()],
            permissions: vec![
                named("pricing.read", "Read price lists and prices."),
                named("pricing.write", "Create, change and archive price lists and prices."),
            ],
            scopes: vec![
                named("pricing.read", "Read public price lists and the prices in effect."),
                named("pricing.write", "Create, change and archive prices of public lists."),
            ],
            events: vec![
                named("pricing.list.created", "A price list was created."),
                named("pricing.list.updated", "A price list was replaced."),
                named("pricing.list.archived", "A price list was archived."),
                named("pricing.price.created", "A price was created."),
                named("pricing.price.updated", "A price was changed."),
                named("pricing.price.archived", "A price was archived."),
            ],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: Vec::new(),
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

#[cfg(feature = "component")]
stoa_sdk::export_module!(Pricing);
