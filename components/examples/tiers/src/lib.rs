//! Pricing with quantity tiers: an example of a partner's module that takes the place of a built-in one.
//!
//! It is named `pricing`, so activating it replaces the built-in module. Routes, collections, permissions, events and the
//! services `commerce:pricing/prices` and `commerce:pricing/offers` are the built-in module's own, which it has as a library:
//! nothing that integrators or other modules rely on changes, and the rows stay where they are. Its changes are additive:
//!
//! - `GET` and `PUT .../prices/{priceId}/tiers` read and replace the tiers of a price;
//! - `resolvePrice` takes the optional query parameter `quantity` and answers the amount of its tier, and the tiers themselves
//!   as `quantityTiers`, which is there (empty) without any tier too: that is how one sees which module answered.
//!
//! The services are the built-in module's: other modules ask them for the price of one unit without tiers, as before.
//! Extensions adjust the amount of the tier where `resolvePrice` is asked. Swapped out, the tiers stay in their table and come
//! back with the module.

pub mod operations;
pub mod records;
pub mod rules;
#[cfg(test)]
mod tests;
mod verify;

use pricing::Pricing;
use pricing::operations as built_in;
use pricing::records::price::PriceRow;
use pricing::records::price_list::ListRow;
use stoa_sdk::{Entity, Manifest, Module};

use crate::records::tier::TierRow;

/// The module.
pub struct Tiers;

impl Module for Tiers {
    const MANIFEST: Manifest = Manifest {
        version: env!("CARGO_PKG_VERSION"),
        description: "Price lists, the prices of variants over time, and their quantity tiers.",
        // Those of the built-in module show answers without tiers.
        examples: &[],
        // The first of two operations of one name counts.
        operations: &[
            operations::resolve::OPERATIONS,
            operations::tier::OPERATIONS,
            built_in::price_list::OPERATIONS,
            built_in::price::read::OPERATIONS,
            built_in::price::removal::OPERATIONS,
            built_in::price::change::OPERATIONS,
            built_in::price::schedule::OPERATIONS,
            built_in::price::resolve::OPERATIONS,
            built_in::priced_product::OPERATIONS,
        ],
        collections: &[ListRow::collection, PriceRow::collection, TierRow::collection],
        verify: verify::verify,
        ..Pricing::MANIFEST
    };
}

stoa_sdk::export_module!(Tiers);

/// The service, as the built-in module offers it.
#[cfg(target_arch = "wasm32")]
mod service {
    use pricing::services::prices::Prices;
    pricing::bindings::export!(Prices with_types_in pricing::bindings);
}
