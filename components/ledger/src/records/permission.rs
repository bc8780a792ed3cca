//! Permissions of people, as `finance-ledger.md` A1 gives them to acts.

/// Changes the set-up of the books, and writes in them.
pub const SETTINGS: &[&str] = &["settings.manage"];
/// The journal shows costs and margins.
pub const FIGURES: &[&str] = &["reports.cost.read", "reports.margin.read"];
