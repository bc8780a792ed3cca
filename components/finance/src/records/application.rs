//! Applications: what a payment or a credit paid of an invoice. They are immutable; one that failed has an opposite one.

use stoa_sdk::{Date, Id, Instant, collection};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

use crate::records::side::Side;

collection! {
    /// `amount` is below zero where it reverses another.
    pub ledger ApplicationRow in "application" {
        side: Side,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        invoice_id: Id,
        party_id: Id,
        legal_entity_id: Id,
        currency_code: String,
        amount: Money,
        applied_on: Date,
        reverses: Option<Id>,
    }
    unique { reverses: [reverses] }
    index { [invoice_id], [payment_id], [credit_id], [legal_entity_id, applied_on] }
}

resource! {
    /// An application as returned to users.
    pub struct Application of row: ApplicationRow {
        id: Id,
        invoice_id: Id,
        payment_id: Option<Id>,
        credit_id: Option<Id>,
        /// Amount; negative if it reverses another application.
        amount: Money,
        applied_on: Date,
        /// Id of the application that this one reverses; null for any other.
        reverses: Option<Id>,
        created_at: Instant,
    }
}
