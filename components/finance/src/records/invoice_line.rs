//! Lines of invoices: as they are kept, and as they are shown to people and API clients of either side.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, collection, set};
use stoa_trade::JsonList;
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking, pieces};

use crate::records::invoice::{
    ApiPurchaseInvoiceHeader, ApiSalesInvoiceHeader, PurchaseInvoiceHeader, SalesInvoiceHeader,
};
use crate::records::known_unit::NamedUnit;

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
    /// Whether it bills serial units: its product has them, or it names one.
    pub fn is_serialized(&self) -> bool {
        self.tracking == Tracking::Serialized || !self.unit_ids.0.is_empty()
    }

    /// Where it stands in the record.
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

/// What everybody sees of a line of either side.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineFacts {
    id: Id,
    #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
    line_no: i64,
    variant_id: Option<Id>,
    description: Option<String>,
    /// Current data of the product.
    tracking_mode: Tracking,
    quantity: Quantity,
    line_total: Amount,
    order_id: Option<Id>,
    order_item_id: Option<Id>,
    /// Units on the line.
    unit_count: usize,
}

impl LineFacts {
    fn from_row(row: &InvoiceLineRow) -> LineFacts {
        LineFacts {
            id: row.id,
            line_no: row.line_no + 1,
            variant_id: row.variant_id,
            description: row.description.clone(),
            tracking_mode: row.tracking,
            quantity: row.quantity,
            line_total: row.line_total,
            order_id: row.order_id,
            order_item_id: row.order_item_id,
            unit_count: row.unit_ids.0.len(),
        }
    }
}

/// A line of a sales invoice as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesInvoiceLine {
    #[serde(flatten)]
    facts: LineFacts,
    unit_price: Money,
    price_reason: Option<String>,
}

/// A line of a sales invoice as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesInvoiceLine {
    #[serde(flatten)]
    public: ApiSalesInvoiceLine,
    account_id: Option<Id>,
    units: Vec<NamedUnit>,
}

/// A line of a purchase invoice as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiPurchaseInvoiceLine {
    #[serde(flatten)]
    facts: LineFacts,
    unit_cost: Money,
    receipt_item_id: Option<Id>,
}

/// A line of a purchase invoice as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseInvoiceLine {
    #[serde(flatten)]
    public: ApiPurchaseInvoiceLine,
    account_id: Option<Id>,
    units: Vec<NamedUnit>,
}

impl ApiSalesInvoiceLine {
    pub fn from_row(row: &InvoiceLineRow) -> ApiSalesInvoiceLine {
        ApiSalesInvoiceLine {
            facts: LineFacts::from_row(row),
            unit_price: row.unit_amount,
            price_reason: row.price_reason.clone(),
        }
    }
}

impl SalesInvoiceLine {
    pub fn from_row(row: &InvoiceLineRow, units: Vec<NamedUnit>) -> SalesInvoiceLine {
        SalesInvoiceLine { public: ApiSalesInvoiceLine::from_row(row), account_id: row.account_id, units }
    }
}

impl ApiPurchaseInvoiceLine {
    pub fn from_row(row: &InvoiceLineRow) -> ApiPurchaseInvoiceLine {
        ApiPurchaseInvoiceLine {
            facts: LineFacts::from_row(row),
            unit_cost: row.unit_amount,
            receipt_item_id: row.receipt_item_id,
        }
    }
}

impl PurchaseInvoiceLine {
    pub fn from_row(row: &InvoiceLineRow, units: Vec<NamedUnit>) -> PurchaseInvoiceLine {
        PurchaseInvoiceLine { public: ApiPurchaseInvoiceLine::from_row(row), account_id: row.account_id, units }
    }
}

/// A sales invoice as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SalesInvoice {
    #[serde(flatten)]
    pub header: SalesInvoiceHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<SalesInvoiceLine>,
}

/// A sales invoice as returned to API clients, without units.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiSalesInvoice {
    #[serde(flatten)]
    pub header: ApiSalesInvoiceHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<ApiSalesInvoiceLine>,
}

/// A purchase invoice as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PurchaseInvoice {
    #[serde(flatten)]
    pub header: PurchaseInvoiceHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<PurchaseInvoiceLine>,
}

/// A purchase invoice as returned to API clients, without units.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiPurchaseInvoice {
    #[serde(flatten)]
    pub header: ApiPurchaseInvoiceHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<ApiPurchaseInvoiceLine>,
}
