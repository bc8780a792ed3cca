//! Common parts of documents: a number, a version that callers expect, lines, drafts that are replaced, states and who acted.

pub mod actor;
pub mod draft;
pub mod lines;
pub mod number;
pub mod state;
pub mod version;
