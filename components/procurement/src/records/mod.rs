//! The ground: what the module keeps, and what people, clients and events see of it.

pub mod charge;
pub mod import_order;
pub mod incoming;
pub mod order;
pub mod order_item;
pub mod permission;
pub mod receipt;
pub mod receipt_item;
pub mod settings;
pub mod shipment;
pub mod shown_order;
pub mod supplier;

use stoa_sdk::descriptor::Collection;
use stoa_sdk::{DeclaredEvent, Entity, Id};

/// An id as examples show it.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    supplier::SupplierRow::collection,
    order::OrderRow::collection,
    order_item::OrderItemRow::collection,
    receipt::ReceiptRow::collection,
    receipt_item::ReceiptItemRow::collection,
    receipt_item::ReceiptBalanceRow::collection,
    shipment::ShipmentRow::collection,
    shipment::ShipmentItemRow::collection,
    charge::ChargeRow::collection,
    charge::AllocationRow::collection,
    settings::SettingsRow::collection,
];

/// All that the module tells.
pub const EVENTS: &[DeclaredEvent] = &[
    supplier::SUPPLIER_CREATED.declare(),
    supplier::SUPPLIER_UPDATED.declare(),
    supplier::SUPPLIER_ARCHIVED.declare(),
    order::ORDER_CREATED.declare(),
    order::ORDER_UPDATED.declare(),
    order::ORDER_APPROVED.declare(),
    order::ORDER_CANCELLED.declare(),
    receipt::RECEIPT_CREATED.declare(),
];
