//! Revenue that was recognised without an order: the ledger that reports of sales add to what was delivered.

use stoa_sdk::{Date, Id, collection};
use stoa_trade::dates::Month;
use stoa_trade::quantity::{Amount, Quantity};

collection! {
    /// `document_count` is 1 on the first line of an invoice. A void invoice has its lines again below zero.
    pub ledger RevenueLineRow in "revenue_line" {
        invoice_id: Id,
        line_no: i64,
        undo: bool,
        legal_entity_id: Id,
        branch_id: Option<Id>,
        customer_id: Id,
        variant_id: Option<Id>,
        currency_code: String,
        on_date: Date,
        month: Month,
        quantity: Quantity,
        revenue: Amount,
        document_count: i64,
    }
    unique { line: [invoice_id, line_no, undo] }
    index { [legal_entity_id, currency_code, on_date], [legal_entity_id, id] }
}
