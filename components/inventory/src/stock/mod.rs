//! What every warehouse holds.

mod read;
pub mod row;

pub use read::OPERATIONS;
