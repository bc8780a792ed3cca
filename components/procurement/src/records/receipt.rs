//! Goods receipts: as they are kept, for ever as they were written, and as they are answered.

use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection, tenant};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::{Amount, Quantity};
use stoa_trade::{resource, with_lines};

use crate::records::EXAMPLE_ID;
use crate::records::receipt_item::{ApiGoodsReceiptItem, GoodsReceiptItem, ReceiptItemRow};

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

resource! {
    /// Receipt of a write. It contains no identifier of a unit, because replays return it again.
    pub struct GoodsReceiptWrite of row: ReceiptRow, order_version: i64, items: &[ReceiptItemRow] {
        id: Id,
        order_id: Id,
        #[schemars(range(min = 2))]
        order_version: i64 = order_version,
        created_at: Instant,
        /// The lines of the receipt, in the order of the request.
        #[schemars(length(max = stoa_trade::limits::LINES))]
        items: Vec<GoodsReceiptItemWrite> = items.iter().map(GoodsReceiptItemWrite::from_row).collect(),
    }
}

resource! {
    /// A line of a receipt that was written.
    pub struct GoodsReceiptItemWrite of row: ReceiptItemRow {
        id: Id,
        order_item_id: Id,
        variant_id: Id,
    }
}

/// The answer to a write; the order has this version after it.
pub fn show_write(row: &ReceiptRow, order_version: i64, items: &[ReceiptItemRow]) -> Reply {
    Reply::json(&GoodsReceiptWrite::from_row(row, order_version, items)).resource(row.id)
}

resource! {
    /// A receipt as returned to API clients, without its lines.
    #[schemars(rename = "PublicGoodsReceiptHeader")]
    pub struct ApiGoodsReceiptHeader of row: ReceiptRow {
        id: Id,
        order_id: Id,
        /// Only for an IMPORT order.
        shipment_id: Option<Id>,
        supplier_id: Id,
        legal_entity_id: Id,
        warehouse_id: Id,
        warehouse_location_id: Option<Id> = row.location_id,
        currency_code: String,
        reason: String,
        /// Cost of the goods at the unit costs of the order, without charges.
        total: Amount,
        actor_type: ActorType,
        created_at: Instant,
    }
}

resource! {
    /// A receipt in a list, as returned to users.
    pub struct GoodsReceiptHeader of row: ReceiptRow {
        #[serde(flatten)]
        public: ApiGoodsReceiptHeader = ApiGoodsReceiptHeader::from_row(row),
        tenant_id: Id = tenant(),
        actor_id: String,
        request_id: Id,
    }
}

with_lines! {
    /// A receipt as returned to users.
    pub struct GoodsReceipt of row: ReceiptRow => GoodsReceiptHeader, items: [GoodsReceiptItem];
}

resource! {
    /// A receipt as returned to API clients.
    #[schemars(rename = "PublicGoodsReceipt")]
    pub struct ApiGoodsReceipt of row: ReceiptRow, items: &[ReceiptItemRow] {
        #[serde(flatten)]
        header: ApiGoodsReceiptHeader = ApiGoodsReceiptHeader::from_row(row),
        items: Vec<ApiGoodsReceiptItem> = items.iter().map(ApiGoodsReceiptItem::from_row).collect(),
    }
}

resource! {
    /// Event data of a receipt.
    pub struct GoodsReceiptEvent of row: ReceiptRow, order_version: i64, items: &[ReceiptItemRow] {
        receipt_id: Id = row.id,
        order_id: Id,
        #[schemars(range(min = 2))]
        order_version: i64 = order_version,
        warehouse_id: Id,
        lines: Vec<GoodsReceiptEventLine> = items.iter().map(GoodsReceiptEventLine::from_row).collect(),
    }
}

resource! {
    /// Received goods of one variant.
    pub struct GoodsReceiptEventLine of row: ReceiptItemRow {
        variant_id: Id,
        quantity: Quantity,
    }
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
