//! Holding a unit by hand and letting it go: whole, once, without an end of its own, and never consumed.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Reply, Text, facts, new_id};

use crate::goods::{Closing, Goods};
use crate::reservation::row::{ReservationRow, ReservationSource, ReservationStatus};
use crate::terms::Actor;
use crate::unit::answer::InventoryUnitReservationReceipt;
use crate::unit::apply;
use crate::unit::change::{Changes, ONE};
use crate::unit::row::{UnitRow, UnitStatus};
use crate::unit::state::{self, Cause};
use crate::version::ExpectedVersion;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReserveUnit {
    pub expected_version: ExpectedVersion,
    pub reason: Text<1, 1000>,
    /// Kept as it is, never resolved.
    #[serde(default)]
    pub reference_id: Option<Id>,
}

/// For whom a unit is held.
#[derive(Debug, Clone)]
pub struct Holder {
    pub source: ReservationSource,
    pub document_id: Option<Id>,
    pub line_id: Option<Id>,
    pub reference_id: Option<Id>,
    pub reason: Option<String>,
}

/// The reservation of a unit that stands in a warehouse.
///
/// # Errors
/// UNIT_UNAVAILABLE where it stands in none.
pub fn reservation(unit: &UnitRow, holder: &Holder) -> Result<ReservationRow, Problem> {
    let (now, actor) = (Instant(facts().now), Actor::current());
    Ok(ReservationRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        warehouse_id: unit.warehouse_id.ok_or_else(|| state::unavailable(None))?,
        variant_id: unit.variant_id,
        unit_id: Some(unit.id),
        active_unit_id: Some(unit.id),
        quantity: ONE,
        status: ReservationStatus::Active,
        source: holder.source,
        document_id: holder.document_id,
        line_id: holder.line_id,
        reference_id: holder.reference_id,
        reason: holder.reason.clone(),
        movement_id: None,
        closed_at: None,
        actor_type: actor.actor_type,
        actor_id: actor.actor_id,
        request_id: actor.request_id,
    })
}

/// Holds a locked, free unit; answers the reservation.
///
/// # Errors
/// UNIT_UNAVAILABLE, LIMIT_EXCEEDED.
pub fn hold(
    unit: UnitRow,
    holder: &Holder,
    transfer_order: Option<Id>,
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<ReservationRow, Problem> {
    let row = reservation(&unit, holder)?;
    goods.open(row.clone(), Some(unit.version + 1));
    let after = UnitRow {
        status: UnitStatus::Reserved,
        reservation_id: Some(row.id),
        transfer_order_id: transfer_order,
        ..unit.clone()
    };
    changes.held(unit, after, holder.reason.as_deref())?;
    Ok(row)
}

/// Lets go of a locked unit that this locked, ACTIVE reservation holds.
///
/// # Errors
/// LIMIT_EXCEEDED.
pub fn let_go(
    unit: UnitRow,
    reservation: &ReservationRow,
    reason: Option<&str>,
    goods: &mut Goods,
    changes: &mut Changes,
) -> Result<(), Problem> {
    goods.close(Closing {
        reservation: reservation.clone(),
        movement: None,
        reason: reason.map(str::to_owned),
        unit_version: Some(unit.version + 1),
    });
    let after =
        UnitRow { status: UnitStatus::Available, reservation_id: None, transfer_order_id: None, ..unit.clone() };
    changes.held(unit, after, reason)
}

pub fn reserve(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ReserveUnit = call.body()?;
    let unit: Option<UnitRow> = run(get(id).locked())?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    body.expected_version.check(unit.version)?;
    // An AVAILABLE unit stands in a normal warehouse, which is not archived while it is there.
    state::check(Cause::Reserve, &unit, None)?;
    let holder = Holder {
        source: ReservationSource::Manual,
        document_id: None,
        line_id: None,
        reference_id: body.reference_id,
        reason: Some(body.reason.0),
    };
    let (mut goods, mut changes) = (Goods::default(), Changes::of(1));
    let row = hold(unit, &holder, None, &mut goods, &mut changes)?;
    answer(row, goods, changes)
}

/// Lets go of a unit that a person held: `reservation` is locked, ACTIVE and MANUAL.
///
/// # Errors
/// VERSION_CONFLICT where a version is stated and is not the unit's.
pub fn release(reservation: &ReservationRow, expected: Option<ExpectedVersion>, reason: &str) -> Answer {
    let unit = reservation.unit_id.ok_or_else(Problem::not_found)?;
    let unit: Option<UnitRow> = run(get(unit).locked())?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    if let Some(expected) = expected {
        expected.check(unit.version)?;
    }
    let (mut goods, mut changes) = (Goods::default(), Changes::of(1));
    let_go(unit, reservation, Some(reason), &mut goods, &mut changes)?;
    let released = ReservationRow { status: ReservationStatus::Released, ..reservation.clone() };
    answer(released, goods, changes)
}

fn answer(row: ReservationRow, goods: Goods, changes: Changes) -> Answer {
    let units = apply::all(changes, None, goods, &[], None)?;
    let unit = units.first().ok_or_else(Problem::not_found)?;
    let receipt = InventoryUnitReservationReceipt::of(&row, unit);
    Ok(Reply::json(&receipt).resource(row.id).subject(unit.product_id))
}
