//! The payments of a receipt: its components, each of which is one payment of finance (sales-pos.md 11, T4).

use stoa_sdk::{Id, Instant, collection, text_enum};
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Money;
use stoa_trade::resource;

text_enum! {
    /// A payment at a register is always CONFIRMED.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum PaymentStatus { Confirmed => "CONFIRMED" }
}

collection! {
    /// `payment_id` is finance's payment. `account_id` is where the money went; none if the entity keeps no books.
    pub ledger PaymentRow in "receipt_payment" {
        receipt_id: Id,
        session_id: Id,
        line_no: i64,
        method: Method,
        card_kind: Option<CardKind>,
        amount: Money,
        currency_code: String,
        account_id: Option<Id>,
        reference: Option<String>,
        payment_id: Id,
    }
    unique { line: [receipt_id, line_no], payment: [payment_id] }
    index { [session_id, method] }
}

/// A component of the receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// From 1.
    pub line_no: u8,
    pub method: Method,
    pub card_kind: Option<CardKind>,
    pub amount: Money,
    pub account: Option<Id>,
    pub reference: Option<String>,
}

/// A total that is paid: it is the sum of the components, and the amount tendered less the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    pub total: Money,
    pub components: Vec<Component>,
    /// The cash that stays in the drawer.
    pub cash: Money,
    pub tendered: Money,
    pub change: Money,
}

resource! {
    /// A payment of a receipt as returned to API clients.
    pub struct ApiPosReceiptPayment of row: PaymentRow {
        /// Id of the payment, the same as in finance.
        id: Id = row.payment_id,
        receipt_id: Id,
        #[schemars(range(min = 1))]
        line_no: i64,
        /// Method of a payment.
        method: Method,
        /// Kind of a card.
        card_kind: Option<CardKind>,
        amount: Money,
        currency_code: String,
        status: PaymentStatus = PaymentStatus::Confirmed,
        reference: Option<String>,
        created_at: Instant,
    }
}

resource! {
    /// A payment of a receipt as returned to users.
    pub struct PosReceiptPayment beyond ApiPosReceiptPayment of row: PaymentRow {
        /// Id of the money account; null if the legal entity keeps no books.
        account_id: Option<Id>,
    }
}
