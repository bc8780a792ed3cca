//! Permissions of people and scopes of API clients.

pub const READ: &[&str] = &["inventory.read"];
pub const ADJUST: &[&str] = &["inventory.adjust"];
pub const TRANSFER: &[&str] = &["inventory.transfer"];
pub const READ_UNITS: &[&str] = &["inventory.read", "inventory.serials.read"];
pub const ADJUST_OR_TRANSFER: &[&str] = &["inventory.transfer", "inventory.adjust"];
pub const READ_COSTS: &[&str] = &["reports.cost.read"];
/// Corrections of costs change the worth of stock.
pub const WRITE_COSTS: &[&str] = &["inventory.adjust", "reports.cost.read"];
pub const CLIENT_READ: &[&str] = &["inventory.read"];
pub const CLIENT_WRITE: &[&str] = &["inventory.write"];

/// May read which units there are.
pub const SERIALS_READ: &str = "inventory.serials.read";
