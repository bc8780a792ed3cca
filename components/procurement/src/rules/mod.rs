//! What can be decided without the store.

pub mod order_state;
pub mod terms;
pub mod totals;
