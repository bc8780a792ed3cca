//! Invoices of both sides: as they are kept, what changes of them while they are valid, and how they are shown
//! (finance-ledger.md B2).

use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

use crate::records::side::Side;

text_enum! {
    /// A DRAFT becomes ISSUED when it is issued, recognised or confirmed; both can become VOID. An ISSUED invoice is immutable
    /// and counts as owed until it is settled or VOID.
    pub enum InvoiceStatus { Draft => "DRAFT", Issued => "ISSUED", Void => "VOID" }
}

collection! {
    /// `number_scope` is the legal entity, or the supplier who numbers his own. The lines are those of `line_set_id`: a
    /// replacement of a draft makes another set. `posted_on` is the day of its entry, `reference_key` the document
    /// reference as it is compared, null unless it is posted.
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
        [side, updated_at],
        [line_set_id],
    }
    search { number: [number], text: [number, reference, document_reference] }
    fixed [side, number, legal_entity_id]
}

collection! {
    /// The paid part of an invoice. It has a row from the day it is posted: changes of it by others never raise its
    /// version. `balance` is what is still owed, nothing once it is void. `settled_on` is set exactly while nothing is
    /// owed. `collected`: the register collected its order, so that nothing else pays it.
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
    index { [side, legal_entity_id, currency_code], [side, party_id], [side, updated_at] }
    checks { applied: [applied >= 0], balance: [balance >= 0] }
    lock_order [invoice_id]
    counters [applied, balance]
}

impl InvoiceRow {
    pub fn is_issued(&self) -> bool {
        self.status == InvoiceStatus::Issued
    }
}

resource! {
    /// The members of an invoice of either side that everybody sees.
    pub struct InvoiceFacts of record row: InvoiceRow, paid: Option<&InvoiceBalanceRow> {
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
        applied: Money = paid.map_or(Money::ZERO, |paid| paid.applied),
        /// Amount that is still to be paid; null unless the invoice is ISSUED.
        balance: Option<Money> = paid.filter(|_| row.is_issued()).map(|paid| paid.balance),
        /// Instant at which the balance became zero; null before that.
        settled_on: Option<Date> = paid.filter(|_| row.is_issued()).and_then(|paid| paid.settled_on),
        voided_on: Option<Date>,
    }
}

resource! {
    /// A sales invoice in a list, as returned to API clients.
    pub struct ApiSalesInvoiceHeader of row: InvoiceRow, paid: Option<&InvoiceBalanceRow> {
        #[serde(flatten)]
        facts: InvoiceFacts = InvoiceFacts::from_row(row, paid),
        /// Accounting day on which the revenue of lines without an order was recognised; null before that.
        revenue_recognized_on: Option<Date>,
        /// Id of the order that was delivered together with the invoice; null if none was.
        delivery_order_id: Option<Id>,
    }
}

resource! {
    /// A sales invoice in a list, as returned to users.
    pub struct SalesInvoiceHeader beyond ApiSalesInvoiceHeader of row: InvoiceRow, paid: Option<&InvoiceBalanceRow> {
        notes: Option<String>,
        void_reason: Option<String>,
    }
}

resource! {
    /// A purchase invoice in a list, as returned to API clients.
    pub struct ApiPurchaseInvoiceHeader of row: InvoiceRow, paid: Option<&InvoiceBalanceRow> {
        #[serde(flatten)]
        facts: InvoiceFacts = InvoiceFacts::from_row(row, paid),
        /// Number of the supplier's own document.
        document_reference: Option<String>,
        recognized_on: Option<Date> = row.posted_on,
        /// Id of the goods receipt that was created together with the invoice; null if none was.
        receipt_id: Option<Id>,
    }
}

resource! {
    /// A purchase invoice in a list, as returned to users.
    pub struct PurchaseInvoiceHeader beyond ApiPurchaseInvoiceHeader
    of row: InvoiceRow, paid: Option<&InvoiceBalanceRow> {
        notes: Option<String>,
        void_reason: Option<String>,
    }
}
