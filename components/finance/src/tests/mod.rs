//! The module against a scripted host, and rows that tests of its rules share.

mod month_totals;
pub mod rows;
