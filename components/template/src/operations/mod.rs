//! Operations of the module. Each file begins with its table.

pub mod entry;

use stoa_sdk::Operation;

/// Every operation.
pub const TABLES: &[&[Operation]] = &[entry::OPERATIONS];
