//! Payments of both sides: as they are kept, and as they are shown (finance-ledger.md B4).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, tenant, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;

use crate::records::funds::FundsRow;
use crate::records::side::Side;

text_enum! {
    /// PENDING payments settle and post nothing. RECORDED and CONFIRMED payments count as money.
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
    index { [side, id], [side, party_id, id], [account_id, id], [legal_entity_id, paid_on], [order_id] }
    search { number: [number], text: [number, reference] }
    fixed [side, number, legal_entity_id]
}

/// A payment as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiPayment {
    id: Id,
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
    applied: Money,
    refunded: Money,
    /// Part that can still be applied or refunded.
    available: Money,
    confirmed_at: Option<Instant>,
    /// Accounting day of the voiding or reversal; null before that.
    voided_on: Option<Date>,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

/// A payment as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiPayment,
    /// Id of the money account; null if the legal entity keeps no books.
    account_id: Option<Id>,
    notes: Option<String>,
    confirmed_by: Option<String>,
    void_reason: Option<String>,
}

impl ApiPayment {
    pub fn from_row(row: &PaymentRow, funds: Option<&FundsRow>) -> ApiPayment {
        let funds_amount = |part: fn(&FundsRow) -> Money| funds.map_or(Money::ZERO, part);
        ApiPayment {
            id: row.id,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            party_id: row.party_id,
            currency_code: row.currency_code.clone(),
            amount: row.amount,
            method: row.method,
            card_kind: row.card_kind,
            paid_on: row.paid_on,
            reference: row.reference.clone(),
            status: row.status,
            origin: row.origin,
            receipt_id: row.receipt_id,
            order_id: row.order_id,
            applied: funds_amount(|funds| funds.applied),
            refunded: funds_amount(|funds| funds.refunded),
            available: funds_amount(|funds| funds.available),
            confirmed_at: row.confirmed_at,
            voided_on: row.voided_on,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl Payment {
    pub fn from_row(row: &PaymentRow, funds: Option<&FundsRow>) -> Payment {
        Payment {
            tenant_id: tenant(),
            public: ApiPayment::from_row(row, funds),
            account_id: row.account_id,
            notes: row.notes.clone(),
            confirmed_by: row.confirmed_by.clone(),
            void_reason: row.void_reason.clone(),
        }
    }
}
