//! What people and API clients may ask of sales.

pub mod customer;
pub mod customer_return;
pub mod line_input;
pub mod order;
pub mod quotation;
