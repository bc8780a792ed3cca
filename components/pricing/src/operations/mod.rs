//! The operations of people and API clients. Each file begins with its table.

pub mod price;
pub mod price_change;
pub mod price_list;
pub mod priced_product;
pub mod resolve;
pub mod schedule;
