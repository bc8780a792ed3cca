//! Rules that can be decided without the store.

pub mod collectable;
pub mod register_match;
pub mod tender;
