//! What several operations do together.

pub mod entries;
pub mod invoice;
pub mod ordered;
pub mod party;
pub mod posting;
pub mod register;
pub mod units;
