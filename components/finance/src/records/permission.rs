//! Permissions of people and scopes of API clients, as `finance-ledger.md` B1 gives them to acts.

/// Which permissions acts of a side need.
pub struct Rights {
    pub read: &'static [&'static str],
    /// Draft, edit, issue, pay, confirm a payment, apply.
    pub write: &'static [&'static str],
    /// Recognise, refund, void, reverse.
    pub settle: &'static [&'static str],
}

pub const SALES: Rights = Rights { read: &["sales.read"], write: &["sales.create"], settle: &["sales.cancel"] };
pub const PURCHASES: Rights =
    Rights { read: &["purchases.read"], write: &["purchases.create"], settle: &["purchases.approve"] };

/// Delivering goods with an invoice.
pub const CONFIRM_SALE: &[&str] = &["sales.create", "pricing.read", "inventory.adjust"];
/// Receiving goods with an invoice.
pub const CONFIRM_PURCHASE: &[&str] = &["purchases.create", "purchases.approve", "inventory.adjust"];
/// Sending goods back.
pub const SHIP_RETURN: &[&str] = &["purchases.create", "inventory.adjust"];
pub const SETTINGS: &[&str] = &["settings.manage"];

/// Permissions to read the debts of customers.
pub const READ_CUSTOMER: &[&str] = &["sales.read", "customers.read"];
pub const MARGIN: &[&str] = &["reports.margin.read", "sales.read"];
pub const COST: &[&str] = &["reports.cost.read", "inventory.read"];
pub const CASH: &[&str] = &["sales.read", "purchases.read"];
pub const FIGURES: &[&str] = &["reports.cost.read", "reports.margin.read"];

/// A draft that is issued and recognised at once needs both.
pub const CREATE_SALE: &str = "sales.create";
