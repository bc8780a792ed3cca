//! How much callers may ask: permits of the minute and the month, leased from the database in blocks, and the record of
//! who was let in and who was not.

pub mod governor;
pub mod lease;
pub mod leasing;
pub mod permits;
pub mod recorder;
pub mod totals;
pub mod window;

pub use governor::{Governor, Permit, RateLimits};
pub use recorder::{AccessEntry, Recorder, Recording};
