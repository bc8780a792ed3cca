//! Rules that can be decided without the store.

pub mod access;
pub mod period;
pub mod plan;
