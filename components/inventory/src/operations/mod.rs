//! Operations for people and API clients, by noun.

pub mod cost;
pub mod location;
pub mod movement;
mod query;
pub mod reservation;
pub mod stock;
pub mod stock_count;
pub mod transfer_order;
pub mod unit;
pub mod warehouse;
