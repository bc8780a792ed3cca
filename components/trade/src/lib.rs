//! The ground floor that modules of commerce share, between the SDK (the wire: ids, decimals, store, calls, replies) and the
//! modules: code that two of them need is here once. Functions over data; whatever can be decided without the store is.

#![warn(missing_docs)]

pub mod arguments;
#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
pub mod bindings;
pub mod caller;
pub mod card_number;
pub mod change;
pub mod client_query;
pub mod clients;
pub mod coin;
pub mod dates;
pub mod document;
mod event;
#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
pub mod extension;
#[allow(missing_docs, reason = "a comment becomes a description in the contract, and these names are the trade's")]
pub mod goods;
pub mod ids;
#[allow(missing_docs, reason = "each constant has its sentence")]
pub mod item_codes;
pub mod json_list;
#[cfg(test)]
mod judge;
pub mod life;
pub mod limits;
pub mod lists;
mod new_record;
pub mod pages;
pub mod party;
pub mod payment_method;
pub mod places;
pub mod points;
pub mod posting;
pub mod quantity;
pub mod refusal;
pub mod services;
pub mod snapshot;
pub mod stages;
pub mod taken;
pub mod text;
pub mod tree;
pub mod unit_identity;
mod words;

pub use caller::Caller;
pub use change::Change;
pub use json_list::JsonList;
pub use life::{Archivable, EmptyBody, Identity, Status, require_named, require_unarchived, usable, writable};
pub use stoa_iso::{country, currency};
pub use words::WORDS;
