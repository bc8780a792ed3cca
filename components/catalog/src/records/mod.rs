//! Records of the catalog: the collections, and what people, API clients and events see of them.

pub mod holding;
pub mod identity;
pub mod lookup;
pub mod media;
pub mod product;
pub mod product_type;
pub mod receipt;
pub mod variant;
