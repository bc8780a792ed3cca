//! Cash that was put into a drawer or taken out of it, other than by sales and refunds (sales-pos.md 10.2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, collection, tenant, text_enum};
use stoa_trade::quantity::Money;

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

/// A cash movement.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PosCashMovement {
    id: Id,
    tenant_id: Id,
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

impl PosCashMovement {
    pub fn from_row(row: CashMovementRow) -> PosCashMovement {
        PosCashMovement {
            id: row.id,
            tenant_id: tenant(),
            session_id: row.session_id,
            session_version: row.session_version,
            direction: row.direction,
            amount: row.amount,
            currency_code: row.currency_code,
            reason: row.reason,
            counter_account_id: row.counter_account_id,
            request_id: row.request_id,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}
