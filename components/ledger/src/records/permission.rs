//! Permissions of people, as `finance-ledger.md` A1 gives them to acts.

use stoa_sdk::Operation;

/// Changes the set-up of the books, and writes in them.
pub const SETTINGS: &[&str] = &["settings.manage"];
/// The journal shows costs and margins.
pub const FIGURES: &[&str] = &["reports.cost.read", "reports.margin.read"];
/// API clients that read the catalog name entities and branches in what they write.
pub const CLIENT_READ: &[&str] = &["catalog.read"];

/// A read that shows amounts: nothing may keep it.
pub const fn figures(operation: Operation) -> Operation {
    operation.needs(FIGURES).cache_control("no-store")
}
