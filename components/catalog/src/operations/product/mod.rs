//! The operations of products. Each file begins with its table.

pub mod change;
pub mod read;
