//! Warehouses and their locations.

mod archive;
mod location;
pub mod row;
pub mod service;
mod show;
mod table;
mod write;

pub use table::OPERATIONS;
pub use write::{WarehouseInput, add};
