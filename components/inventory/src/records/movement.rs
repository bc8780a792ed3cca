//! The movement ledger, every quantity that came, went or changed its warehouse, and why: as it is kept, as it is read, and the
//! receipt of a write.

use stoa_sdk::{Id, Instant, Reply, collection, tenant, text_enum};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::Quantity;
use stoa_trade::resource;

use crate::records::unit::UnitStatus;

pub const MOVEMENT: &str = "INVENTORY_MOVEMENT";

text_enum! {
    pub enum MovementType {
        AdjustmentIn => "ADJUSTMENT_IN", AdjustmentOut => "ADJUSTMENT_OUT", Transfer => "TRANSFER", Damage => "DAMAGE",
        Loss => "LOSS", PurchaseReceipt => "PURCHASE_RECEIPT", Sale => "SALE",
    }
}

text_enum! {
    pub enum ReferenceType { Manual => "MANUAL", GoodsReceipt => "GOODS_RECEIPT", SalesOrder => "SALES_ORDER" }
}

text_enum! {
    /// Kind of the document that caused a movement.
    pub enum DocumentType {
        TransferOrder => "TRANSFER_ORDER", StockCount => "STOCK_COUNT", CustomerReturn => "CUSTOMER_RETURN",
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

resource! {
    /// A movement of goods.
    pub struct Movement of row: MovementRow, with_units: bool {
        #[serde(flatten)]
        public: ApiMovement = ApiMovement::from_row(row),
        tenant_id: Id = tenant(),
        reason: String,
        actor_type: ActorType,
        actor_id: String,
        request_id: Id,
        inventory_unit_id: Option<Id>,
        unit_version: Option<i64>,
        from_location_id: Option<Id>,
        to_location_id: Option<Id>,
        /// Null for callers without `inventory.serials.read`.
        from_status: Option<UnitStatus> = row.from_status.filter(|_| with_units),
        /// Null for callers without `inventory.serials.read`.
        to_status: Option<UnitStatus> = row.to_status.filter(|_| with_units),
        purchase_receipt_item_id: Option<Id>,
        sale_allocation_id: Option<Id>,
    }
}

resource! {
    /// A movement of goods as returned to API clients.
    #[schemars(rename = "PublicMovement")]
    pub struct ApiMovement of row: MovementRow {
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
}

resource! {
    /// Receipt of a stock movement.
    pub struct InventoryMovementReceipt of row: MovementRow {
        id: Id,
        variant_id: Id,
        movement_type: MovementType,
        quantity: Quantity,
        created_at: Instant,
    }
}

/// The answer of a write of one movement.
pub fn receipt(row: &MovementRow) -> Reply {
    Reply::json(&InventoryMovementReceipt::from_row(row)).resource(row.id).subject(row.product_id)
}
