//! Records of the catalog: the collections, and what people, API clients and events see of them.

pub mod holding;
pub mod identity;
pub mod lookup;
pub mod media;
pub mod permission;
pub mod product;
pub mod product_type;
pub mod receipt;
pub mod variant;

use stoa_sdk::Entity;
use stoa_sdk::descriptor::Collection;

/// Every collection of the catalog.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    lookup::LookupRow::collection,
    product::ProductRow::collection,
    variant::VariantRow::collection,
    media::MediaRow::collection,
    holding::HoldingRow::collection,
];
