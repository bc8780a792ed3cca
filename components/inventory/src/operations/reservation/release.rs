//! Letting go of a reservation by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, Text};
use stoa_trade::Caller;
use stoa_trade::clients::articles;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::refusal::invalid;

use crate::records::reservation::{ReservationRow, ReservationSource, ReservationStatus, receipt, unit_receipt};
use crate::records::unit::UnitRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::work::goods::{Closing, Goods, Place, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects;
use crate::work::units::holds::release_unit;

/// Reason for the release.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReleaseInput {
    pub reason: Text<1, 1000>,
    /// The `version` of the held unit that you read; not allowed for a quantity.
    #[schemars(range(min = 1, max = 2_147_483_646))]
    pub expected_version: Option<i64>,
}

pub fn release(call: &Call) -> Answer {
    let row: ReservationRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    // API clients do not see units.
    if row.unit_id.is_some() && Caller::current().is_client() {
        return Err(Problem::not_found());
    }
    let input: ReleaseInput = call.body()?;
    match row.unit_id {
        None => release_quantity(input, &row),
        Some(unit) => release_held_unit(&input, row.id, unit),
    }
}

fn check_open(row: &ReservationRow) -> Result<(), Problem> {
    match row.status == ReservationStatus::Active && row.source == ReservationSource::Manual {
        true => Ok(()),
        false => Err(Problem::new("ILLEGAL_STATE")),
    }
}

fn release_quantity(input: ReleaseInput, row: &ReservationRow) -> Answer {
    if input.expected_version.is_some() {
        return Err(invalid("/expectedVersion", "NOT_ALLOWED"));
    }
    let articles = articles::get([row.variant_id]);
    let (row, warehouse) = run((get::<ReservationRow>(row.id).locked(), get::<WarehouseRow>(row.warehouse_id)))?;
    let (Some(row), Some(warehouse)) = (row, warehouse) else { return Err(Problem::not_found()) };
    check_open(&row)?;
    let article = articles::require(&articles, row.variant_id, "/variantId")?;
    let (place, sku) = (Place::from_row(&warehouse), Sku::new(article));
    let mut goods = Goods::default();
    goods.change(&place, &sku, Delta::of_reserved(-row.quantity.units()), "/quantity");
    let closing = Closing { reservation: row, movement: None, reason: Some(input.reason.into()), unit_version: None };
    let after = closing.after(goods.now());
    goods.close(closing);
    let settled = goods.settle()?;
    settled.write(())?;
    Ok(receipt(&after, sku.product))
}

/// Lets go of a unit that a person held.
///
/// # Errors
/// ILLEGAL_STATE; VERSION_CONFLICT where a version is stated and is not the unit's.
fn release_held_unit(input: &ReleaseInput, reservation: Id, unit: Id) -> Answer {
    let reservation: ReservationRow = run(get(reservation).locked())?.ok_or_else(Problem::not_found)?;
    check_open(&reservation)?;
    let unit: UnitRow = run(get(unit).locked())?.ok_or_else(Problem::not_found)?;
    if let Some(expected) = input.expected_version {
        ExpectedVersion(expected).check(unit.version)?;
    }
    let (mut goods, mut changes) = (Goods::default(), Changes::new(1));
    release_unit(unit, &reservation, Some(&input.reason), &mut goods, &mut changes);
    let released = ReservationRow { status: ReservationStatus::Released, ..reservation };
    let units = effects::write_changes(changes, None, goods, &[], None)?;
    let unit = units.first().ok_or_else(Problem::not_found)?;
    Ok(unit_receipt(&released, unit))
}
