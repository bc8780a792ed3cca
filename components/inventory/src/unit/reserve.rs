//! Holding a unit by hand and letting it go: whole, once, without an end of its own, and never consumed.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, Text, new_id};

use crate::reservation::row::{ReservationRow, ReservationSource};
use crate::reservation::steps::{Holder, Steps};
use crate::unit::answer::InventoryUnitReservationReceipt;
use crate::unit::apply;
use crate::unit::change::{Changes, ONE};
use crate::unit::row::{UnitRow, UnitStatus};
use crate::unit::state::{self, Cause};
use crate::unit::worth::Books;
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

pub fn reserve(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ReserveUnit = call.body()?;
    let unit: Option<UnitRow> = run(get(id).locked())?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    body.expected_version.check(unit.version)?;
    // An AVAILABLE unit stands in a normal warehouse, which is not archived while it is there.
    state::check(Cause::Reserve, &unit, None)?;
    let warehouse = unit.warehouse_id.ok_or_else(|| state::unavailable(None))?;
    let holder = Holder {
        source: ReservationSource::Manual,
        document_id: None,
        line_id: None,
        reference_id: body.reference_id,
        reason: Some(body.reason.0.clone()),
    };
    let mut holds = Steps::default();
    let held = Some((unit.id, unit.version + 1));
    let reservation = holds.open(new_id(), warehouse, unit.variant_id, ONE, held, &holder);
    let after =
        UnitRow { status: UnitStatus::Reserved, reservation_id: Some(reservation.id), ..unit.clone() };
    written(unit, after, reservation, holds, Some(&body.reason))
}

/// Lets go of a unit that a person held; `reservation` is locked and MANUAL.
///
/// # Errors
/// VERSION_CONFLICT where a version is stated, ILLEGAL_STATE once it is closed.
pub fn release(reservation: &ReservationRow, expected: Option<ExpectedVersion>, reason: &str) -> Answer {
    let unit = reservation.unit_id.ok_or_else(Problem::not_found)?;
    let unit: Option<UnitRow> = run(get(unit).locked())?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    if let Some(expected) = expected {
        expected.check(unit.version)?;
    }
    if unit.reservation_id != Some(reservation.id) {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let mut holds = Steps::default();
    let released = holds.release(reservation, Some(unit.version + 1), Some(reason));
    let after = UnitRow { status: UnitStatus::Available, reservation_id: None, ..unit.clone() };
    written(unit, after, released, holds, Some(reason))
}

fn written(before: UnitRow, after: UnitRow, of: ReservationRow, holds: Steps, reason: Option<&str>) -> Answer {
    let books = Books::not_asked(before.legal_entity_id);
    let product = before.product_id;
    let mut changes = Changes::of(1);
    changes.held(before, after, reason)?;
    let units = apply::held(changes, None, holds, &[], &books)?;
    let unit = units.first().ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&InventoryUnitReservationReceipt::of(&of, unit)).resource(of.id).subject(product))
}
