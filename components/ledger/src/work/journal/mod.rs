//! The journal: how postings become entries, how entries are written, how they are undone.

pub mod mirror;
pub mod posting;
pub mod write;
