//! The operations of people and API clients. Each file begins with its table.

pub mod import;
pub mod lookup;
pub mod media;
pub mod product;
pub mod product_change;
pub mod variant;
pub mod variant_change;
pub mod variant_find;
