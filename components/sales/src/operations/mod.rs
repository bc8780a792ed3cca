//! Operations of sales for people and API clients.

pub mod customer;
pub mod customer_return;
pub mod line_input;
pub mod order;
pub mod quotation;
