//! Archiving a warehouse or a location: alone with it, so that nothing comes in while it is found empty.

use stoa_sdk::store::{get, lock, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, all, any, emit, event, facts, view};

use super::location;
use super::row::{LocationRow, WarehouseRow};
use super::show::{PublicWarehouse, answer};
use super::write::writable;
use crate::stock::row::StockRow;
use crate::terms::{Quantity, Status, gate, location_gate};
use crate::transfer_order::row::{TransferOrderRow, TransferStatus};
use crate::unit::row::UnitRow;
use crate::{EmptyBody, books};

view! { StockId of StockRow { id: Id } }
view! { TransferId of TransferOrderRow { id: Id } }
view! { UnitId of UnitRow { id: Id } }

pub fn warehouse(call: &Call) -> Answer {
    let id = call.path_id("warehouseId")?;
    let EmptyBody {} = call.body()?;
    let held = [
        StockRow::on_hand,
        StockRow::reserved,
        StockRow::damaged,
        StockRow::quarantined,
        StockRow::in_transit,
        StockRow::returned,
    ];
    let here = || StockRow::warehouse_id.eq(id);
    let held = all([here(), any(held.map(|figure| figure.gt(Quantity::ZERO)))]);
    let expected = all([here(), StockRow::incoming.gt(Quantity::ZERO)]);
    let ends = [
        TransferOrderRow::from_warehouse_id.eq(id),
        TransferOrderRow::to_warehouse_id.eq(id),
        TransferOrderRow::transit_warehouse_id.eq(id),
    ];
    let transfers = all([TransferOrderRow::status.one_of(TransferStatus::OPEN), any(ends)]);
    let (_, row, held, expected, transfers) = run((
        lock(gate(id)),
        get::<WarehouseRow>(id).locked(),
        select::<StockId>(held).limit(1),
        select::<StockId>(expected).limit(1),
        select::<TransferId>(transfers).limit(1),
    ))?;
    let row = writable(call, row)?;
    if !held.items.is_empty() {
        return Err(Problem::of("CUSTODY_CONFLICT"));
    }
    if !(expected.items.is_empty() && transfers.items.is_empty()) {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let now = Instant(facts().now);
    let after = WarehouseRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<WarehouseRow>(id)
        .set(WarehouseRow::status, &after.status)
        .set(WarehouseRow::archived_at, &after.archived_at))?;
    books::release(id)?;
    emit(&[event("inventory.warehouse.archived", "WAREHOUSE", id, None, &PublicWarehouse::of(after.clone()))]);
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

pub fn location(call: &Call) -> Answer {
    let (warehouse, id) = (call.path_id("warehouseId")?, call.path_id("locationId")?);
    let EmptyBody {} = call.body()?;
    let (_, row, units) = run((
        lock(location_gate(id)),
        get::<LocationRow>(id).locked(),
        select::<UnitId>(UnitRow::location_id.eq(id)).limit(1),
    ))?;
    let row = location::writable(call, warehouse, row)?;
    if !units.items.is_empty() {
        return Err(Problem::of("CUSTODY_CONFLICT"));
    }
    let now = Instant(facts().now);
    let after = LocationRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<LocationRow>(id)
        .set(LocationRow::status, &after.status)
        .set(LocationRow::archived_at, &after.archived_at))?;
    location::tell("inventory.location.archived", &after);
    Ok(location::answer(after).changed(vec!["status", "archivedAt"]))
}
