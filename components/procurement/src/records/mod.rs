//! The ground: what the module keeps, and what people, clients and events see of it.

pub mod charge;
pub mod draft_write;
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
use stoa_sdk::{DeclaredEvent, Id, collections, events};

/// An id as examples show it.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    supplier::SupplierRow, order::OrderRow, order_item::OrderItemRow, receipt::ReceiptRow, receipt_item::ReceiptItemRow,
    receipt_item::ReceiptBalanceRow, shipment::ShipmentRow, shipment::ShipmentItemRow, charge::ChargeRow,
    charge::AllocationRow, settings::SettingsRow,
};

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = events! {
    supplier::SUPPLIER_CREATED, supplier::SUPPLIER_UPDATED, supplier::SUPPLIER_ARCHIVED, order::ORDER_CREATED,
    order::ORDER_UPDATED, order::ORDER_APPROVED, order::ORDER_CANCELLED, receipt::RECEIPT_CREATED,
};
