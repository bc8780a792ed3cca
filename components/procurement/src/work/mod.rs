//! Work that several operations and services share.

pub mod approval;
pub mod charging;
pub mod draft;
pub mod goods;
pub mod order;
pub mod posting;
pub mod receiving;
pub mod references;
