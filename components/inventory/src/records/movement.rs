//! The movement ledger, every quantity that came, went or changed its warehouse, and why: as it is kept, as it is read, and the
//! receipt of a write.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply, collection, tenant, text_enum};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::Quantity;

use crate::records::unit::UnitStatus;

pub const MOVEMENT: &str = "INVENTORY_MOVEMENT";

text_enum! {
    pub enum MovementType {
        AdjustmentIn => "ADJUSTMENT_IN",
        AdjustmentOut => "ADJUSTMENT_OUT",
        Transfer => "TRANSFER",
        Damage => "DAMAGE",
        Loss => "LOSS",
        PurchaseReceipt => "PURCHASE_RECEIPT",
        Sale => "SALE",
    }
}

text_enum! {
    pub enum ReferenceType { Manual => "MANUAL", GoodsReceipt => "GOODS_RECEIPT", SalesOrder => "SALES_ORDER" }
}

text_enum! {
    /// Kind of the document that caused a movement.
    pub enum DocumentType {
        TransferOrder => "TRANSFER_ORDER",
        StockCount => "STOCK_COUNT",
        CustomerReturn => "CUSTOMER_RETURN",
        SupplierReturn => "SUPPLIER_RETURN",
    }
}

collection! {
    pub ledger MovementRow in "movement" {
        variant_id: Id,
        product_id: Id,
        movement_type: MovementType,
        quantity: Quantity,
        from_warehouse_id: Option<Id>,
        to_warehouse_id: Option<Id>,
        from_location_id: Option<Id>,
        to_location_id: Option<Id>,
        from_status: Option<UnitStatus>,
        to_status: Option<UnitStatus>,
        reason: String,
        reference_type: ReferenceType,
        reference_id: Option<Id>,
        document_type: Option<DocumentType>,
        document_id: Option<Id>,
        inventory_unit_id: Option<Id>,
        unit_version: Option<i64>,
        purchase_receipt_item_id: Option<Id>,
        sale_allocation_id: Option<Id>,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
    }
    index {
        [variant_id, id], [product_id, id], [from_warehouse_id, id], [to_warehouse_id, id], [inventory_unit_id, id],
        [document_id], [reference_id], [sale_allocation_id],
    }
}

/// A movement of goods.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    #[serde(flatten)]
    public: ApiMovement,
    tenant_id: Id,
    reason: String,
    actor_type: ActorType,
    actor_id: String,
    request_id: Id,
    inventory_unit_id: Option<Id>,
    unit_version: Option<i64>,
    from_location_id: Option<Id>,
    to_location_id: Option<Id>,
    /// Null for callers without `inventory.serials.read`.
    from_status: Option<UnitStatus>,
    /// Null for callers without `inventory.serials.read`.
    to_status: Option<UnitStatus>,
    purchase_receipt_item_id: Option<Id>,
    sale_allocation_id: Option<Id>,
}

impl Movement {
    /// `with_units`: the reader may read units.
    pub fn from_row(row: MovementRow, with_units: bool) -> Movement {
        Movement {
            tenant_id: tenant(),
            reason: row.reason.clone(),
            actor_type: row.actor_type,
            actor_id: row.actor_id.clone(),
            request_id: row.request_id,
            inventory_unit_id: row.inventory_unit_id,
            unit_version: row.unit_version,
            from_location_id: row.from_location_id,
            to_location_id: row.to_location_id,
            from_status: row.from_status.filter(|_| with_units),
            to_status: row.to_status.filter(|_| with_units),
            purchase_receipt_item_id: row.purchase_receipt_item_id,
            sale_allocation_id: row.sale_allocation_id,
            public: row.into(),
        }
    }
}

/// A movement of goods as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicMovement")]
pub struct ApiMovement {
    id: Id,
    variant_id: Id,
    movement_type: MovementType,
    quantity: Quantity,
    created_at: Instant,
    from_warehouse_id: Option<Id>,
    to_warehouse_id: Option<Id>,
    reference_type: ReferenceType,
    /// Id of the source record; for a MANUAL movement, an id that the caller stated.
    reference_id: Option<Id>,
    /// Kind of the document that caused it; null if there is none.
    document_type: Option<DocumentType>,
    document_id: Option<Id>,
}

impl From<MovementRow> for ApiMovement {
    fn from(row: MovementRow) -> ApiMovement {
        ApiMovement {
            id: row.id,
            variant_id: row.variant_id,
            movement_type: row.movement_type,
            quantity: row.quantity,
            created_at: row.created_at,
            from_warehouse_id: row.from_warehouse_id,
            to_warehouse_id: row.to_warehouse_id,
            reference_type: row.reference_type,
            reference_id: row.reference_id,
            document_type: row.document_type,
            document_id: row.document_id,
        }
    }
}

/// Receipt of a stock movement.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryMovementReceipt {
    id: Id,
    variant_id: Id,
    movement_type: MovementType,
    quantity: Quantity,
    created_at: Instant,
}

/// The answer of a write of one movement.
pub fn receipt(row: &MovementRow) -> Reply {
    let receipt = InventoryMovementReceipt {
        id: row.id,
        variant_id: row.variant_id,
        movement_type: row.movement_type,
        quantity: row.quantity,
        created_at: row.created_at,
    };
    Reply::json(&receipt).resource(row.id).subject(row.product_id)
}
