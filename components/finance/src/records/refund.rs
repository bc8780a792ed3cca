//! Refunds of both sides: money that goes back to a customer, or comes back from a supplier (finance-ledger.md B7).

use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

use crate::records::side::Side;

text_enum! {
    /// A VOID refund has returned its amount to the payment or credit.
    pub enum RefundStatus { Recorded => "RECORDED", Void => "VOID" }
}

collection! {
    /// Party, legal entity and currency are those of the payment or credit that it takes from.
    pub record RefundRow in "refund" {
        side: Side,
        number: String,
        number_key: String,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        party_id: Id,
        legal_entity_id: Id,
        currency_code: String,
        amount: Money,
        method: Method,
        card_kind: Option<CardKind>,
        account_id: Option<Id>,
        session_id: Option<Id>,
        refunded_on: Date,
        reference: Option<String>,
        notes: Option<String>,
        status: RefundStatus,
        voided_on: Option<Date>,
        void_reason: Option<String>,
    }
    unique { number: [side, legal_entity_id, number_key] }
    index { [side, id], [payment_id], [credit_id], [party_id, id], [session_id], [side, updated_at] }
    search { number: [number], text: [number, reference] }
}

resource! {
    /// A refund as returned to API clients.
    pub struct ApiRefund of record row: RefundRow {
        number: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        amount: Money,
        method: Method,
        card_kind: Option<CardKind>,
        /// Session of the till that paid the cash; null for any other refund.
        session_id: Option<Id>,
        refunded_on: Date,
        reference: Option<String>,
        status: RefundStatus,
        voided_on: Option<Date>,
    }
}

resource! {
    /// A refund as returned to users.
    pub struct Refund beyond ApiRefund of row: RefundRow {
        /// Id of the money account; null if the legal entity keeps no books.
        account_id: Option<Id>,
        notes: Option<String>,
        void_reason: Option<String>,
    }
}
