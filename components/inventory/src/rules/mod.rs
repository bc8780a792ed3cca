//! Rules that need no access to the store.

pub mod condition;
pub mod deal;
pub mod delta;
pub mod draw;
pub mod fragments;
pub mod place;
pub mod recost;
pub mod unit_count;
pub mod unit_state;
pub mod unknown;
