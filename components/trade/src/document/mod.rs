//! Common parts of documents: what callers state and see of one, a number, a version that callers expect, lines, drafts
//! that are replaced, states and who acted.

pub mod actor;
pub mod currency;
pub mod draft;
pub mod lines;
pub mod number;
pub mod replacement;
mod resource;
pub mod state;
pub mod version;
