//! Payments of both sides: as they are kept, and as they are shown (finance-ledger.md B4).

use stoa_sdk::{Date, Id, Instant, collection, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

use crate::records::funds::FundsRow;
use crate::records::side::Side;

text_enum! {
    /// PENDING payments settle and post nothing until they become CONFIRMED. RECORDED and CONFIRMED payments count as money.
    /// An applied payment can become REVERSED, any other one VOID.
    pub enum PaymentStatus {
        Pending => "PENDING", Recorded => "RECORDED", Confirmed => "CONFIRMED", Reversed => "REVERSED", Void => "VOID",
    }
}

text_enum! {
    /// POS_RECEIPT: part of a receipt that a register collected.
    pub enum PaymentOrigin { Direct => "DIRECT", PosReceipt => "POS_RECEIPT" }
}

collection! {
    /// `account_id` is the money account: none without books, or while it is PENDING and none was stated. `voided_on` is of a
    /// reversal too.
    pub record PaymentRow in "payment" {
        side: Side,
        number: String,
        number_key: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        amount: Money,
        method: Method,
        card_kind: Option<CardKind>,
        account_id: Option<Id>,
        paid_on: Date,
        reference: Option<String>,
        notes: Option<String>,
        status: PaymentStatus,
        origin: PaymentOrigin,
        receipt_id: Option<Id>,
        receipt_line: Option<i64>,
        order_id: Option<Id>,
        confirmed_at: Option<Instant>,
        confirmed_by: Option<String>,
        voided_on: Option<Date>,
        void_reason: Option<String>,
    }
    unique { number: [side, legal_entity_id, number_key], receipt: [receipt_id, receipt_line] }
    index {
        [side, id],
        [side, party_id, id],
        [account_id, id],
        [legal_entity_id, paid_on],
        [order_id],
        [side, updated_at],
    }
    search { number: [number], text: [number, reference] }
    fixed [side, number, legal_entity_id]
}

resource! {
    /// A payment as returned to API clients.
    pub struct ApiPayment of record row: PaymentRow, funds: Option<&FundsRow> {
        number: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        amount: Money,
        method: Method,
        card_kind: Option<CardKind>,
        paid_on: Date,
        reference: Option<String>,
        status: PaymentStatus,
        origin: PaymentOrigin,
        /// Id of the register's receipt that collected the order; null if none did.
        receipt_id: Option<Id>,
        /// Id of the order that the receipt collected; null for a DIRECT payment.
        order_id: Option<Id>,
        /// Part that is applied to invoices, minus reversals.
        applied: Money = funds.map_or(Money::ZERO, |funds| funds.applied),
        refunded: Money = funds.map_or(Money::ZERO, |funds| funds.refunded),
        /// Part that can still be applied or refunded.
        available: Money = funds.map_or(Money::ZERO, |funds| funds.available),
        confirmed_at: Option<Instant>,
        /// Accounting day of the voiding or reversal; null before that.
        voided_on: Option<Date>,
    }
}

resource! {
    /// A payment as returned to users.
    pub struct Payment beyond ApiPayment of row: PaymentRow, funds: Option<&FundsRow> {
        /// Id of the money account; null if the legal entity keeps no books.
        account_id: Option<Id>,
        notes: Option<String>,
        confirmed_by: Option<String>,
        void_reason: Option<String>,
    }
}
