//! Pricing with quantity tiers: an example of a partner's module that takes the place of a built-in one.
//!
//! It is named `pricing`, so activating it replaces the built-in module. Routes, collections, permissions, events and the
//! service `commerce:pricing/prices` are the built-in module's own, which it has as a library: nothing that integrators or
//! other modules rely on changes, and the rows stay where they are. What it adds is additive:
//!
//! - `GET` and `PUT .../prices/{priceId}/tiers` read and replace the tiers of a price;
//! - `resolvePrice` takes the optional query parameter `quantity` and answers the amount of its tier, and the tiers themselves
//!   as `quantityTiers`, which is there (empty) without any tier too: that is how one sees which module answered.
//!
//! The service's types carry no quantity, so what other modules ask it for is the price of one unit, as before. Swapped out,
//! the tiers stay in their table and come back with the module.

pub mod resolve;
#[cfg(test)]
mod tests;
pub mod tier;
mod verify;

use pricing::{PRICE, PRICE_AT, Pricing, READ, RESOLVE_AT, WRITE};
use stoa_sdk::descriptor::Descriptor;
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Problem, ProvisionOptions, Step, extend, extended_count};

use crate::resolve::{ResolveFor, TieredPrice};
use crate::tier::{PriceTiers, PriceTiersInput, TierRow};

const TIERS_AT: &str = "/tenants/{tenantId}/pricing/price-lists/{listId}/prices/{priceId}/tiers";
const _: () = assert!(TIERS_AT.len() == PRICE_AT.len() + "/tiers".len(), "tiers lie below their price");

#[rustfmt::skip]
const OWN: &[Operation] = &[
    Operation::read(RESOLVE_AT, "resolvePrice", resolve::one).summary("The price in effect")
        .description("Of an active variant under an active and published product, at the instant of the request or at `at`; \
            with `quantity` the amount of the tier that the quantity reaches.")
        .needs(READ).query::<ResolveFor>().answers::<TieredPrice>().problems(&["PRICE_NOT_IN_EFFECT"]),
    Operation::read(TIERS_AT, "getPriceTiers", tier::read).summary("Quantity tiers of a price")
        .needs(READ).answers::<PriceTiers>(),
    Operation::replace(TIERS_AT, "setPriceTiers", tier::set).summary("Replace the quantity tiers of a price")
        .description("All of them at once; none takes the tiers away. They are part of the price: its version moves.")
        .needs(WRITE).body::<PriceTiersInput>().answers::<PriceTiers>().writes(PRICE, &["pricing.price.updated"])
        .problems(&["ARCHIVED"]),
];

const OPERATIONS: [Operation; extended_count(Pricing::OPERATIONS, OWN)] = extend(Pricing::OPERATIONS, OWN);

/// The module.
pub struct Tiers;

impl Module for Tiers {
    const OPERATIONS: &'static [Operation] = &OPERATIONS;

    fn describe() -> Descriptor {
        let mut descriptor = Pricing::describe();
        descriptor.version = env!("CARGO_PKG_VERSION").to_owned();
        descriptor.description = "Price lists, the prices of variants over time, and their quantity tiers.".to_owned();
        descriptor.collections.push(TierRow::collection());
        descriptor
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        Pricing::provision(options)
    }

    fn checklist() -> Vec<Step> {
        Pricing::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

stoa_sdk::export_module!(Tiers);

/// The service, as the built-in module offers it.
#[cfg(target_arch = "wasm32")]
mod service {
    use pricing::prices::Prices;
    pricing::bindings::export!(Prices with_types_in pricing::bindings);
}
