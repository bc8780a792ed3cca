//! Goods of transfer orders on their way.

pub mod arrive;
pub mod order;
pub mod reserve;
