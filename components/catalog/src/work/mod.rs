//! Work that several operations share.

pub mod category;
pub mod holdings;
pub mod lookup;
pub mod parts;
pub mod product;
pub mod references;
