//! The demo company: real phones, tablets and accessories, and a month of made-up trade in them, loaded through the
//! public API as an integrator would.

mod bills;
mod facts;
mod first_month;
mod loader;
mod orders;
mod parties;
mod payments;
mod premises;
mod progress;
mod purchases;
mod returns;
mod stock;
mod till;

pub use loader::{RETAIL, onboard, resume};
