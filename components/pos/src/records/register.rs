//! Registers: as they are kept, and as people and events see them (sales-pos.md 9). No field of one ever changes: a
//! changed till is a new register, so that history stays true.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection};
use stoa_trade::life::{Archivable, Head};
use stoa_trade::quantity::Money;
use stoa_trade::{Status, archivable, resource};

use crate::records::EXAMPLE_ID;

/// Audit name of registers.
pub const POS_REGISTER: &str = "POS_REGISTER";

collection! {
    /// `code_key` is the code as it is compared. Entity and branch are the warehouse's, the currency is the list's.
    /// `last_session_no` counts the sessions.
    pub record RegisterRow in "register" {
        code: String,
        code_key: String,
        name: String,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        price_list_id: Id,
        currency_code: String,
        cash_account_id: Option<Id>,
        status: Status,
        archived_at: Option<Instant>,
        open_session_id: Option<Id>,
        last_session_no: i64 = 0,
        smallest_coin: Option<Money>,
    }
    unique { code: [code_key] }
    index { [status, id], [warehouse_id] }
    search { text: [code, name] }
}
archivable!(RegisterRow);

resource! {
    /// A register as returned to users.
    pub struct PosRegister of row: RegisterRow {
        #[serde(flatten)]
        head: Head = row.head(),
        code: String,
        name: String,
        /// Legal entity of the warehouse.
        legal_entity_id: Id,
        branch_id: Option<Id>,
        warehouse_id: Id,
        price_list_id: Id,
        /// Currency of the price list.
        currency_code: String,
        /// Money account of the till; null: the account mapped to cash when a session opens.
        cash_account_id: Option<Id>,
        open_session_id: Option<Id>,
        /// Smallest coin in use; null: every amount of cash is allowed.
        smallest_coin: Option<Money>,
    }
}

/// The record.
pub fn reply(row: &RegisterRow) -> Reply {
    Reply::json(&PosRegister::from_row(row)).of(row.id, row.version)
}

/// Event data of a register: its ids.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisterEvent {
    pub register_id: Id,
}

impl EventData for RegisterEvent {
    fn example() -> RegisterEvent {
        RegisterEvent { register_id: EXAMPLE_ID }
    }
}

pub const REGISTER_CREATED: EventKind<RegisterEvent> =
    EventKind::new("pos.register.created", POS_REGISTER, "A register was created.");
pub const REGISTER_ARCHIVED: EventKind<RegisterEvent> =
    EventKind::new("pos.register.archived", POS_REGISTER, "A register was archived.");
