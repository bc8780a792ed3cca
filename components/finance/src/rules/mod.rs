//! Decisions that need no store.

pub mod allotment;
pub mod billed_units;
pub mod day;
pub mod stated;
pub mod total;
