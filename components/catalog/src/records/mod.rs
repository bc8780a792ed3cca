//! Records of the catalog: the collections, and what people, API clients and events see of them.

pub mod holding;
pub mod identity;
pub mod lookup;
pub mod media;
pub mod permission;
pub mod product;
pub mod product_type;
pub mod receipt;
pub mod removal;
pub mod variant;

use stoa_sdk::collections;
use stoa_sdk::descriptor::Collection;

/// Every collection of the catalog.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    lookup::LookupRow, product::ProductRow, variant::VariantRow, media::MediaRow, holding::HoldingRow,
};
