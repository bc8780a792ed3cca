//! Decisions without the store, from what was read.

pub mod amounts;
pub mod books;
pub mod charts;
pub mod days;
pub mod mappings;
pub mod references;
pub mod refusal;
pub mod results;
pub mod roles;
pub mod sums;
pub mod template;
pub mod template_detailed;
pub mod template_standard;
pub mod tree;
