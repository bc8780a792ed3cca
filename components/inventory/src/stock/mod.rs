//! What every warehouse holds.

pub mod deltas;
pub mod row;
