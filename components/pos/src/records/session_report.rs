//! The report of a session as people and API clients read it: X while it is open, Z once it is closed (sales-pos.md 10.4).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, now, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::{Money, Sum};
use stoa_trade::resource;

use crate::records::session::SessionRow;

text_enum! {
    /// An X report is as of now, a Z report is final.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReportKind { X => "X", Z => "Z" }
}

/// Number of entries and the sum of their amounts.
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

/// The figures of a session: what it took and gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    pub receipts: Tally,
    pub change_given: Sum,
    /// In the order of the enumerations.
    pub by_method: Vec<MethodTotal>,
    pub movements_in: Tally,
    pub movements_out: Tally,
    pub refunds: Tally,
    pub refunds_voided: Tally,
}

impl Figures {
    /// Cash of receipts that remained in the drawer.
    pub fn cash_sales(&self) -> Sum {
        let cash = self.by_method.iter().find(|total| total.method.is_cash());
        cash.map_or(Sum::ZERO, |total| total.amount)
    }
}

/// The first and the last receipt of a session.
pub type Ends = (Option<Id>, Option<Id>);

resource! {
    /// Receipts of a session.
    pub struct ReceiptTotals of figures: Figures, ends: Ends {
        count: i64 = figures.receipts.count,
        total: Sum = figures.receipts.amount,
        first_id: Option<Id> = ends.0,
        last_id: Option<Id> = ends.1,
    }
}

resource! {
    /// Cash drawer of a session.
    pub struct CashTotals of figures: Figures, expected: Money {
        /// Cash of receipts that remained in the drawer.
        sales: Sum = figures.cash_sales(),
        change_given: Sum,
        movements_in: Tally,
        movements_out: Tally,
        refunds: Tally,
        /// Refunds that were voided.
        refunds_voided: Tally,
        /// Cash that the drawer should contain.
        expected: Money = expected,
    }
}

resource! {
    /// The report of a session.
    pub struct PosSessionReport of row: SessionRow, code: String, figures: &Figures, expected: Money, ends: Ends {
        kind: ReportKind = if row.expected_at_close.is_some() { ReportKind::Z } else { ReportKind::X },
        session_id: Id = row.id,
        register_id: Id,
        register_code: String = code,
        session_no: i64,
        /// Now, or the instant at which the session was closed.
        as_of: Instant = row.closed_at.unwrap_or_else(now),
        currency_code: String,
        #[schemars(with = "Id")]
        operator_id: String,
        opened_at: Instant,
        closed_at: Option<Instant>,
        opening_amount: Money,
        receipts: ReceiptTotals = ReceiptTotals::from_row(figures, ends),
        /// One row for each method, and for each kind of card, that was used.
        by_method: Vec<MethodTotal> = figures.by_method.clone(),
        cash: CashTotals = CashTotals::from_row(figures, expected),
        counted_amount: Option<Money>,
        /// Counted minus expected.
        variance: Option<Money>,
    }
}
