//! Cash that was put into a drawer or taken out of it, other than by sales and refunds (sales-pos.md 10.2).

use stoa_sdk::{Id, Instant, collection, tenant, text_enum};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

text_enum! {
    /// `IN` puts cash into the drawer, `OUT` takes it out.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    #[derive(PartialOrd, Ord)]
    pub enum CashDirection { In => "IN", Out => "OUT" }
}

collection! {
    /// `session_version` is the session's after it.
    pub ledger CashMovementRow in "cash_movement" {
        session_id: Id,
        session_version: i64,
        direction: CashDirection,
        amount: Money,
        currency_code: String,
        reason: String,
        counter_account_id: Option<Id>,
        request_id: Id,
        created_by: String,
    }
    unique { version: [session_id, session_version] }
    index { [session_id, direction, id] }
}

resource! {
    /// A cash movement.
    pub struct PosCashMovement of row: CashMovementRow {
        id: Id,
        tenant_id: Id = tenant(),
        session_id: Id,
        #[schemars(range(min = 1))]
        session_version: i64,
        direction: CashDirection,
        amount: Money,
        currency_code: String,
        reason: String,
        /// Money account that paid or received the cash; null if none was stated.
        counter_account_id: Option<Id>,
        request_id: Id,
        #[schemars(with = "Id")]
        created_by: String,
        created_at: Instant,
    }
}
