//! The gate decides which modules may run here. It checks signatures and descriptors, compiles and caches modules, and lists
//! the changes that they would make for callers.

pub mod admission;
pub mod artifact;
pub mod cache;
pub mod compiler;
pub mod describe;
pub mod diff;
pub mod extensions;
pub mod load;
pub mod names;
pub mod precompiled;
pub mod reach;
pub mod refusal;
pub mod surface;
pub mod tables;
pub mod trust;
pub mod vetting;
