//! The demo company: real phones, tablets and accessories, loaded through the public API as an integrator would.

mod facts;
mod loader;
mod progress;

pub use loader::{RETAIL, onboard, resume};
