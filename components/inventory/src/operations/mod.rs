//! Operations for people and API clients, by noun.

pub mod cost;
pub mod location;
pub mod movement;
pub mod reservation;
pub mod stock;
pub mod stock_count;
pub mod transfer_order;
pub mod unit;
pub mod warehouse;

use stoa_sdk::Operation;

/// All tables.
pub const TABLES: &[&[Operation]] = &[
    warehouse::OPERATIONS,
    location::OPERATIONS,
    stock::OPERATIONS,
    movement::OPERATIONS,
    reservation::OPERATIONS,
    unit::OPERATIONS,
    transfer_order::OPERATIONS,
    stock_count::OPERATIONS,
    cost::OPERATIONS,
];
