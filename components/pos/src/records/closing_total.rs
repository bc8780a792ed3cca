//! The figures of a session as its close fixed them: what its Z report shows for ever (sales-pos.md 10.4, 12).

use stoa_sdk::{Id, collection, text_enum};
use stoa_trade::quantity::Sum;

text_enum! {
    /// The subject of a total. CHANGE counts receipts.
    pub enum TotalKind {
        Method => "METHOD", In => "IN", Out => "OUT", Refund => "REFUND", RefundVoid => "REFUND_VOID", Change => "CHANGE",
    }
}

/// The value of `method` and `card_kind` where there is none.
pub const NONE: &str = "-";

collection! {
    pub ledger ClosingTotalRow in "closing_total" {
        session_id: Id,
        kind: TotalKind,
        method: String,
        card_kind: String,
        count: i64,
        amount: Sum,
    }
    unique { total: [session_id, kind, method, card_kind] }
}
