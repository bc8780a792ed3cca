//! Decisions that need no store.

pub mod line;
pub mod price;
pub mod priced_line;
pub mod total;
