//! The ground floor that modules of commerce share, between the SDK (the wire: ids, decimals, store, calls, replies) and the
//! modules: what two of them need stands here once. Functions over data; whatever can be decided without the store is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod dates;
pub mod document;
pub mod json_list;
#[cfg(test)]
mod judge;
pub mod lists;
pub mod party;
pub mod quantity;
pub mod refusal;
pub mod text;
pub mod tree;

pub use json_list::JsonList;
pub use stoa_iso::{country, currency};
