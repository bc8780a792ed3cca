//! Units of sales orders: held, let go, delivered. Each part locks its units, checks them and puts what happens to them into the
//! request's goods and changes; the caller, who has the quantities, settles and writes both together.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem};

use crate::records::movement::{MovementType, ReferenceType};
use crate::records::reservation::{ReservationRow, ReservationSource};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::unit_state::{self, Cause};
use crate::work::goods::{Closing, Goods};
use crate::work::units::changes::{Changes, Why};
use crate::work::units::holds::{self, Holder, lock_units};
use crate::work::units::worth::Worth;

/// A line of `stock.reserve`.
pub struct ReserveLine {
    /// The caller's.
    pub line: Id,
    pub variant: Id,
    pub units: Vec<Id>,
    pub pointer: String,
}

/// Holds the units of serialized lines for a sales order: one reservation for each, in the order of the lines.
///
/// # Errors
/// NOT_FOUND, UNIT_UNAVAILABLE at the line.
pub fn reserve_lines(
    order: Id,
    warehouse: Id,
    lines: &[ReserveLine],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<Vec<ReservationRow>, Problem> {
    let mut units = lock_units(lines.iter().flat_map(|line| line.units.iter().copied()))?;
    let mut made = Vec::new();
    for line in lines {
        let holder = Holder {
            source: ReservationSource::SalesOrder,
            document_id: Some(order),
            line_id: Some(line.line),
            reference_id: None,
            reason: None,
        };
        for id in &line.units {
            let unit = units.remove(id).ok_or_else(|| unit_state::unavailable(Some(&line.pointer)))?;
            let fits = unit.variant_id == line.variant && unit.warehouse_id == Some(warehouse);
            if !fits || !unit_state::admits(Cause::Reserve, unit.status, unit.transfer_order_id.is_some()) {
                return Err(unit_state::unavailable(Some(&line.pointer)));
            }
            made.push(holds::reserve_unit(unit, &holder, None, goods, changes)?);
        }
    }
    Ok(made)
}

/// Lets go of units that these locked, ACTIVE reservations hold; those of quantities are left to the caller.
///
/// # Errors
/// LIMIT_EXCEEDED.
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

/// A unit that leaves by a sale.
pub struct Sale<'a> {
    /// Locked, ACTIVE, of the order.
    pub reservation: &'a ReservationRow,
    pub allocation: Id,
}

/// Delivers the units that these reservations hold: SOLD, without custody. Answers the movements by reservation.
///
/// # Errors
/// UNIT_UNAVAILABLE where a unit is not held so.
pub fn deliver(
    order: Id,
    number: &str,
    sales: &[Sale],
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<BTreeMap<Id, Id>, Problem> {
    let mut units = lock_units(sales.iter().filter_map(|sale| sale.reservation.unit_id))?;
    let mut moved = BTreeMap::new();
    for sale in sales {
        let Some(id) = sale.reservation.unit_id else { continue };
        let unit = units.remove(&id).filter(|unit| unit.reservation_id == Some(sale.reservation.id));
        let unit = unit.ok_or_else(|| unit_state::unavailable(None))?;
        let why = Why {
            movement_type: MovementType::Sale,
            reason: format!("SALES_ORDER {number}"),
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(order),
            document: None,
            receipt_item_id: None,
            sale_allocation_id: Some(sale.allocation),
        };
        let after = UnitRow {
            reservation_id: None,
            sale_allocation_id: Some(sale.allocation),
            ..unit.without_place(UnitStatus::Sold)
        };
        let version = unit.next_version();
        let movement = changes.record_move(unit, after, &why, Worth::default());
        if let Some(change) = changes.all.last_mut() {
            change.after.sale_movement_id = Some(movement);
        }
        goods.close(Closing {
            reservation: sale.reservation.clone(),
            movement: Some(movement),
            reason: None,
            unit_version: Some(version),
        });
        moved.insert(sale.reservation.id, movement);
    }
    Ok(moved)
}
