//! The program, balances and their entries: as they are kept, and as they are shown.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Decimal, Id, collection, text_enum, totals};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

text_enum! {
    pub enum EntryKind { Earn => "EARN", Redeem => "REDEEM", Expire => "EXPIRE" }
}

collection! {
    /// The company's one program.
    pub projection ProgramRow in "program" {
        /// Always `PROGRAM`.
        code: String,
        currency_code: String,
        points_per_amount: Decimal<6>,
        point_value: Money,
        expire_days: Option<i64>,
    }
    unique { code: [code] }
}

collection! {
    pub projection BalanceRow in "balance" {
        customer_id: Id,
        points: i64 = 0,
    }
    unique { customer: [customer_id] }
    checks { points: [points >= 0] }
    counters [points]
}

collection! {
    /// A change of a balance, for ever.
    pub ledger EntryRow in "entry" {
        customer_id: Id,
        kind: EntryKind,
        /// Above zero to the customer's good.
        points: i64,
        /// The order that earned, the receipt that redeemed; of an expiry an id of its own.
        source_id: Id,
        receipt_id: Option<Id>,
        on_date: Date,
    }
    unique { source: [kind, source_id] }
    index { [customer_id, on_date], [receipt_id] }
}

totals! {
    /// The points that each customer earned.
    pub EarnedTotal of EntryRow by [customer_id: Id] { points: i64 = sum(points) }
}

resource! {
    /// The program of a company.
    pub struct LoyaltyProgram of row: ProgramRow {
        currency_code: String,
        /// Points for one unit of the currency. A sale brings whole points.
        points_per_amount: Decimal<6>,
        /// What a point is worth in a payment.
        point_value: Money,
        /// Points expire after so many days; null if they never do.
        expire_days: Option<i64>,
    }
}

resource! {
    /// A change of a customer's points.
    pub struct LoyaltyEntry of row: EntryRow {
        id: Id,
        customer_id: Id,
        kind: EntryKind,
        /// Above zero to the customer's good.
        points: i64,
        /// Id of the receipt; null without one.
        receipt_id: Option<Id>,
        /// Accounting day of the change.
        on_date: Date,
    }
}

resource! {
    /// The points of a customer.
    pub struct LoyaltyBalance of row: BalanceRow {
        customer_id: Id,
        /// Points that it can pay with.
        points: i64,
    }
}

/// The points of a receipt.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoyaltyReceipt {
    /// Points that the sale brought. They are added after the checkout has made the receipt: its own response has none yet.
    pub earned: i64,
    /// Points that the customer paid with.
    pub redeemed: i64,
}
