//! Generated pages: lists, records, other reads, and writes.

pub mod list;
pub mod reading;
pub mod record;
pub mod value;
pub mod write;
