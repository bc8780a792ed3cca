//! The movement ledger: every quantity that came, went or changed its warehouse, and why.

use stoa_sdk::{Id, collection, text_enum};

use crate::terms::{ActorType, Quantity};
use crate::unit::row::UnitStatus;

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
    /// What a movement was for, beyond its reference.
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
