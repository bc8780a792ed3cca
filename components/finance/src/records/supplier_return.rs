//! Goods that go back to their supplier, independent of any credit: the document is kept here, its goods by inventory
//! (finance-ledger.md B8).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, collection, tenant, text_enum};
use stoa_trade::JsonList;
use stoa_trade::quantity::Quantity;

use crate::records::known_unit::NamedUnit;

text_enum! {
    /// SHIPPED and CANCELLED returns are immutable.
    pub enum SupplierReturnStatus { Draft => "DRAFT", Shipped => "SHIPPED", Cancelled => "CANCELLED" }
}

collection! {
    /// Its lines are those of `line_set_id`. The currency is that of the receipts.
    pub record SupplierReturnRow in "supplier_return" {
        number: String,
        number_key: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        warehouse_id: Id,
        status: SupplierReturnStatus,
        line_set_id: Id,
        reason: String,
        notes: Option<String>,
        shipped_on: Option<Date>,
    }
    unique { number: [legal_entity_id, number_key] }
    index { [party_id, id], [status, id], [warehouse_id, id], [line_set_id] }
    search { number: [number], text: [number, reason] }
    fixed [number, legal_entity_id]
}

collection! {
    /// `line_no` is a place and counts from 0; callers count from 1.
    pub ledger SupplierReturnLineRow in "supplier_return_line" {
        return_id: Id,
        line_set_id: Id,
        line_no: i64,
        receipt_item_id: Id,
        receipt_id: Id,
        variant_id: Id,
        product_id: Id,
        quantity: Quantity,
        unit_ids: JsonList<Id>,
    }
    unique { place: [line_set_id, line_no] }
    index { [receipt_item_id], [return_id] }
}

collection! {
    /// The part of a receipt's line that went back. `received` is the line's own quantity.
    pub projection ReturnProgressRow in "return_progress" {
        receipt_item_id: Id,
        received: Quantity,
        returned: Quantity = "0",
    }
    unique { item: [receipt_item_id] }
    checks { returned: [returned >= 0, returned <= received] }
    lock_order [receipt_item_id]
    counters [returned]
}

/// A supplier return in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSupplierReturnHeader {
    id: Id,
    number: String,
    legal_entity_id: Id,
    party_id: Id,
    /// Currency of the receipts.
    currency_code: String,
    warehouse_id: Id,
    status: SupplierReturnStatus,
    reason: String,
    shipped_on: Option<Date>,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

/// A supplier return in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SupplierReturnHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiSupplierReturnHeader,
    notes: Option<String>,
}

/// A line as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSupplierReturnLine {
    id: Id,
    #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
    line_no: i64,
    receipt_item_id: Id,
    variant_id: Id,
    quantity: Quantity,
    unit_count: usize,
}

/// A line as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SupplierReturnLine {
    #[serde(flatten)]
    public: ApiSupplierReturnLine,
    units: Vec<NamedUnit>,
}

/// A supplier return as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SupplierReturn {
    #[serde(flatten)]
    pub header: SupplierReturnHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<SupplierReturnLine>,
}

/// A return as returned to API clients, without units.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiSupplierReturn {
    #[serde(flatten)]
    pub header: ApiSupplierReturnHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<ApiSupplierReturnLine>,
}

impl ApiSupplierReturnHeader {
    pub fn from_row(row: &SupplierReturnRow) -> ApiSupplierReturnHeader {
        ApiSupplierReturnHeader {
            id: row.id,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            party_id: row.party_id,
            currency_code: row.currency_code.clone(),
            warehouse_id: row.warehouse_id,
            status: row.status,
            reason: row.reason.clone(),
            shipped_on: row.shipped_on,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl SupplierReturnHeader {
    pub fn from_row(row: &SupplierReturnRow) -> SupplierReturnHeader {
        SupplierReturnHeader {
            tenant_id: tenant(),
            public: ApiSupplierReturnHeader::from_row(row),
            notes: row.notes.clone(),
        }
    }
}

impl ApiSupplierReturnLine {
    pub fn from_row(row: &SupplierReturnLineRow) -> ApiSupplierReturnLine {
        ApiSupplierReturnLine {
            id: row.id,
            line_no: row.line_no + 1,
            receipt_item_id: row.receipt_item_id,
            variant_id: row.variant_id,
            quantity: row.quantity,
            unit_count: row.unit_ids.0.len(),
        }
    }
}

impl SupplierReturnLine {
    pub fn from_row(row: &SupplierReturnLineRow, units: Vec<NamedUnit>) -> SupplierReturnLine {
        SupplierReturnLine { public: ApiSupplierReturnLine::from_row(row), units }
    }
}
