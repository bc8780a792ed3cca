//! Permissions of people and scopes of API clients, which have the same names.

pub const READ: &[&str] = &["catalog.read"];
pub const WRITE: &[&str] = &["catalog.write"];
