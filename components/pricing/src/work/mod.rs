//! Work that several operations share.

pub mod articles;
pub mod price_list;
