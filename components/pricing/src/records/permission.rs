//! Permissions of people and scopes of API clients, which have the same names.

pub const READ: &[&str] = &["pricing.read"];
pub const WRITE: &[&str] = &["pricing.write"];
/// To read prices with all that the catalog says of what they are for, one must be allowed both.
pub const READ_PRODUCTS: &[&str] = &["catalog.read", "pricing.read"];
