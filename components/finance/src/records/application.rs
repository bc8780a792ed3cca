//! Applications: what a payment or a credit paid of an invoice. They are immutable; one that failed has an opposite one.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection};
use stoa_trade::quantity::Money;

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

/// An application as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Application {
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

impl Application {
    pub fn from_row(row: &ApplicationRow) -> Application {
        Application {
            id: row.id,
            invoice_id: row.invoice_id,
            payment_id: row.payment_id,
            credit_id: row.credit_id,
            amount: row.amount,
            applied_on: row.applied_on,
            reverses: row.reverses,
            created_at: row.created_at,
        }
    }
}
