//! Rules that can be decided without the store.

pub mod tier;
