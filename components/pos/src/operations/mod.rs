//! Operations of people and API clients, by noun.

pub mod cash_movement;
pub mod checkout;
pub mod receipt;
pub mod register;
pub mod session;

use stoa_sdk::Operation;

/// All tables.
pub const TABLES: &[&[Operation]] =
    &[register::OPERATIONS, session::OPERATIONS, cash_movement::OPERATIONS, checkout::OPERATIONS, receipt::OPERATIONS];
