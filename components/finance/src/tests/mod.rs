//! Calls of the module to the store and to other modules, and its rejections.

mod company;
mod invoices;
mod month_totals;
mod payments;
pub mod rows;
