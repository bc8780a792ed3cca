//! Operations of sales for people and API clients, by noun.

pub mod customer;
pub mod customer_return;
pub mod order;
pub mod quotation;

use stoa_sdk::Operation;

/// All tables.
pub const TABLES: &[&[Operation]] =
    &[customer::OPERATIONS, quotation::OPERATIONS, order::OPERATIONS, customer_return::OPERATIONS];
