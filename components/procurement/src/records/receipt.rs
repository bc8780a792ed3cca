//! Goods receipts: as they are kept, for ever as they were written, and as they are answered.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, tenant};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::{Amount, Quantity};

use crate::records::EXAMPLE_ID;
use crate::records::receipt_item::{ApiGoodsReceiptItem, GoodsReceiptItem};

/// Resource type of the audit entries and of the events.
pub const RECEIPT: &str = "GOODS_RECEIPT";

collection! {
    pub ledger ReceiptRow in "receipt" {
        order_id: Id,
        shipment_id: Option<Id>,
        supplier_id: Id,
        legal_entity_id: Id,
        warehouse_id: Id,
        location_id: Option<Id>,
        currency_code: String,
        reason: String,
        total: Amount,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
    index { [order_id, id], [supplier_id, id], [warehouse_id, id], [legal_entity_id, id] }
}

/// Receipt of a write.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptWrite {
    id: Id,
    order_id: Id,
    #[schemars(range(min = 2))]
    order_version: i64,
    created_at: Instant,
}

/// The answer to a write; the order has this version after it.
pub fn show_write(row: &ReceiptRow, order_version: i64) -> Reply {
    let written = GoodsReceiptWrite { id: row.id, order_id: row.order_id, order_version, created_at: row.created_at };
    Reply::json(&written).resource(row.id)
}

/// A receipt as returned to API clients, without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicGoodsReceiptHeader")]
pub struct ApiGoodsReceiptHeader {
    id: Id,
    order_id: Id,
    /// Only for an IMPORT order.
    shipment_id: Option<Id>,
    supplier_id: Id,
    legal_entity_id: Id,
    warehouse_id: Id,
    warehouse_location_id: Option<Id>,
    currency_code: String,
    reason: String,
    /// Cost of the goods at the unit costs of the order, without charges.
    total: Amount,
    actor_type: ActorType,
    created_at: Instant,
}

impl ApiGoodsReceiptHeader {
    pub fn from_row(row: &ReceiptRow) -> ApiGoodsReceiptHeader {
        ApiGoodsReceiptHeader {
            id: row.id,
            order_id: row.order_id,
            shipment_id: row.shipment_id,
            supplier_id: row.supplier_id,
            legal_entity_id: row.legal_entity_id,
            warehouse_id: row.warehouse_id,
            warehouse_location_id: row.location_id,
            currency_code: row.currency_code.clone(),
            reason: row.reason.clone(),
            total: row.total,
            actor_type: row.actor_type,
            created_at: row.created_at,
        }
    }
}

/// A receipt in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptHeader {
    #[serde(flatten)]
    public: ApiGoodsReceiptHeader,
    tenant_id: Id,
    actor_id: String,
    request_id: Id,
}

impl GoodsReceiptHeader {
    pub fn from_row(row: &ReceiptRow) -> GoodsReceiptHeader {
        GoodsReceiptHeader {
            public: ApiGoodsReceiptHeader::from_row(row),
            tenant_id: tenant(),
            actor_id: row.actor_id.clone(),
            request_id: row.request_id,
        }
    }
}

/// A receipt as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GoodsReceipt {
    #[serde(flatten)]
    pub header: GoodsReceiptHeader,
    pub items: Vec<GoodsReceiptItem>,
}

/// A receipt as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicGoodsReceipt")]
pub struct ApiGoodsReceipt {
    #[serde(flatten)]
    pub header: ApiGoodsReceiptHeader,
    pub items: Vec<ApiGoodsReceiptItem>,
}

/// Event data of a receipt.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptEvent {
    pub receipt_id: Id,
    pub order_id: Id,
    #[schemars(range(min = 2))]
    pub order_version: i64,
    pub warehouse_id: Id,
    pub lines: Vec<GoodsReceiptEventLine>,
}

/// Received goods of one variant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsReceiptEventLine {
    pub variant_id: Id,
    pub quantity: Quantity,
}

impl EventData for GoodsReceiptEvent {
    fn example() -> GoodsReceiptEvent {
        GoodsReceiptEvent {
            receipt_id: EXAMPLE_ID,
            order_id: EXAMPLE_ID,
            order_version: 3,
            warehouse_id: EXAMPLE_ID,
            lines: vec![GoodsReceiptEventLine { variant_id: EXAMPLE_ID, quantity: Quantity::from_units(2_000_000) }],
        }
    }
}

pub const RECEIPT_CREATED: EventKind<GoodsReceiptEvent> =
    EventKind::new("procurement.receipt.created", RECEIPT, "Goods or services of a purchase order were received.");
