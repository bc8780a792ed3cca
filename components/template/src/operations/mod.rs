//! What can be called. Each file begins with its table.

pub mod entry;
