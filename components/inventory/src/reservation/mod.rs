//! What is held for somebody.

pub mod row;
pub mod steps;
