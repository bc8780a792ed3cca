//! Changes to serial units, from any cause.

pub mod changes;
pub mod effects;
pub mod holds;
pub mod identities;
pub mod receipts;
pub mod returns;
pub mod sales;
#[cfg(test)]
mod tests;
pub mod worth;
