//! Operations for people and API clients, by noun.

pub mod import_order;
pub mod incoming;
pub mod order;
mod order_list;
pub mod receipt;
pub mod settings;
pub mod supplier;

use stoa_sdk::Operation;

/// All tables.
pub const TABLES: &[&[Operation]] = &[
    supplier::OPERATIONS,
    order::OPERATIONS,
    receipt::OPERATIONS,
    import_order::OPERATIONS,
    incoming::OPERATIONS,
    settings::OPERATIONS,
];
