//! Invoices of both sides: as they are kept, what changes of them while they stand, and how they are shown (finance-ledger.md B2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, tenant, text_enum};
use stoa_trade::quantity::Money;

use crate::records::side::Side;

text_enum! {
    /// ISSUED invoices are immutable and count as owed until they are settled or void.
    pub enum InvoiceStatus { Draft => "DRAFT", Issued => "ISSUED", Void => "VOID" }
}

collection! {
    /// `number_scope` is the legal entity, or the supplier who numbers his own. The lines are those of `line_set_id`: a replacement of
    /// a draft makes another set. `posted_on` is the day of its entry, `reference_key` the document reference as it is compared,
    /// null unless it is posted.
    pub record InvoiceRow in "invoice" {
        side: Side,
        number: String,
        number_key: String,
        number_scope: Id,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        party_id: Id,
        currency_code: String,
        status: InvoiceStatus,
        line_set_id: Id,
        issued_on: Option<Date>,
        due_on: Option<Date>,
        posted_on: Option<Date>,
        document_reference: Option<String>,
        reference_key: Option<String>,
        reference: Option<String>,
        notes: Option<String>,
        total: Money,
        revenue_recognized_on: Option<Date>,
        delivery_order_id: Option<Id>,
        receipt_id: Option<Id>,
        voided_on: Option<Date>,
        void_reason: Option<String>,
    }
    unique {
        number: [side, legal_entity_id, number_scope, number_key],
        reference: [legal_entity_id, party_id, reference_key],
    }
    index {
        [side, id],
        [side, party_id, status, id],
        [side, legal_entity_id, currency_code, status],
        [side, posted_on],
        [line_set_id],
    }
    search { number: [number], text: [number, reference, document_reference] }
    fixed [side, number, legal_entity_id]
}

collection! {
    /// The paid part of an invoice. It has a row from the day it is posted: what others do to it never raises its version. `balance`
    /// is what is still owed, nothing once it is void. `settled_on` is set exactly while nothing is owed. `collected`: the register
    /// collected its order, so that nothing else pays it.
    pub projection InvoiceBalanceRow in "invoice_balance" {
        invoice_id: Id,
        side: Side,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        applied: Money,
        balance: Money,
        settled_on: Option<Date>,
        collected: bool,
    }
    unique { invoice: [invoice_id] }
    index { [side, legal_entity_id, currency_code], [side, party_id] }
    checks { applied: [applied >= 0], balance: [balance >= 0] }
    lock_order [invoice_id]
    counters [applied, balance]
}

/// What everybody sees of an invoice of either side.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceFacts {
    id: Id,
    number: String,
    legal_entity_id: Id,
    branch_id: Option<Id>,
    party_id: Id,
    currency_code: String,
    status: InvoiceStatus,
    issued_on: Option<Date>,
    /// Last day of payment. Null on a posted invoice: due at once.
    due_on: Option<Date>,
    reference: Option<String>,
    /// Exact sum of the lines.
    total: Money,
    /// Sum of the applications, minus reversals.
    applied: Money,
    /// Amount that is still to be paid; null unless the invoice is ISSUED.
    balance: Option<Money>,
    /// Instant at which the balance became zero; null before that.
    settled_on: Option<Date>,
    voided_on: Option<Date>,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

impl InvoiceFacts {
    fn from_row(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>) -> InvoiceFacts {
        let is_issued = row.status == InvoiceStatus::Issued;
        InvoiceFacts {
            id: row.id,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            branch_id: row.branch_id,
            party_id: row.party_id,
            currency_code: row.currency_code.clone(),
            status: row.status,
            issued_on: row.issued_on,
            due_on: row.due_on,
            reference: row.reference.clone(),
            total: row.total,
            applied: paid.map_or(Money::ZERO, |paid| paid.applied),
            balance: paid.filter(|_| is_issued).map(|paid| paid.balance),
            settled_on: paid.filter(|_| is_issued).and_then(|paid| paid.settled_on),
            voided_on: row.voided_on,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A sales invoice in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesInvoiceHeader {
    #[serde(flatten)]
    facts: InvoiceFacts,
    /// Accounting day on which the revenue of lines without an order was recognised; null before that.
    revenue_recognized_on: Option<Date>,
    /// Id of the order that was delivered together with the invoice; null if none was.
    delivery_order_id: Option<Id>,
}

/// A sales invoice in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesInvoiceHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiSalesInvoiceHeader,
    notes: Option<String>,
    void_reason: Option<String>,
}

/// A purchase invoice in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiPurchaseInvoiceHeader {
    #[serde(flatten)]
    facts: InvoiceFacts,
    /// Number of the supplier's own document.
    document_reference: Option<String>,
    recognized_on: Option<Date>,
    /// Id of the goods receipt that was created together with the invoice; null if none was.
    receipt_id: Option<Id>,
}

/// A purchase invoice in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseInvoiceHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiPurchaseInvoiceHeader,
    notes: Option<String>,
    void_reason: Option<String>,
}

impl ApiSalesInvoiceHeader {
    pub fn from_row(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>) -> ApiSalesInvoiceHeader {
        ApiSalesInvoiceHeader {
            facts: InvoiceFacts::from_row(row, paid),
            revenue_recognized_on: row.revenue_recognized_on,
            delivery_order_id: row.delivery_order_id,
        }
    }
}

impl SalesInvoiceHeader {
    pub fn from_row(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>) -> SalesInvoiceHeader {
        SalesInvoiceHeader {
            tenant_id: tenant(),
            public: ApiSalesInvoiceHeader::from_row(row, paid),
            notes: row.notes.clone(),
            void_reason: row.void_reason.clone(),
        }
    }
}

impl ApiPurchaseInvoiceHeader {
    pub fn from_row(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>) -> ApiPurchaseInvoiceHeader {
        ApiPurchaseInvoiceHeader {
            facts: InvoiceFacts::from_row(row, paid),
            document_reference: row.document_reference.clone(),
            recognized_on: row.posted_on,
            receipt_id: row.receipt_id,
        }
    }
}

impl PurchaseInvoiceHeader {
    pub fn from_row(row: &InvoiceRow, paid: Option<&InvoiceBalanceRow>) -> PurchaseInvoiceHeader {
        PurchaseInvoiceHeader {
            tenant_id: tenant(),
            public: ApiPurchaseInvoiceHeader::from_row(row, paid),
            notes: row.notes.clone(),
            void_reason: row.void_reason.clone(),
        }
    }
}
