//! Transfer orders: goods that travel between warehouses of an entity.

pub mod row;

use stoa_sdk::Operation;

pub const OPERATIONS: &[Operation] = &[];
