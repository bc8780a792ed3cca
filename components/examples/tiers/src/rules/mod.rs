//! What can be decided without the store.

pub mod tier;
