//! What several operations and services do together.

pub mod approval;
pub mod charging;
pub mod draft;
pub mod goods;
pub mod order;
pub mod posting;
pub mod receiving;
pub mod references;
