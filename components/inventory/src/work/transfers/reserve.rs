//! Holding the goods of a transfer order at the source.

use stoa_sdk::store::{run, select};
use stoa_sdk::{Id, Problem, all, view};
use stoa_trade::quantity::Tracking;
use stoa_trade::{Status, refusal};

use crate::records::reservation::{ReservationRow, ReservationSource, ReservationStatus};
use crate::records::transfer_order::UnitOutcome;
use crate::records::unit::UnitStatus;
use crate::records::warehouse::{WarehouseRow, WarehouseType};
use crate::rules::delta::Delta;
use crate::rules::unit_count::check_unit_count;
use crate::rules::unit_state;
use crate::work::goods::{Goods, Holder, Place};
use crate::work::transfers::order::{self, Order, Route};
use crate::work::units::changes::Changes;
use crate::work::units::effects;
use crate::work::units::holds;

view! { TransitId of WarehouseRow { id: Id } }

/// Holds the goods of a draft and writes all of it but the order's own row. Where they leave at once, the stock of the places to
/// come is locked with that of the source, so that crossing orders meet in one order.
///
/// # Errors
/// ARCHIVED, REFERENCE_INVALID, UNIT_COUNT_MISMATCH, UNIT_UNAVAILABLE, INSUFFICIENT_STOCK.
pub fn reserve_goods(order: &mut Order, leave_at_once: bool) -> Result<Route, Problem> {
    fix_transit(order)?;
    check_units(order)?;
    let warehouses = order.enter()?;
    let route = order.route(&warehouses)?;
    let mut units = order.lock_units(|_| true)?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(units.len()));
    let mut outcomes = Vec::new();
    for item in &order.items {
        let pointer = order.pointer(item.id);
        if leave_at_once {
            let sku = route.sku(item)?;
            goods.change(&route.transit, &sku, Delta::default(), &pointer);
            goods.change(&Place::from_row(&route.to), &sku, Delta::default(), &pointer);
        }
        let holder = Holder::new(ReservationSource::TransferOrder, order.row.id, item.id);
        if item.tracking == Tracking::Quantity {
            let row = goods.reservation(order.row.from_warehouse_id, item.variant_id, item.quantity, holder);
            goods.change(&route.from, &route.sku(item)?, Delta::of_reserved(item.quantity.units()), &pointer);
            goods.open(row, None);
            continue;
        }
        for chosen in order.of_line(item.id) {
            let unit = units.remove(&chosen.unit_id).ok_or_else(|| unit_state::unavailable(Some(&pointer)))?;
            let is_there = unit.status == UnitStatus::Available
                && unit.warehouse_id == Some(order.row.from_warehouse_id)
                && unit.variant_id == item.variant_id;
            if !is_there {
                return Err(unit_state::unavailable(Some(&pointer)));
            }
            holds::reserve_unit(unit, &holder, Some(order.row.id), &mut goods, &mut changes)?;
            outcomes.push((chosen.id, UnitOutcome::Reserved));
        }
    }
    effects::write(&changes, goods, &route.known, order::update_outcomes(&outcomes))?;
    for (id, outcome) in outcomes {
        if let Some(unit) = order.units.iter_mut().find(|unit| unit.id == id) {
            unit.outcome = Some(outcome);
        }
    }
    Ok(route)
}

/// A serialized line needs as many units as its quantity.
fn check_units(order: &Order) -> Result<(), Problem> {
    for item in &order.items {
        let (is_serialized, identified) = (item.tracking == Tracking::Serialized, order.of_line(item.id).count());
        check_unit_count(is_serialized, item.quantity, identified, &order.pointer(item.id))?;
    }
    Ok(())
}

/// The transit warehouse of an order that states none: the entity's only one.
fn fix_transit(order: &mut Order) -> Result<(), Problem> {
    if order.row.transit_warehouse_id.is_some() {
        return Ok(());
    }
    let of_entity = [
        WarehouseRow::legal_entity_id.eq(order.row.legal_entity_id),
        WarehouseRow::kind.eq(WarehouseType::InTransit),
        WarehouseRow::status.eq(Status::Active),
    ];
    let found = run(select::<TransitId>(all(of_entity)).limit(2))?;
    match found.items.as_slice() {
        [only] => order.row.transit_warehouse_id = Some(only.id),
        [] => return Err(refusal::unusable("/transitWarehouseId", "NONE")),
        _ => return Err(refusal::unusable("/transitWarehouseId", "SEVERAL")),
    }
    Ok(())
}

/// The active reservations of the order, locked.
pub fn lock_reservations(order: &Order) -> Result<Vec<ReservationRow>, Problem> {
    let active = [ReservationRow::document_id.eq(order.row.id), ReservationRow::status.eq(ReservationStatus::Active)];
    Ok(run(select::<ReservationRow>(all(active)).locked().whole())?)
}
