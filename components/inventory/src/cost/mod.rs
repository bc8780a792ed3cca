//! What goods cost: exact, first in first out, units at their own.

pub mod deal;
pub mod exact;
pub mod flows;
pub mod fragments;
mod layers;
pub mod open;
pub mod recost;
pub mod row;
pub mod service;
mod table;
pub mod valuation;

pub use table::OPERATIONS;
