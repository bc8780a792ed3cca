//! Work shared by several operations.

pub mod admission;
pub mod completion;
pub mod customer;
pub mod delivery;
pub mod extension;
pub mod month_totals;
pub mod order;
pub mod owner;
pub mod priced_line;
pub mod quotation;
pub mod references;
pub mod reservation;
