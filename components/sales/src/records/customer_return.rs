//! Goods that come back from a completed order: as they are kept, and as people and API clients see them (sales-pos.md 6). It is
//! physical only, independent of any credit.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Filter, Id, Instant, Reply, all, collection, tenant, text_enum};
use stoa_trade::JsonList;
use stoa_trade::quantity::{Quantity, Tracking};

use crate::records::order_item::KnownUnit;

/// Audit name of customer returns.
pub const CUSTOMER_RETURN: &str = "CUSTOMER_RETURN";

text_enum! {
    /// RECEIVED and CANCELLED returns are immutable.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReturnStatus { Draft => "DRAFT", Received => "RECEIVED", Cancelled => "CANCELLED" }
}

text_enum! {
    // Disposition of goods that come back: on sale again, to be inspected, worth nothing. The last two are for units. No doc
    // comment: it would be the description of every member of this type.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum ReturnDisposition { Restock => "RESTOCK", Inspect => "INSPECT", Damaged => "DAMAGED" }
}

collection! {
    pub record SalesReturnRow in "sales_return" {
        order_id: Id,
        customer_id: Id,
        legal_entity_id: Id,
        warehouse_id: Id,
        location_id: Option<Id>,
        reason: String,
        status: ReturnStatus,
        received_at: Option<Instant>,
    }
    index { [order_id, id], [status, id], [customer_id, id], [legal_entity_id, id], [warehouse_id, id] }
}

collection! {
    /// `line_no` null: taken out of the draft. `units`: those that a person named, and once received those that came.
    pub record SalesReturnItemRow in "sales_return_item" {
        return_id: Id,
        line_no: Option<i64>,
        item_id: Id,
        variant_id: Id,
        product_id: Id,
        tracking: Tracking,
        quantity: Quantity,
        disposition: ReturnDisposition,
        units: JsonList<Id>,
    }
    unique { item: [return_id, item_id, disposition] }
}

impl SalesReturnItemRow {
    /// The lines of a return as they are in it.
    pub fn live_of(return_id: Id) -> Filter {
        all([SalesReturnItemRow::return_id.eq(return_id), SalesReturnItemRow::line_no.not_null()])
    }
}

/// A customer return in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesReturnHeader {
    id: Id,
    status: ReturnStatus,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
    order_id: Id,
    /// Id of the customer of the order.
    customer_id: Id,
    /// Legal entity of the order.
    legal_entity_id: Id,
    warehouse_id: Id,
    warehouse_location_id: Option<Id>,
    reason: String,
    received_at: Option<Instant>,
}

/// A customer return in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesReturnHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiSalesReturnHeader,
}

/// A line as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiSalesReturnItem {
    id: Id,
    /// Id of the order line.
    item_id: Id,
    variant_id: Id,
    tracking_mode: Tracking,
    quantity: Quantity,
    disposition: ReturnDisposition,
}

/// A line as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesReturnItem {
    #[serde(flatten)]
    line: ApiSalesReturnItem,
    unit_count: usize,
    units: Vec<ReturnUnit>,
}

/// A unit that comes back. Members after `unitId` are present only for callers with `inventory.serials.read`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnUnit {
    unit_id: Id,
    #[serde(flatten)]
    known: Option<KnownUnit>,
}

/// A customer return as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SalesReturn {
    #[serde(flatten)]
    pub header: SalesReturnHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub items: Vec<SalesReturnItem>,
}

/// A return as returned to API clients, without units.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiSalesReturn {
    #[serde(flatten)]
    pub header: ApiSalesReturnHeader,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub items: Vec<ApiSalesReturnItem>,
}

/// Receipt of a write.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesReturnWrite {
    id: Id,
    status: ReturnStatus,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

impl ApiSalesReturnHeader {
    pub fn from_row(row: &SalesReturnRow) -> ApiSalesReturnHeader {
        ApiSalesReturnHeader {
            id: row.id,
            status: row.status,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            order_id: row.order_id,
            customer_id: row.customer_id,
            legal_entity_id: row.legal_entity_id,
            warehouse_id: row.warehouse_id,
            warehouse_location_id: row.location_id,
            reason: row.reason.clone(),
            received_at: row.received_at,
        }
    }
}

impl SalesReturnHeader {
    pub fn from_row(row: &SalesReturnRow) -> SalesReturnHeader {
        SalesReturnHeader { tenant_id: tenant(), public: ApiSalesReturnHeader::from_row(row) }
    }
}

impl ApiSalesReturnItem {
    pub fn from_row(row: &SalesReturnItemRow) -> ApiSalesReturnItem {
        ApiSalesReturnItem {
            id: row.id,
            item_id: row.item_id,
            variant_id: row.variant_id,
            tracking_mode: row.tracking,
            quantity: row.quantity,
            disposition: row.disposition,
        }
    }
}

impl SalesReturnItem {
    /// `known` says what the reader may know of a unit.
    pub fn from_row(row: &SalesReturnItemRow, known: impl Fn(Id) -> Option<KnownUnit>) -> SalesReturnItem {
        let unit = |unit_id: &Id| ReturnUnit { unit_id: *unit_id, known: known(*unit_id) };
        SalesReturnItem {
            line: ApiSalesReturnItem::from_row(row),
            unit_count: row.units.0.len(),
            units: row.units.0.iter().map(unit).collect(),
        }
    }
}

/// The receipt of a write; the audit entry is found by the order and the customer too.
pub fn receipt(row: &SalesReturnRow) -> Reply {
    Reply::json(&SalesReturnWrite {
        id: row.id,
        status: row.status,
        version: row.version,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
    .resource(row.id)
    .subjects([row.order_id, row.customer_id])
}
