//! What can be decided without the store.

pub mod line;
pub mod price;
pub mod total;
