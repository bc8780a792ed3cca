//! Regrading: an inspection states a new condition and grade; nothing else of the unit changes.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Answer, Call, Problem, Text};
use stoa_trade::clients::articles;
use stoa_trade::document::version::ExpectedVersion;

use crate::records::unit::{self, Condition, Grade, UnitRow};
use crate::rules::condition::Objections;
use crate::rules::unit_state::{self, Cause};
use crate::work::documents::lock_expected;
use crate::work::goods::Goods;
use crate::work::units::changes::Changes;
use crate::work::units::effects;

/// Replaces both. An omitted condition becomes the condition of the variant, an omitted grade the grade of the variant or null.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegradeUnit {
    pub expected_version: ExpectedVersion,
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub reason: Text<1, 1000>,
}

pub fn regrade(call: &Call) -> Answer {
    let input: RegradeUnit = call.body()?;
    let unit: UnitRow = lock_expected(call.path_id("id")?, input.expected_version)?;
    unit_state::check(Cause::Regrade, &unit, None)?;
    let article = articles::get_one(unit.variant_id).ok_or_else(Problem::not_found)?;
    let mut objections = Objections::default();
    let (condition, grade) = objections.settle(&article, input.condition, input.grade, "");
    objections.refuse()?;
    let changed = [("condition", unit.condition != condition), ("grade", unit.grade != grade)];
    let changed = changed.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name);
    let mut changes = Changes::new(1);
    let after = UnitRow { condition, grade, ..unit.clone() };
    changes.record_regrade(unit, after, &input.reason);
    unit::receipt(effects::write_changes(changes, None, Goods::default(), &[], None)?)
        .map(|reply| reply.changed(changed))
}
