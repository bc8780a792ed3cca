//! Holding a unit by hand: until it is released, whole, and never consumed.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Answer, Call, Id, Problem, Text};
use stoa_trade::clients::articles;
use stoa_trade::document::version::ExpectedVersion;

use crate::records::reservation::unit_receipt;
use crate::records::unit::UnitRow;
use crate::rules::unit_state::{self, Cause};
use crate::work::documents::lock_expected;
use crate::work::goods::{Goods, Holder};
use crate::work::units::changes::Changes;
use crate::work::units::effects;
use crate::work::units::holds::reserve_unit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReserveUnit {
    pub expected_version: ExpectedVersion,
    pub reason: Text<1, 1000>,
    /// Stored as sent. The service never looks it up.
    pub reference_id: Option<Id>,
}

pub fn reserve(call: &Call) -> Answer {
    let body: ReserveUnit = call.body()?;
    let unit: UnitRow = lock_expected(call.path_id("id")?, body.expected_version)?;
    // An AVAILABLE unit is in a normal warehouse, which is not archived while it is there.
    unit_state::check(Cause::Reserve, &unit, None)?;
    if !articles::get_one(unit.variant_id).is_some_and(|article| articles::is_active(&article)) {
        return Err(Problem::at("ARCHIVED", "/variantId"));
    }
    let holder = Holder::manual(body.reference_id, body.reason.0);
    let (mut goods, mut changes) = (Goods::default(), Changes::new(1));
    let row = reserve_unit(unit, &holder, None, &mut goods, &mut changes)?;
    let units = effects::write_changes(changes, None, goods, &[], None)?;
    let unit = units.first().ok_or_else(Problem::not_found)?;
    Ok(unit_receipt(&row, unit))
}
