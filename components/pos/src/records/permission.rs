//! Permissions of people and scopes of API clients, as `sales-pos.md` 1.4 gives them to acts.

pub const READ: &[&str] = &["sales.read"];
/// Sessions and the cash in them.
pub const SELL: &[&str] = &["sales.create"];
/// Delivers goods at prices.
pub const CHECK_OUT: &[&str] = &["sales.create", "pricing.read", "inventory.adjust"];
pub const SETTINGS: &[&str] = &["settings.manage"];
/// The operator's own permission, or the supervisor's.
pub const CLOSE: &[&str] = &["sales.create", "settings.manage"];
/// Closes another's session.
pub const SUPERVISE: &str = "settings.manage";
