//! Operations of the module. Each file begins with its table.

pub mod entry;
