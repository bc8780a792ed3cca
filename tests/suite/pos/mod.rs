//! The point of sale: registers, cash sessions, checkout, receipts and reports.

mod checkout;
mod crash;
mod day;
mod failures;
mod invoiced;
mod movements;
mod races;
mod receipts;
mod registers;
mod reports;
mod sessions;
