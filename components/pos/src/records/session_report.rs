//! The report of a session as people and API clients read it: X while it is open, Z once it is closed (sales-pos.md 10.4).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::{Money, Sum};

text_enum! {
    /// An X report is as of now, a Z report is final.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReportKind { X => "X", Z => "Z" }
}

/// Count and total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    pub count: i64,
    pub amount: Sum,
}

impl Tally {
    pub const NONE: Tally = Tally { count: 0, amount: Sum::ZERO };
}

/// Total of one payment method; for cards, of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MethodTotal {
    /// Method of a payment.
    pub method: Method,
    /// Kind of a card.
    pub card_kind: Option<CardKind>,
    /// Number of payments.
    pub count: i64,
    pub amount: Sum,
}

/// Receipts of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptTotals {
    pub count: i64,
    pub total: Sum,
    pub first_id: Option<Id>,
    pub last_id: Option<Id>,
}

/// Cash drawer of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CashTotals {
    /// Cash of receipts that remained in the drawer.
    pub sales: Sum,
    pub change_given: Sum,
    pub movements_in: Tally,
    pub movements_out: Tally,
    pub refunds: Tally,
    /// Refunds that were voided.
    pub refunds_voided: Tally,
    /// Cash that the drawer should contain.
    pub expected: Money,
}

/// The report of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PosSessionReport {
    pub kind: ReportKind,
    pub session_id: Id,
    pub register_id: Id,
    pub register_code: String,
    pub session_no: i64,
    /// Now, or the instant at which the session was closed.
    pub as_of: Instant,
    pub currency_code: String,
    #[schemars(with = "Id")]
    pub operator_id: String,
    pub opened_at: Instant,
    pub closed_at: Option<Instant>,
    pub opening_amount: Money,
    pub receipts: ReceiptTotals,
    /// One row for each method, and for each kind of card, that was used.
    pub by_method: Vec<MethodTotal>,
    pub cash: CashTotals,
    pub counted_amount: Option<Money>,
    /// Counted minus expected.
    pub variance: Option<Money>,
}
