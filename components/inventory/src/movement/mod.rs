//! How goods came, went and moved.

mod adjust;
mod list;
pub mod row;
pub mod show;
mod table;
mod transfer;

pub use table::OPERATIONS;
