//! Cash sessions: as they are kept, and as people, API clients and events see them (sales-pos.md 10). The cash that the drawer
//! should hold is kept by finance while a session is open, and here once it is closed.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, collection, text_enum};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

use crate::records::EXAMPLE_ID;

/// Audit name of sessions.
pub const POS_SESSION: &str = "POS_SESSION";

text_enum! {
    /// CLOSED sessions are immutable.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum SessionStatus { Open => "OPEN", Closed => "CLOSED" }
}

/// The value of `open_slot` while a session is open: a register has one such row at most.
pub const OPEN_SLOT: i64 = 1;

collection! {
    /// Entity, warehouse, list and currency are the register's; `cash_account_id` is the till's as it was resolved at
    /// the opening, `smallest_coin` the register's. `operator_id` and `closed_by` are people as the host names them.
    pub record SessionRow in "session" {
        register_id: Id,
        session_no: i64,
        open_slot: Option<i64>,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        price_list_id: Id,
        currency_code: String,
        cash_account_id: Option<Id>,
        operator_id: String,
        status: SessionStatus,
        opening_amount: Money,
        expected_at_close: Option<Money>,
        counted_amount: Option<Money>,
        variance: Option<Money>,
        notes: Option<String>,
        opened_at: Instant,
        closed_at: Option<Instant>,
        closed_by: Option<String>,
        smallest_coin: Option<Money>,
    }
    unique { slot: [register_id, open_slot], number: [register_id, session_no] }
    index { [status, id], [legal_entity_id, id], [operator_id, id], [opened_at], [closed_at] }
}

resource! {
    /// A session as returned to API clients.
    pub struct ApiPosSession of row: SessionRow, expected: Money {
        id: Id,
        #[schemars(range(min = 1))]
        version: i64,
        created_at: Instant,
        updated_at: Instant,
        register_id: Id,
        /// Number of the session at its register, from 1: the number of its Z report.
        #[schemars(range(min = 1))]
        session_no: i64,
        legal_entity_id: Id,
        warehouse_id: Id,
        price_list_id: Id,
        currency_code: String,
        /// Id of the user who opened the session and operates it.
        #[schemars(with = "Id")]
        operator_id: String,
        status: SessionStatus,
        opening_amount: Money,
        /// Cash that the drawer should contain: opening, plus cash of receipts and movements, minus cash refunds. Fixed at the
        /// closing.
        expected_cash: Money = expected,
        counted_amount: Option<Money>,
        /// Counted minus expected.
        variance: Option<Money>,
        opened_at: Instant,
        closed_at: Option<Instant>,
        #[schemars(with = "Option<Id>")]
        closed_by: Option<String>,
    }
}

resource! {
    /// A session as returned to users.
    pub struct PosSession beyond ApiPosSession of row: SessionRow, expected: Money {
        /// Money account of the till; null if the legal entity keeps no books.
        cash_account_id: Option<Id>,
        /// Reason stated at the closing; null if none was stated.
        notes: Option<String>,
    }
}

/// Event data of a session: its ids.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEvent {
    pub register_id: Id,
    pub session_id: Id,
}

impl EventData for SessionEvent {
    fn example() -> SessionEvent {
        SessionEvent { register_id: EXAMPLE_ID, session_id: EXAMPLE_ID }
    }
}

pub const SESSION_OPENED: EventKind<SessionEvent> =
    EventKind::new("pos.session.opened", POS_SESSION, "A cash session was opened.");
pub const SESSION_CLOSED: EventKind<SessionEvent> =
    EventKind::new("pos.session.closed", POS_SESSION, "A cash session was closed.");
