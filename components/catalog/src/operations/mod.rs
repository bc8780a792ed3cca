//! The operations of people and API clients, a noun a file or a folder.

mod import;
mod lookup;
mod media;
mod product;
mod removal;
mod variant;

use stoa_sdk::Operation;

/// Every operation of the catalog.
pub const TABLES: &[&[Operation]] = &[
    lookup::OPERATIONS,
    product::read::OPERATIONS,
    product::change::OPERATIONS,
    variant::read::OPERATIONS,
    variant::change::OPERATIONS,
    variant::find::OPERATIONS,
    media::OPERATIONS,
    import::OPERATIONS,
    removal::OPERATIONS,
];
