//! Holding a unit by hand and letting it go: whole, once, without an end of its own, and never consumed.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, Text};

use crate::books::Books;
use crate::reservation::row::{ReservationRow, ReservationSource};
use crate::unit::answer::InventoryUnitReservationReceipt;
use crate::unit::change::Changes;
use crate::unit::hold;
use crate::unit::row::UnitRow;
use crate::unit::state::{self, Cause};
use crate::unit::apply;
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
