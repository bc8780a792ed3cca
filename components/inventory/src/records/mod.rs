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
use stoa_sdk::{DeclaredEvent, Entity, Id, Instant};
use stoa_trade::snapshot::SummedLinesRow;

/// An id and an instant as examples show them.
const EXAMPLE_ID: Id = Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b);
const EXAMPLE_INSTANT: Instant = Instant(1_767_225_600_000);

/// All that the module keeps.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    warehouse::WarehouseRow::collection,
    location::LocationRow::collection,
    stock::StockRow::collection,
    movement::MovementRow::collection,
    reservation::ReservationRow::collection,
    reservation::ReservationEntryRow::collection,
    unit::UnitRow::collection,
    unit::UnitIdentityRow::collection,
    unit::UnitEntryRow::collection,
    cost::PoolRow::collection,
    cost::LayerRow::collection,
    cost::CostEntryRow::collection,
    cost_total::VariantCostTotalRow::collection,
    cost_total::CostTotalRow::collection,
    SummedLinesRow::collection,
    cost::SaleBalanceRow::collection,
    transfer_order::TransferOrderRow::collection,
    transfer_order::TransferItemRow::collection,
    transfer_order::TransferUnitRow::collection,
    stock_count::StockCountRow::collection,
    stock_count::StockCountLineRow::collection,
];

/// All events of the module.
pub const EVENTS: &[DeclaredEvent] = &[
    stock::STOCK_UPDATED.declare(),
    warehouse::WAREHOUSE_CREATED.declare(),
    warehouse::WAREHOUSE_UPDATED.declare(),
    warehouse::WAREHOUSE_ARCHIVED.declare(),
    location::LOCATION_CREATED.declare(),
    location::LOCATION_UPDATED.declare(),
    location::LOCATION_ARCHIVED.declare(),
];
