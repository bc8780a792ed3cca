//! Permissions of people and scopes of API clients, as `sales-pos.md` 1.4 gives them to acts.

pub const READ_CUSTOMERS: &[&str] = &["customers.read"];
pub const WRITE_CUSTOMERS: &[&str] = &["customers.write"];

pub const READ: &[&str] = &["sales.read"];
/// Drafts are priced.
pub const DRAFT: &[&str] = &["sales.create", "pricing.read"];
pub const CREATE: &[&str] = &["sales.create"];
pub const CANCEL: &[&str] = &["sales.cancel"];
/// Confirming reads prices and holds stock.
pub const CONFIRM: &[&str] = &["sales.create", "pricing.read", "inventory.adjust"];
pub const MOVE_GOODS: &[&str] = &["sales.create", "inventory.adjust"];

pub const CLIENT_DRAFT: &[&str] = &["sales.write", "pricing.read"];
pub const CLIENT_WRITE: &[&str] = &["sales.write"];
pub const CLIENT_CONFIRM: &[&str] = &["sales.write", "pricing.read", "inventory.write"];
pub const CLIENT_MOVE_GOODS: &[&str] = &["sales.write", "inventory.write"];

/// One of these is enough (decisions.md B8). `purchases.read` is a scope of procurement.
pub const CLIENT_READ_ORDER: &[&str] = &["sales.read", "purchases.read"];
