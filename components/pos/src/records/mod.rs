//! The ground: what the module keeps, and what people, API clients and events see of it.

pub mod cash_movement;
pub mod closing_total;
pub mod payment;
pub mod permission;
pub mod receipt;
pub mod register;
pub mod session;
pub mod session_report;

use stoa_sdk::descriptor::Collection;
use stoa_sdk::{DeclaredEvent, Id, collections, events};

/// An id as examples show it.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    register::RegisterRow, session::SessionRow, receipt::ReceiptRow, payment::PaymentRow,
    cash_movement::CashMovementRow, closing_total::ClosingTotalRow,
};

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = events! {
    register::REGISTER_CREATED, register::REGISTER_ARCHIVED, session::SESSION_OPENED, session::SESSION_CLOSED,
    receipt::RECEIPT_CREATED,
};
