//! Moving a unit by hand: between warehouses of its entity, to damage, to loss, and back from loss.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Answer, Call, Decimal, Id, Problem, Text, holds, item, text_enum};
use stoa_trade::clients::books;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::refusal::refuse_invalid;

use crate::operations::unit::stated_place::StatedPlace;
use crate::records::movement::MovementType;
use crate::records::unit::{UnitRow, UnitStatus, receipt};
use crate::rules::unit_state::{self, Cause};
use crate::work::goods::Goods;
use crate::work::units::changes::{Changes, Why};
use crate::work::units::effects;
use crate::work::units::worth::{Worth, worth_of_found};

text_enum! {
    /// Manual changes of a unit. Sales, returns and RMA use their documents.
    pub enum UnitMovementType {
        AdjustmentIn => "ADJUSTMENT_IN", Transfer => "TRANSFER", Damage => "DAMAGE", Loss => "LOSS",
    }
}

/// A movement of one unit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnitMovementInput {
    pub movement_type: UnitMovementType,
    pub expected_version: ExpectedVersion,
    /// Only with TRANSFER and ADJUSTMENT_IN, and required there.
    pub to_warehouse_id: Option<Id>,
    /// Location in `toWarehouseId`.
    pub to_location_id: Option<Id>,
    /// Stored as sent. The service never looks it up.
    pub reference_id: Option<Id>,
    pub reason: Text<1, 1000>,
    /// With ADJUSTMENT_IN only; required if the legal entity keeps books. Omitted without books: the last cost of the unit.
    pub unit_cost: Option<Decimal<6>>,
}

impl UnitMovementInput {
    fn cause(&self) -> (Cause, MovementType) {
        match self.movement_type {
            UnitMovementType::AdjustmentIn => (Cause::Find, MovementType::AdjustmentIn),
            UnitMovementType::Transfer => (Cause::Transfer, MovementType::Transfer),
            UnitMovementType::Damage => (Cause::Damage, MovementType::Damage),
            UnitMovementType::Loss => (Cause::Loss, MovementType::Loss),
        }
    }

    fn place(&self) -> StatedPlace {
        StatedPlace { warehouse: self.to_warehouse_id, location: self.to_location_id }
    }

    fn check(&self) -> Result<(), Problem> {
        let permission = match self.movement_type {
            UnitMovementType::Transfer => "inventory.transfer",
            _ => "inventory.adjust",
        };
        if !holds(permission) {
            return Err(Problem::new("PERMISSION_DENIED"));
        }
        let goes_somewhere = matches!(self.movement_type, UnitMovementType::Transfer | UnitMovementType::AdjustmentIn);
        let mut faults = self.place().find_faults(goes_somewhere);
        if self.movement_type != UnitMovementType::AdjustmentIn && self.unit_cost.is_some() {
            faults.push(item("/unitCost", "NOT_ALLOWED"));
        }
        refuse_invalid(faults)
    }
}

pub fn move_unit(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: UnitMovementInput = call.body()?;
    input.check()?;
    let (cause, movement_type) = input.cause();
    let place = input.place();
    let (unit, _) = place.read(id)?;
    input.expected_version.check(unit.version)?;
    unit_state::check(cause, &unit, None)?;
    // A unit changes its entity only with its version, which is compared again below.
    let terms = match cause {
        Cause::Transfer => None,
        _ => books::admit(unit.legal_entity_id)?,
    };

    let entered = place.enter(id, input.expected_version, cause)?;
    let unit = entered.unit.clone();

    let (after, worth) = match input.to_warehouse_id {
        None if cause == Cause::Damage => (UnitRow { status: UnitStatus::Damaged, ..unit.clone() }, Worth::default()),
        None => (unit.without_place(UnitStatus::Lost), Worth::default()),
        Some(to) => {
            let warehouse = entered.require_open(to, input.to_location_id)?;
            if warehouse.legal_entity_id != unit.legal_entity_id {
                return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
            }
            let after =
                unit.in_place(unit_state::status_after_transfer(unit.status, warehouse.kind), to, input.to_location_id);
            let is_same = (after.status, after.warehouse_id, after.location_id)
                == (unit.status, unit.warehouse_id, unit.location_id);
            if is_same {
                return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
            }
            let worth = match cause {
                Cause::Find => worth_of_found(terms.as_ref(), &unit, input.unit_cost, "/unitCost")?,
                _ => Worth::default(),
            };
            (after, worth)
        }
    };
    let why = Why::manual(movement_type, &input.reason, input.reference_id);
    let mut changes = Changes::new(1);
    changes.record_move(unit, after, &why, worth);
    receipt(effects::write_changes(changes, None, Goods::default(), &entered.warehouses, terms.as_ref())?)
}
