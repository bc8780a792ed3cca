//! What several operations and services do together.

pub mod clients;
pub mod costs;
pub mod document_number;
pub mod gates;
pub mod goods;
pub mod transfers;
pub mod units;
pub mod warehouses;
