//! Decisions that need no store.

pub mod line;
pub mod price;
pub mod total;
