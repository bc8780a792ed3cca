//! The records of sales: their collections, and what people, API clients and events see of them.

pub mod allocation;
pub mod customer;
pub mod customer_return;
pub mod delivery;
pub mod month_total;
pub mod order;
pub mod order_item;
pub mod permission;
pub mod price_figures;
pub mod quotation;
