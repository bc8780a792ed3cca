//! The operations of finance, a noun a file.

mod body;
mod invoice;

use stoa_sdk::Operation;

/// All of them.
pub const TABLES: &[&[Operation]] = &[invoice::SALES_OPERATIONS, invoice::PURCHASE_OPERATIONS];
