//! Warehouses and their locations.

pub mod row;
