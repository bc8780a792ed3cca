//! Work that several operations share.

pub mod articles;
pub mod offers;
pub mod price_list;
