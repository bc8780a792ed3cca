//! Serial units.

pub mod row;

use stoa_sdk::Operation;

pub const OPERATIONS: &[Operation] = &[];
