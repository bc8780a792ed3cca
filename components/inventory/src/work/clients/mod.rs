//! The services of other modules that inventory asks.

pub mod articles;
pub mod books;
