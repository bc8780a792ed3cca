//! Stock counts.

pub mod answer;
pub mod input;
pub mod read;
pub mod record;
pub mod row;

use stoa_sdk::Operation;

pub const OPERATIONS: &[Operation] = &[];
