//! What other modules ask of the catalog: a file for each interface.

pub mod articles;
