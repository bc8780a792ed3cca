//! The records of sales: their collections, and what people, API clients and events see of them.

pub mod allocation;
pub mod customer;
pub mod customer_return;
pub mod delivery;
pub mod delivery_address;
pub mod month_total;
pub mod order;
pub mod order_item;
pub mod permission;
pub mod price_figures;
pub mod quotation;

use stoa_sdk::descriptor::Collection;
use stoa_sdk::{DeclaredEvent, Id, collections, events};
use stoa_trade::snapshot::SummedLinesRow;

/// An id as examples show it.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    customer::CustomerRow, quotation::QuotationRow, quotation::QuotationItemRow, order::OrderRow,
    order_item::OrderItemRow, allocation::AllocationRow, delivery::DeliveryLineRow, month_total::DeliveryTotalRow,
    SummedLinesRow, customer_return::SalesReturnRow, customer_return::SalesReturnItemRow,
};

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = events! {
    customer::CUSTOMER_CREATED, customer::CUSTOMER_UPDATED, customer::CUSTOMER_ARCHIVED, order::SALE_CREATED,
    order::SALE_UPDATED, order::SALE_CONFIRMED, order::SALE_COMPLETED, order::SALE_CANCELLED,
};
