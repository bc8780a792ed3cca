//! Approving a transfer order: its goods are held at the source. From then on no warehouse that it names can be archived.

use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, all, facts, new_id, view};

use crate::goods::delta::Delta;
use crate::goods::{Goods, Place};
use crate::reservation::row::{ReservationRow, ReservationSource, ReservationStatus};
use crate::terms::{Actor, Status, Tracking};
use crate::transfer_order::draft::answer;
use crate::transfer_order::input::Transition;
use crate::transfer_order::order::{self, Order, Route};
use crate::transfer_order::row::{TransferItemRow, TransferStatus, UnitOutcome};
use crate::unit::change::Changes;
use crate::unit::parts::count_mismatch;
use crate::unit::reserve::{self, Holder};
use crate::unit::row::UnitStatus;
use crate::unit::{apply, place, state};
use crate::warehouse::row::{WarehouseRow, WarehouseType};

view! { TransitId of WarehouseRow { id: Id } }

pub fn approve(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let mut order = order::locked(call.path_id("id")?)?;
    body.expected_version.check(order.row.version)?;
    if order.row.status != TransferStatus::Draft {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let before = order.row.transit_warehouse_id;
    approved(&mut order, false)?;
    let after = order.after(TransferStatus::Approved);
    run(order::written(&after))?;
    let mut changed = vec!["status"];
    changed.extend((before != after.transit_warehouse_id).then_some("transitWarehouseId"));
    Ok(answer(&after).changed(changed))
}

/// Holds the goods of a draft and writes all of it but the order's own row. Where they leave at once, the stock of the places to
/// come is locked with that of the source, so that crossing orders meet in one order.
///
/// # Errors
/// ARCHIVED, REFERENCE_INVALID, UNIT_COUNT_MISMATCH, UNIT_UNAVAILABLE, INSUFFICIENT_STOCK.
pub fn approved(order: &mut Order, leave_at_once: bool) -> Result<Route, Problem> {
    fix_transit(order)?;
    for item in &order.items {
        let required = usize::try_from(item.quantity.units() / 1_000_000).unwrap_or(usize::MAX);
        let identified = order.of_line(item.id).count();
        if item.tracking == Tracking::Serialized && identified != required {
            return Err(count_mismatch(&order.pointer(item.id), required, identified));
        }
    }
    let warehouses = order.enter()?;
    let route = order.route(&warehouses)?;
    let mut units = order.lock_units(|_| true)?;
    let (mut goods, mut changes) = (Goods::default(), Changes::of(units.len()));
    let mut outcomes = Vec::new();
    for item in &order.items {
        let pointer = order.pointer(item.id);
        if leave_at_once {
            let sku = route.sku(item)?;
            goods.change(&route.transit, &sku, Delta::default(), &pointer);
            goods.change(&Place::of(&route.to), &sku, Delta::default(), &pointer);
        }
        if item.tracking == Tracking::Quantity {
            let row = reservation(order, item);
            goods.change(&route.from, &route.sku(item)?, Delta::reserved(item.quantity.units()), &pointer);
            goods.open(row, None);
            continue;
        }
        let holder = Holder {
            source: ReservationSource::TransferOrder,
            document_id: Some(order.row.id),
            line_id: Some(item.id),
            reference_id: None,
            reason: None,
        };
        for chosen in order.of_line(item.id) {
            let unit = units.remove(&chosen.unit_id).ok_or_else(|| state::unavailable(Some(&pointer)))?;
            let is_there = unit.status == UnitStatus::Available
                && unit.warehouse_id == Some(order.row.from_warehouse_id)
                && unit.variant_id == item.variant_id;
            if !is_there {
                return Err(state::unavailable(Some(&pointer)));
            }
            reserve::hold(unit, &holder, Some(order.row.id), &mut goods, &mut changes)?;
            outcomes.push((chosen.id, UnitOutcome::Reserved));
        }
    }
    apply::put(&changes.all, &mut goods, &route.known)?;
    let held = apply::hold(goods)?;
    held.write((apply::rows(&changes.all, None), order::outcomes(&outcomes)))?;
    for (id, outcome) in outcomes {
        if let Some(unit) = order.units.iter_mut().find(|unit| unit.id == id) {
            unit.outcome = Some(outcome);
        }
    }
    Ok(route)
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
        [] => return Err(place::unusable("/transitWarehouseId", "NONE")),
        _ => return Err(place::unusable("/transitWarehouseId", "SEVERAL")),
    }
    Ok(())
}

fn reservation(order: &Order, item: &TransferItemRow) -> ReservationRow {
    let (now, actor) = (Instant(facts().now), Actor::current());
    ReservationRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        warehouse_id: order.row.from_warehouse_id,
        variant_id: item.variant_id,
        unit_id: None,
        active_unit_id: None,
        quantity: item.quantity,
        status: ReservationStatus::Active,
        source: ReservationSource::TransferOrder,
        document_id: Some(order.row.id),
        line_id: Some(item.id),
        reference_id: None,
        reason: None,
        movement_id: None,
        closed_at: None,
        actor_type: actor.actor_type,
        actor_id: actor.actor_id,
        request_id: actor.request_id,
    }
}

/// What the order holds, locked.
///
/// # Errors
/// The store's.
pub fn reservations(order: &Order) -> Result<Vec<ReservationRow>, Problem> {
    let active = [ReservationRow::document_id.eq(order.row.id), ReservationRow::status.eq(ReservationStatus::Active)];
    Ok(run(select::<ReservationRow>(all(active)).locked())?.items)
}
