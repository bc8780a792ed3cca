//! What can be decided without the store.

pub mod arrival;
pub mod order_state;
pub mod shipment_state;
pub mod terms;
pub mod totals;
