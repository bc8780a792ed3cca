//! Regrading: an inspection states condition and grade anew; nothing else of the unit changes.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem, Text};

use crate::goods::Goods;
use crate::tracked;
use crate::unit::change::Changes;
use crate::unit::condition::Objections;
use crate::unit::row::{Condition, Grade, UnitRow};
use crate::unit::state::{self, Cause};
use crate::unit::{apply, moves};
use crate::version::ExpectedVersion;

/// Both are replaced: an omitted condition is the variant's, an omitted grade the variant's or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegradeUnit {
    pub expected_version: ExpectedVersion,
    #[serde(default)]
    pub condition: Option<Condition>,
    #[serde(default)]
    pub grade: Option<Grade>,
    pub reason: Text<1, 1000>,
}

pub fn regrade(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: RegradeUnit = call.body()?;
    let unit: Option<UnitRow> = run(get(id).locked())?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    input.expected_version.check(unit.version)?;
    state::check(Cause::Regrade, &unit, None)?;
    let article = tracked::one(unit.variant_id).ok_or_else(Problem::not_found)?;
    let mut objections = Objections::default();
    let (condition, grade) = objections.settle(&article, input.condition, input.grade, "");
    objections.none()?;
    let changed = [("condition", unit.condition != condition), ("grade", unit.grade != grade)];
    let changed = changed.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    let mut changes = Changes::of(1);
    let after = UnitRow { condition, grade, ..unit.clone() };
    changes.regraded(unit, after, &input.reason)?;
    moves::answer(apply::all(changes, None, Goods::default(), &[], None)?).map(|reply| reply.changed(changed))
}
