//! Stock counts.

pub mod row;

use stoa_sdk::Operation;

pub const OPERATIONS: &[Operation] = &[];
