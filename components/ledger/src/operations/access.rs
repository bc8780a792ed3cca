//! Who may do what: the permissions that several nouns share.

use stoa_sdk::Operation;

/// Whoever changes the set-up of the books, and writes in them.
pub const SETTINGS: &[&str] = &["settings.manage"];
/// API clients that read the catalog name entities and branches in what they write.
pub const CLIENT_READ: &[&str] = &["catalog.read"];
/// The journal shows costs and margins.
pub const FIGURES: &[&str] = &["reports.cost.read", "reports.margin.read"];

/// A read that shows amounts: nothing may keep it.
pub const fn figures(operation: Operation) -> Operation {
    operation.needs(FIGURES).cache_control("no-store")
}
