//! Work that several operations and services share.

pub mod adjust;
pub mod costs;
pub mod documents;
pub mod gates;
pub mod goods;
pub mod transfers;
pub mod units;
pub mod warehouses;
