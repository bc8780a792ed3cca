//! The till: registers, sessions and their opening.

pub mod close;
pub mod lines;
pub mod pay;
pub mod receipt;
