//! The operations of variants. Each file begins with its table.

pub mod change;
pub mod find;
pub mod read;
