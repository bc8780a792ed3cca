//! The ground: what the module keeps, and what people, clients and events see of it.

pub mod caller;
pub mod cost;
pub mod life;
pub mod location;
pub mod movement;
pub mod quantity;
pub mod reservation;
pub mod stock;
pub mod stock_count;
pub mod tracking;
pub mod transfer_order;
pub mod unit;
pub mod warehouse;
