//! A throw-away PostgreSQL for chores and tests: its programs are found or installed, its cluster ends with its owner.

mod cluster;
pub mod program;
mod programs;

pub use cluster::Cluster;
pub use programs::{MISSING, find, find_or_install, version};
