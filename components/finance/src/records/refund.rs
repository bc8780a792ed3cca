//! Refunds of both sides: money that goes back to a customer, or comes back from a supplier (finance-ledger.md B7).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, tenant, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;

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
    index { [side, id], [payment_id], [credit_id], [party_id, id], [session_id] }
    search { number: [number], text: [number, reference] }
}

/// A refund as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiRefund {
    id: Id,
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
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

/// A refund as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refund {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiRefund,
    /// Id of the money account; null if the legal entity keeps no books.
    account_id: Option<Id>,
    notes: Option<String>,
    void_reason: Option<String>,
}

impl ApiRefund {
    pub fn from_row(row: &RefundRow) -> ApiRefund {
        ApiRefund {
            id: row.id,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            party_id: row.party_id,
            currency_code: row.currency_code.clone(),
            payment_id: row.payment_id,
            credit_id: row.credit_id,
            amount: row.amount,
            method: row.method,
            card_kind: row.card_kind,
            session_id: row.session_id,
            refunded_on: row.refunded_on,
            reference: row.reference.clone(),
            status: row.status,
            voided_on: row.voided_on,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl Refund {
    pub fn from_row(row: &RefundRow) -> Refund {
        Refund {
            tenant_id: tenant(),
            public: ApiRefund::from_row(row),
            account_id: row.account_id,
            notes: row.notes.clone(),
            void_reason: row.void_reason.clone(),
        }
    }
}
