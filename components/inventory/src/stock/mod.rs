//! What every warehouse holds.

pub mod row;
