//! The ground: what the module keeps, and what people, clients and events see of it.

pub mod cost;
pub mod cost_total;
pub mod location;
pub mod movement;
pub mod permission;
pub mod reservation;
pub mod stock;
pub mod stock_count;
pub mod transfer_order;
pub mod unit;
pub mod warehouse;

use stoa_sdk::descriptor::Collection;
use stoa_sdk::{DeclaredEvent, Id, Instant, collections, events};
use stoa_trade::snapshot::SummedLinesRow;

/// An id and an instant as examples show them.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);
const EXAMPLE_INSTANT: Instant = Instant(1_767_225_600_000);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    warehouse::WarehouseRow, location::LocationRow, stock::StockRow, movement::MovementRow, reservation::ReservationRow,
    reservation::ReservationEntryRow, unit::UnitRow, unit::UnitIdentityRow, unit::UnitEntryRow, cost::PoolRow,
    cost::LayerRow, cost::CostEntryRow, cost_total::VariantCostTotalRow, cost_total::CostTotalRow, SummedLinesRow,
    cost::SaleBalanceRow, transfer_order::TransferOrderRow, transfer_order::TransferItemRow,
    transfer_order::TransferUnitRow, stock_count::StockCountRow, stock_count::StockCountLineRow,
};

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = events! {
    stock::STOCK_UPDATED, warehouse::WAREHOUSE_CREATED, warehouse::WAREHOUSE_UPDATED, warehouse::WAREHOUSE_ARCHIVED,
    location::LOCATION_CREATED, location::LOCATION_UPDATED, location::LOCATION_ARCHIVED,
};
