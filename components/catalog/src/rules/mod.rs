//! Rules that can be decided without the store.

pub mod access;
pub mod aliases;
pub mod attributes;
pub mod faults;
pub mod lookup;
pub mod objections;
pub mod product;
pub mod slug;
pub mod variant;
