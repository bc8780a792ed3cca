//! Permissions of people and scopes of API clients, which have the same names.

pub const READ: &[&str] = &["template.read"];
pub const WRITE: &[&str] = &["template.write"];
