//! What is held for somebody.

mod list;
mod release;
mod reserve;
pub mod row;
pub mod show;
mod table;

pub use release::release_unit;
pub use reserve::opened;
pub use table::OPERATIONS;
