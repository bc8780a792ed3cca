//! The money of cash sessions: what each drawer should hold, and which orders the registers collected (finance-ledger.md B10).

use stoa_sdk::{Id, Instant, collection, text_enum};
use stoa_trade::quantity::Money;

text_enum! {
    pub enum TillStatus { Open => "OPEN", Closed => "CLOSED" }
}

collection! {
    /// `smallest_coin`: the register's. `expected` is what the drawer should hold now: the opening and the session's
    /// moves of cash.
    pub record TillRow in "till" {
        session_id: Id,
        register_id: Id,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        money_account_id: Option<Id>,
        currency_code: String,
        status: TillStatus,
        opening: Money,
        expected: Money,
        counted: Option<Money>,
        variance: Option<Money>,
        closed_at: Option<Instant>,
        smallest_coin: Option<Money>,
    }
    unique { session: [session_id] }
    index { [money_account_id, status] }
    checks { expected: [expected >= 0] }
    counters [expected]
}

collection! {
    /// An order that a register collected, once and for ever.
    pub ledger CollectionRow in "collection" {
        order_id: Id,
        receipt_id: Id,
        session_id: Id,
        total: Money,
    }
    unique { order: [order_id], receipt: [receipt_id] }
    index { [session_id] }
}
