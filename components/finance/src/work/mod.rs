//! Work shared by several operations.

pub mod balances;
pub mod control;
pub mod credited;
pub mod entries;
pub mod invoice;
pub mod money;
pub mod month_totals;
pub mod ordered;
pub mod party;
pub mod posting;
pub mod revenue;
pub mod settle;
pub mod source;
pub mod supplier_return;
pub mod taken;
pub mod till;
pub mod units;
