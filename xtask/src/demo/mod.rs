//! The demo company: real phones, tablets and accessories, and what it bought of them, loaded through the public API as an
//! integrator would.

mod bills;
mod facts;
mod loader;
mod progress;
mod purchases;

pub use loader::{RETAIL, onboard, resume};
