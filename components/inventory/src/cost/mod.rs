//! What goods cost: exact, first in first out, units at their own.

pub mod deal;
pub mod exact;
pub mod row;
