//! Operations that this module adds to those of the built-in one, and the one that it answers in its place.

pub mod resolve;
pub mod tier;
