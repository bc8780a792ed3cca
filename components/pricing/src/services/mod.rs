//! What other modules ask of pricing: a file for each interface.

pub mod prices;
