//! Purchase orders as they are answered: headers in lists, records with their lines; to API clients without tenant and names of
//! people.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Date, Id, Instant, tenant};
use stoa_trade::quantity::Amount;

use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::{ApiPurchaseOrderItem, OrderItemRow, PurchaseOrderItem};

/// An order as returned to API clients, without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicPurchaseOrderHeader")]
pub struct ApiPurchaseOrderHeader {
    id: Id,
    kind: OrderKind,
    number: String,
    legal_entity_id: Id,
    warehouse_id: Id,
    supplier_id: Id,
    currency_code: String,
    notes: Option<String>,
    expected_on: Option<Date>,
    status: OrderStatus,
    #[schemars(range(min = 1))]
    version: i64,
    total: Amount,
    approved_at: Option<Instant>,
    cancelled_at: Option<Instant>,
    cancel_reason: Option<String>,
    created_at: Instant,
    updated_at: Instant,
}

impl ApiPurchaseOrderHeader {
    pub fn from_row(row: &OrderRow) -> ApiPurchaseOrderHeader {
        ApiPurchaseOrderHeader {
            id: row.id,
            kind: row.kind,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            warehouse_id: row.warehouse_id,
            supplier_id: row.supplier_id,
            currency_code: row.currency_code.clone(),
            notes: row.notes.clone(),
            expected_on: row.expected_on,
            status: row.status,
            version: row.version,
            total: row.total,
            approved_at: row.approved_at,
            cancelled_at: row.cancelled_at,
            cancel_reason: row.cancel_reason.clone(),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// What only people read of an order but for its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrderFacts {
    tenant_id: Id,
    /// Id of the user who drafted the order.
    created_by: String,
    approved_by: Option<String>,
}

impl PurchaseOrderFacts {
    pub fn from_row(row: &OrderRow) -> PurchaseOrderFacts {
        PurchaseOrderFacts {
            tenant_id: tenant(),
            created_by: row.created_by.clone(),
            approved_by: row.approved_by.clone(),
        }
    }
}

/// An order in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrderHeader {
    #[serde(flatten)]
    public: ApiPurchaseOrderHeader,
    #[serde(flatten)]
    facts: PurchaseOrderFacts,
    item_count: i64,
}

impl PurchaseOrderHeader {
    pub fn from_row(row: &OrderRow) -> PurchaseOrderHeader {
        PurchaseOrderHeader {
            public: ApiPurchaseOrderHeader::from_row(row),
            facts: PurchaseOrderFacts::from_row(row),
            item_count: row.item_count,
        }
    }
}

/// An order as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrder {
    #[serde(flatten)]
    public: ApiPurchaseOrderHeader,
    #[serde(flatten)]
    facts: PurchaseOrderFacts,
    items: Vec<PurchaseOrderItem>,
}

impl PurchaseOrder {
    /// The lines in their order.
    pub fn from_row(row: &OrderRow, items: &[OrderItemRow]) -> PurchaseOrder {
        PurchaseOrder {
            public: ApiPurchaseOrderHeader::from_row(row),
            facts: PurchaseOrderFacts::from_row(row),
            items: items.iter().map(|item| PurchaseOrderItem::from_row(item, row.status)).collect(),
        }
    }
}

/// An order as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicPurchaseOrder")]
pub struct ApiPurchaseOrder {
    #[serde(flatten)]
    header: ApiPurchaseOrderHeader,
    items: Vec<ApiPurchaseOrderItem>,
}

impl ApiPurchaseOrder {
    /// The lines in their order.
    pub fn from_row(row: &OrderRow, items: &[OrderItemRow]) -> ApiPurchaseOrder {
        ApiPurchaseOrder {
            header: ApiPurchaseOrderHeader::from_row(row),
            items: items.iter().map(|item| ApiPurchaseOrderItem::from_row(item, row.status)).collect(),
        }
    }
}
