//! Moving a unit by hand: between warehouses of its entity, to damage, to loss, and back from loss.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, get_all, run};
use stoa_sdk::{Answer, Call, Decimal, Id, Item, Problem, Reply, Text, item, text_enum};

use crate::books::{self, Terms};
use crate::goods::Goods;
use crate::movement::row::MovementType;
use crate::terms::may;
use crate::unit::answer::InventoryUnitReceipt;
use crate::unit::change::{Changes, Why};
use crate::unit::cost::Worth;
use crate::unit::row::{UnitRow, UnitStatus};
use crate::unit::state::{self, Cause};
use crate::unit::{apply, cost, place};
use crate::version::ExpectedVersion;
use crate::warehouse::row::{LocationRow, WarehouseRow};

text_enum! {
    /// What a person may do to a unit by hand. Sales, returns and RMA have their documents.
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
    /// With TRANSFER and ADJUSTMENT_IN, and only with them.
    #[serde(default)]
    pub to_warehouse_id: Option<Id>,
    /// Of `toWarehouseId`.
    #[serde(default)]
    pub to_location_id: Option<Id>,
    /// Kept as it is, never resolved.
    #[serde(default)]
    pub reference_id: Option<Id>,
    pub reason: Text<1, 1000>,
    /// With ADJUSTMENT_IN only; required where the legal entity keeps books. Without books, omitted: what the unit cost last.
    #[serde(default)]
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

    fn check(&self) -> Result<(), Problem> {
        let permission = match self.movement_type {
            UnitMovementType::Transfer => "inventory.transfer",
            _ => "inventory.adjust",
        };
        if !may(permission) {
            return Err(Problem::of("PERMISSION_DENIED"));
        }
        let mut faults: Vec<Item> = Vec::new();
        match self.movement_type {
            UnitMovementType::Transfer | UnitMovementType::AdjustmentIn => {
                faults.extend(self.to_warehouse_id.is_none().then(|| item("/toWarehouseId", "REQUIRED")));
            }
            UnitMovementType::Damage | UnitMovementType::Loss => {
                faults.extend(self.to_warehouse_id.map(|_| item("/toWarehouseId", "NOT_ALLOWED")));
                faults.extend(self.to_location_id.map(|_| item("/toLocationId", "NOT_ALLOWED")));
            }
        }
        if self.movement_type != UnitMovementType::AdjustmentIn && self.unit_cost.is_some() {
            faults.push(item("/unitCost", "NOT_ALLOWED"));
        }
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}

pub fn move_unit(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: UnitMovementInput = call.body()?;
    input.check()?;
    let (cause, movement_type) = input.cause();
    let (unit, warehouses, locations): (Option<UnitRow>, Vec<WarehouseRow>, Vec<LocationRow>) =
        run((get(id), get_all(input.to_warehouse_id), get_all(input.to_location_id)))?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    if let Some(to) = input.to_warehouse_id {
        place::known(&warehouses, to, "/toWarehouseId")?;
    }
    place::known_location(&locations, input.to_location_id, "/toLocationId")?;
    input.expected_version.check(unit.version)?;
    state::check(cause, &unit, None)?;
    // A unit changes its entity only with its version, which is compared again below.
    let terms = match cause {
        Cause::Transfer => None,
        _ => books::admit(unit.legal_entity_id)?,
    };

    let gates: Vec<Id> = input.to_warehouse_id.into_iter().collect();
    let entered = (place::enter(&gates, input.to_location_id), get::<UnitRow>(id).locked());
    let ((_, warehouses, locations), unit) = run(entered)?;
    let unit = unit.ok_or_else(Problem::not_found)?;
    input.expected_version.check(unit.version)?;
    state::check(cause, &unit, None)?;

    let (after, worth) = match input.to_warehouse_id {
        None if cause == Cause::Damage => (UnitRow { status: UnitStatus::Damaged, ..unit.clone() }, Worth::default()),
        None => (unit.gone(UnitStatus::Lost), Worth::default()),
        Some(to) => {
            let warehouse = place::known(&warehouses, to, "/toWarehouseId")?;
            let location = place::known_location(&locations, input.to_location_id, "/toLocationId")?;
            place::open(warehouse, "/toWarehouseId", location, "/toLocationId")?;
            if warehouse.legal_entity_id != unit.legal_entity_id {
                return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
            }
            let after = unit.at(state::transferred(unit.status, warehouse.kind), to, input.to_location_id);
            let is_same = (after.status, after.warehouse_id, after.location_id)
                == (unit.status, unit.warehouse_id, unit.location_id);
            if is_same {
                return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
            }
            let worth = match cause {
                Cause::Find => found(terms.as_ref(), &unit, input.unit_cost, "/unitCost")?,
                _ => Worth::default(),
            };
            (after, worth)
        }
    };
    let why = Why::manual(movement_type, &input.reason, input.reference_id);
    let mut changes = Changes::of(1);
    changes.moved(unit, after, &why, worth)?;
    answer(apply::all(changes, None, Goods::default(), &warehouses, terms.as_ref())?)
}

/// What a found unit is worth: as stated, and without books as it was last.
///
/// # Errors
/// VALUATION_COST_REQUIRED, ACCOUNTING_AMOUNT_PRECISION.
pub fn found(
    terms: Option<&Terms>,
    unit: &UnitRow,
    stated: Option<Decimal<6>>,
    pointer: &str,
) -> Result<Worth, Problem> {
    if stated.is_none() && terms.is_none() {
        return cost::last(&[unit.id]).map(|mut last| last.remove(&unit.id).unwrap_or_default());
    }
    cost::admitted(terms, unit.legal_entity_id, stated, pointer)
}

/// The receipt of the one unit that was written.
pub fn answer(rows: Vec<UnitRow>) -> Answer {
    let row = rows.first().ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&InventoryUnitReceipt::of(row)).resource(row.id).subject(row.product_id))
}
