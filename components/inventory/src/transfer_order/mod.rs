//! Transfer orders: goods that travel between warehouses of an entity.

pub mod answer;
pub mod draft;
pub mod input;
pub mod read;
pub mod row;

use stoa_sdk::Operation;

pub const OPERATIONS: &[Operation] = &[];
