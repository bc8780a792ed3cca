//! What the module asks of the store and of other modules, and what it refuses.

mod company;
mod invoices;
mod month_totals;
mod payments;
pub mod rows;
