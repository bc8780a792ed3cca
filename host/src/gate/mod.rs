//! The gate: which modules may run here. Who signed them, what they say of themselves, how they are compiled, kept and brought
//! along, and what they would change for callers.

pub mod admission;
pub mod artifact;
pub mod cache;
pub mod compiler;
pub mod describe;
pub mod diff;
pub mod load;
pub mod names;
pub mod precompiled;
pub mod reach;
pub mod refusal;
pub mod surface;
pub mod tables;
pub mod trust;
pub mod vetting;
