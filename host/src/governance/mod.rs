//! How much callers may ask: permits of the minute and the month, leased from the database in blocks, seats of heavy reads, and
//! the record of who was let in and who was not.

pub mod governor;
pub mod heavy;
pub mod lease;
pub mod leasing;
pub mod permits;
pub mod recorder;
pub mod totals;
pub mod window;

pub use governor::{Governor, Permit, RateLimits};
pub use heavy::HeavyReads;
pub use recorder::{AccessEntry, Recorder, Recording};
