//! Letting go of a reservation by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem, Text, item};

use super::row::{ReservationRow, ReservationSource, ReservationStatus};
use super::show::receipt;
use crate::articles;
use crate::goods::delta::Delta;
use crate::goods::{Closing, Goods, Place, Sku};
use crate::unit;
use crate::version::ExpectedVersion;
use crate::warehouse::row::WarehouseRow;

/// Why held stock is let go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReleaseInput {
    pub reason: Text<1, 1000>,
    /// Of the unit that is held; not of a quantity.
    #[serde(default)]
    #[schemars(range(min = 1, max = 2_147_483_646))]
    pub expected_version: Option<i64>,
}

pub fn release(call: &Call) -> Answer {
    let row: ReservationRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    if row.unit_id.is_some() {
        return release_unit(call, row);
    }
    release_quantity(call, row)
}

/// Keys know nothing of units.
pub fn release_public(call: &Call) -> Answer {
    let row: ReservationRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    if row.unit_id.is_some() {
        return Err(Problem::not_found());
    }
    release_quantity(call, row)
}

/// Lets go of a unit.
///
/// # Errors
/// ILLEGAL_STATE, VERSION_CONFLICT.
pub fn release_unit(call: &Call, row: ReservationRow) -> Answer {
    let input: ReleaseInput = call.body()?;
    let row: ReservationRow = run(get(row.id).locked())?.ok_or_else(Problem::not_found)?;
    if row.status != ReservationStatus::Active || row.source != ReservationSource::Manual {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    unit::reserve::release(&row, input.expected_version.map(ExpectedVersion), &input.reason)
}

fn release_quantity(call: &Call, row: ReservationRow) -> Answer {
    let input: ReleaseInput = call.body()?;
    if input.expected_version.is_some() {
        return Err(Problem::invalid(vec![item("/expectedVersion", "NOT_ALLOWED")]));
    }
    let known = articles::by_variant([row.variant_id]);
    let (row, warehouse) = run((get::<ReservationRow>(row.id).locked(), get::<WarehouseRow>(row.warehouse_id)))?;
    let (Some(row), Some(warehouse)) = (row, warehouse) else { return Err(Problem::not_found()) };
    if row.status != ReservationStatus::Active || row.source != ReservationSource::Manual {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let article = articles::known(&known, row.variant_id, "/variantId")?;
    let (place, sku) = (Place::of(&warehouse), Sku::of(article));
    let mut goods = Goods::default();
    goods.change(&place, &sku, Delta::reserved(-row.quantity.units()), "/quantity");
    let closing = Closing { reservation: row, movement: None, reason: Some(input.reason.into()), unit_version: None };
    let after = closing.after(goods.now());
    goods.close(closing);
    let (held, ()) = goods.hold(())?;
    held.write(())?;
    Ok(receipt(&after))
}
