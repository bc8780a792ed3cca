//! Rules that need no access to the store.

pub mod arrival;
pub mod order_state;
pub mod shipment_state;
pub mod terms;
