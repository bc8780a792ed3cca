//! What this module adds to the operations of the built-in one, and the one that it answers in its place.

pub mod resolve;
pub mod tier;
