//! The records of sales: their collections, and what people, API clients and events see of them.

pub mod allocation;
pub mod customer;
pub mod customer_return;
pub mod delivery;
pub mod month_total;
pub mod order;
pub mod order_item;
pub mod permission;
pub mod price_figures;
pub mod quotation;

use stoa_sdk::descriptor::Collection;
use stoa_sdk::{DeclaredEvent, Entity, Id};
use stoa_trade::snapshot::SummedLinesRow;

/// An id as examples show it.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    customer::CustomerRow::collection,
    quotation::QuotationRow::collection,
    quotation::QuotationItemRow::collection,
    order::OrderRow::collection,
    order_item::OrderItemRow::collection,
    allocation::AllocationRow::collection,
    delivery::DeliveryLineRow::collection,
    month_total::DeliveryTotalRow::collection,
    SummedLinesRow::collection,
    customer_return::SalesReturnRow::collection,
    customer_return::SalesReturnItemRow::collection,
];

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = &[
    customer::CUSTOMER_CREATED.declare(),
    customer::CUSTOMER_UPDATED.declare(),
    customer::CUSTOMER_ARCHIVED.declare(),
    order::SALE_CREATED.declare(),
    order::SALE_UPDATED.declare(),
    order::SALE_CONFIRMED.declare(),
    order::SALE_COMPLETED.declare(),
    order::SALE_CANCELLED.declare(),
];
