//! What the module asks of the store and of other modules, and what it refuses.

mod company;
mod invoices;
mod payments;
pub mod rows;
