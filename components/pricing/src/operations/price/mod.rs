//! The operations of prices. Each file begins with its table.

pub mod change;
pub mod read;
pub mod removal;
pub mod resolve;
pub mod schedule;
