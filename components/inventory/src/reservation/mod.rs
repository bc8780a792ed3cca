//! What is held for somebody.

pub mod row;
