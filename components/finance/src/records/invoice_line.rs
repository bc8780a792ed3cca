//! Lines of invoices: as they are kept, and as they are shown to people and API clients of either side.

use std::collections::BTreeSet;

use stoa_sdk::{Id, collection, set};
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking, pieces};
use stoa_trade::{JsonList, resource, with_lines};

use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, InvoiceBalanceRow, InvoiceRow, PurchaseInvoiceHeader,
    SalesInvoiceHeader,
};
use crate::records::known_unit::line_with_units;

collection! {
    /// `line_no` is a place and counts from 0; callers count from 1. `tracking` is the product's, whatever the request said.
    /// `order_unit_cost` is what the order of a purchase agreed. `product_id`: audit entries are found by it. `unit_ids`: in a
    /// draft those that a person named, in a posted invoice those that it bills.
    pub ledger InvoiceLineRow in "invoice_line" {
        invoice_id: Id,
        line_set_id: Id,
        line_no: i64,
        variant_id: Option<Id>,
        product_id: Option<Id>,
        description: Option<String>,
        tracking: Tracking,
        quantity: Quantity,
        unit_amount: Money,
        line_total: Amount,
        order_id: Option<Id>,
        order_item_id: Option<Id>,
        receipt_item_id: Option<Id>,
        order_unit_cost: Option<Money>,
        account_id: Option<Id>,
        price_reason: Option<String>,
        unit_ids: JsonList<Id>,
    }
    unique { place: [line_set_id, line_no] }
    index { [order_item_id], [order_id], [variant_id], [invoice_id] }
}

impl InvoiceLineRow {
    /// Returns whether it bills serial units: its product has them, or it names one.
    pub fn is_serialized(&self) -> bool {
        self.tracking == Tracking::Serialized || !self.unit_ids.0.is_empty()
    }

    /// Its position in the record.
    pub fn pointer(&self) -> String {
        format!("/lines/{}", self.line_no)
    }

    /// How many whole pieces it bills.
    pub fn pieces(&self) -> usize {
        pieces(self.quantity).unwrap_or_default()
    }
}

/// The products of these lines.
pub fn products_of(lines: &[InvoiceLineRow]) -> BTreeSet<Id> {
    set(lines.iter().filter_map(|line| line.product_id))
}

resource! {
    /// The members of a line of either side that everybody sees.
    pub struct LineFacts of row: InvoiceLineRow {
        id: Id,
        #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
        line_no: i64 = row.line_no + 1,
        variant_id: Option<Id>,
        description: Option<String>,
        /// Current data of the product.
        tracking_mode: Tracking = row.tracking,
        quantity: Quantity,
        line_total: Amount,
        order_id: Option<Id>,
        order_item_id: Option<Id>,
        /// Units on the line.
        unit_count: usize = row.unit_ids.0.len(),
    }
}

resource! {
    /// A line of a sales invoice as returned to API clients.
    pub struct ApiSalesInvoiceLine of row: InvoiceLineRow {
        #[serde(flatten)]
        facts: LineFacts = LineFacts::from_row(row),
        unit_price: Money = row.unit_amount,
        price_reason: Option<String>,
    }
}

line_with_units! {
    /// A line of a sales invoice as returned to users.
    SalesInvoiceLine beyond ApiSalesInvoiceLine of InvoiceLineRow {
        account_id: Option<Id>,
    }
}

resource! {
    /// A line of a purchase invoice as returned to API clients.
    pub struct ApiPurchaseInvoiceLine of row: InvoiceLineRow {
        #[serde(flatten)]
        facts: LineFacts = LineFacts::from_row(row),
        unit_cost: Money = row.unit_amount,
        receipt_item_id: Option<Id>,
    }
}

line_with_units! {
    /// A line of a purchase invoice as returned to users.
    PurchaseInvoiceLine beyond ApiPurchaseInvoiceLine of InvoiceLineRow {
        account_id: Option<Id>,
    }
}

with_lines! {
    /// A sales invoice as returned to users.
    pub struct SalesInvoice of row: InvoiceRow, paid: Option<&InvoiceBalanceRow>
        => SalesInvoiceHeader, lines: [SalesInvoiceLine; LINES];
    /// A sales invoice as returned to API clients, without units.
    pub struct ApiSalesInvoice of row: InvoiceRow, paid: Option<&InvoiceBalanceRow>
        => ApiSalesInvoiceHeader, lines: [ApiSalesInvoiceLine; LINES];
    /// A purchase invoice as returned to users.
    pub struct PurchaseInvoice of row: InvoiceRow, paid: Option<&InvoiceBalanceRow>
        => PurchaseInvoiceHeader, lines: [PurchaseInvoiceLine; LINES];
    /// A purchase invoice as returned to API clients, without units.
    pub struct ApiPurchaseInvoice of row: InvoiceRow, paid: Option<&InvoiceBalanceRow>
        => ApiPurchaseInvoiceHeader, lines: [ApiPurchaseInvoiceLine; LINES];
}
