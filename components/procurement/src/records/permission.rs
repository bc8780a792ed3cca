//! Permissions of people and scopes of API clients, as operations name them.

pub const READ: &[&str] = &["purchases.read"];
pub const CREATE: &[&str] = &["purchases.create"];
pub const APPROVE: &[&str] = &["purchases.approve"];
/// A draft is cancelled by who may create, what was approved by who may approve.
pub const CREATE_OR_APPROVE: &[&str] = &["purchases.create", "purchases.approve"];
/// Receiving goods is buying and bringing stock in.
pub const RECEIVE: &[&str] = &["purchases.create", "inventory.adjust"];
/// An order is written, approved and received at once.
pub const BUY: &[&str] = &["purchases.create", "purchases.approve", "inventory.adjust"];
pub const SETTINGS: &[&str] = &["settings.manage"];
pub const CLIENT_READ: &[&str] = &["purchases.read"];
pub const CLIENT_WRITE: &[&str] = &["purchases.write"];
pub const CLIENT_RECEIVE: &[&str] = &["purchases.write", "inventory.write"];
pub const CLIENT_READ_SUPPLIERS: &[&str] = &["suppliers.read"];
pub const CLIENT_WRITE_SUPPLIERS: &[&str] = &["suppliers.write"];

/// May read what goods cost.
pub const COST_READ: &str = "reports.cost.read";
