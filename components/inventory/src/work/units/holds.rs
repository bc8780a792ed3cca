//! Units held for an order or a customer: each by a reservation of its own, whole, once.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Id, Problem, map};

use crate::records::reservation::ReservationRow;
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::unit_state;
use crate::work::goods::{Closing, Goods, Holder};
use crate::work::units::changes::{Changes, ONE};

/// The units of these ids, locked in the order of their ids.
pub fn lock_units(ids: impl IntoIterator<Item = Id>) -> Result<BTreeMap<Id, UnitRow>, Problem> {
    Ok(map(run(get_all::<UnitRow>(ids).locked())?.into_iter().map(|unit| (unit.id, unit))))
}

/// Holds a locked, free unit; answers the reservation.
pub fn reserve_unit(
    unit: UnitRow,
    holder: &Holder,
    transfer_order: Option<Id>,
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<ReservationRow, Problem> {
    let warehouse = unit.warehouse_id.ok_or_else(|| unit_state::unavailable(None))?;
    let row = ReservationRow {
        unit_id: Some(unit.id),
        active_unit_id: Some(unit.id),
        ..goods.reservation(warehouse, unit.variant_id, ONE, holder.clone())
    };
    goods.open(row.clone(), Some(unit.next_version()));
    let after = UnitRow {
        status: UnitStatus::Reserved,
        reservation_id: Some(row.id),
        transfer_order_id: transfer_order,
        ..unit.clone()
    };
    changes.record_hold(unit, after, holder.reason.as_deref());
    Ok(row)
}

/// Lets go of a locked unit that this locked, ACTIVE reservation holds.
pub fn release_unit(
    unit: UnitRow,
    reservation: &ReservationRow,
    reason: Option<&str>,
    goods: &mut Goods,
    changes: &mut Changes,
) {
    goods.close(Closing {
        reservation: reservation.clone(),
        movement: None,
        reason: reason.map(str::to_owned),
        unit_version: Some(unit.next_version()),
    });
    let after =
        UnitRow { status: UnitStatus::Available, reservation_id: None, transfer_order_id: None, ..unit.clone() };
    changes.record_hold(unit, after, reason);
}
