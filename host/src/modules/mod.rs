//! Modules: sandboxed components, their limits, how they are linked to each other, and how one is called.

pub mod admission;
pub mod artifact;
pub mod cache;
pub mod call;
pub mod compiler;
pub mod describe;
pub mod diff;
pub mod engine;
pub mod generation;
pub mod health;
pub mod imports;
pub mod judge;
pub mod limits;
pub mod refusal;
pub mod services;
pub mod signature;
pub mod state;
pub mod surface;
pub mod tables;
pub mod vetting;

pub use call::{Failure, Ran};
pub use generation::{Generation, Module};
pub use limits::Limits;
