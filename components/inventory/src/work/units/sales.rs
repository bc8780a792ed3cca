//! Units of sales orders: held, let go, delivered. Each part locks its units, checks them and puts what happens to them into the
//! request's goods and changes; the caller, who has the quantities, settles and writes both together.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem};

use crate::bindings::exports::commerce::inventory::stock::ReserveLine;
use crate::records::movement::{MovementType, ReferenceType};
use crate::records::reservation::{ReservationRow, ReservationSource};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::unit_state::{self, Cause};
use crate::work::goods::{Closing, Goods, Holder};
use crate::work::units::changes::{Changes, Why};
use crate::work::units::holds::{self, lock_units};
use crate::work::units::worth::Worth;

/// Holds the units of serialized lines for a sales order: one reservation for each, in the order of the lines.
///
/// # Errors
/// NOT_FOUND, UNIT_UNAVAILABLE at the line.
pub fn reserve_lines(
    order: Id,
    warehouse: Id,
    lines: &[(usize, &ReserveLine)],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<Vec<ReservationRow>, Problem> {
    let mut units = lock_units(lines.iter().flat_map(|(_, line)| line.unit_ids.iter().copied().map(Id::from)))?;
    let mut made = Vec::new();
    for (nth, line) in lines {
        let pointer = format!("/lines/{nth}/unitIds");
        let holder = Holder::new(ReservationSource::SalesOrder, order, line.line.into());
        for id in line.unit_ids.iter().copied().map(Id::from) {
            let unit = units.remove(&id).ok_or_else(|| unit_state::unavailable(Some(&pointer)))?;
            let fits = unit.variant_id == line.variant_id.into() && unit.warehouse_id == Some(warehouse);
            if !fits || !unit_state::admits(Cause::Reserve, unit.status, unit.transfer_order_id.is_some()) {
                return Err(unit_state::unavailable(Some(&pointer)));
            }
            made.push(holds::reserve_unit(unit, &holder, None, goods, changes)?);
        }
    }
    Ok(made)
}

/// Lets go of units that these locked, ACTIVE reservations hold; those of quantities are left to the caller.
pub fn release_lines(
    reservations: &[ReservationRow],
    reason: &str,
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<(), Problem> {
    let mut units = lock_units(reservations.iter().filter_map(|row| row.unit_id))?;
    for row in reservations {
        let Some(id) = row.unit_id else { continue };
        let unit = units.remove(&id).ok_or_else(|| unit_state::unavailable(None))?;
        holds::release_unit(unit, row, Some(reason), goods, changes);
    }
    Ok(())
}

/// Delivers the units that these reservations hold, each with the allocation of its sale: SOLD, without custody.
/// Answers the movements by reservation.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit is not held so.
pub fn deliver(
    order: Id,
    number: &str,
    sales: &[(&ReservationRow, Id)],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<BTreeMap<Id, Id>, Problem> {
    let mut units = lock_units(sales.iter().filter_map(|(row, _)| row.unit_id))?;
    let mut moved = BTreeMap::new();
    for (reservation, allocation) in sales.iter().copied() {
        let Some(id) = reservation.unit_id else { continue };
        let unit = units.remove(&id).filter(|unit| unit.reservation_id == Some(reservation.id));
        let unit = unit.ok_or_else(|| unit_state::unavailable(None))?;
        let why = Why {
            reference_type: ReferenceType::SalesOrder,
            sale_allocation_id: Some(allocation),
            ..Why::manual(MovementType::Sale, &format!("SALES_ORDER {number}"), Some(order))
        };
        let after = UnitRow {
            reservation_id: None,
            sale_allocation_id: Some(allocation),
            ..unit.without_place(UnitStatus::Sold)
        };
        let version = unit.next_version();
        let movement = changes.record_move(unit, after, &why, Worth::default());
        if let Some(change) = changes.all.last_mut() {
            change.after.sale_movement_id = Some(movement);
        }
        goods.close(Closing {
            reservation: reservation.clone(),
            movement: Some(movement),
            reason: None,
            unit_version: Some(version),
        });
        moved.insert(reservation.id, movement);
    }
    Ok(moved)
}
