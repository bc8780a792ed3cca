//! Work shared by several operations and services.

pub mod balance;
pub mod chart;
pub mod day_totals;
pub mod entities;
pub mod holds;
pub mod journal;
pub mod labels;
pub mod reports;
pub mod setup;
pub mod snapshot;
