//! Readmitting a unit whose identity the company has recorded: repaired, bought back from a customer, or back from the supplier.
//! Receipts take new identities only, so these have a way in of their own.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Answer, Call, Decimal, Id, Problem, Text};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::{self, refuse_invalid};

use crate::operations::unit::stated_place::StatedPlace;
use crate::records::movement::MovementType;
use crate::records::unit::{self, Condition, Grade, UnitRow, UnitStatus};
use crate::rules::condition::Objections;
use crate::rules::unit_state::{self, Cause};
use crate::work::goods::Goods;
use crate::work::units::changes::{Changes, Why};
use crate::work::units::{effects, worth};

/// A DAMAGED unit was repaired in its warehouse; a SOLD unit was bought back; an RMA unit came back from the supplier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadmitUnit {
    pub expected_version: ExpectedVersion,
    /// Required for SOLD and RMA, not allowed for DAMAGED. A SOLD unit changes to the legal entity of the warehouse; an RMA
    /// unit keeps its legal entity.
    pub to_warehouse_id: Option<Id>,
    /// Location in `toWarehouseId`.
    pub to_location_id: Option<Id>,
    /// For a SOLD unit: another serialized variant of the same product, such as the used one.
    pub variant_id: Option<Id>,
    /// Value of the unit now; required if the legal entity keeps books.
    pub unit_cost: Option<Decimal<6>>,
    /// For a SOLD unit: required if the variant has no condition.
    pub condition: Option<Condition>,
    pub grade: Option<Grade>,
    pub reason: Text<1, 1000>,
    /// Stored as sent. The service never looks it up.
    pub reference_id: Option<Id>,
}

pub fn readmit(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: ReadmitUnit = call.body()?;
    let place = StatedPlace { warehouse: input.to_warehouse_id, location: input.to_location_id };
    let (unit, warehouse) = place.read(id)?;
    let variant = input.variant_id.unwrap_or(unit.variant_id);
    let article = articles::get_one(variant).ok_or_else(|| Problem::reference_missing("/variantId"))?;
    input.expected_version.check(unit.version)?;
    unit_state::check(Cause::Readmit, &unit, None)?;
    refuse_invalid(place.find_faults(unit.status != UnitStatus::Damaged))?;
    // Both change only with the version, which is compared again below; a warehouse never changes its entity.
    let entity = match (unit.status, warehouse) {
        (UnitStatus::Sold, Some(warehouse)) => warehouse.legal_entity_id,
        _ => unit.legal_entity_id,
    };
    let terms = books::admit(entity)?;

    let to = input.to_warehouse_id.or(unit.warehouse_id);
    let place = StatedPlace { warehouse: to, ..place };
    let entered = place.enter(id, input.expected_version, Cause::Readmit)?;
    let unit = entered.unit.clone();
    usable(&unit, &article)?;
    let to = to.ok_or_else(Problem::not_found)?;
    let warehouse = entered.require_open(to, input.to_location_id)?;
    if warehouse.legal_entity_id != entity {
        return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
    }
    // A sold unit's condition is unknown when it comes back; any other unit keeps its condition, unless the body states another.
    let known = if unit.status == UnitStatus::Sold { None } else { unit.condition };
    let stated = input.condition.or(known.filter(|_| article.condition.is_none()));
    let mut objections = Objections::default();
    let (condition, grade) = objections.settle(&article, stated, input.grade, "");
    objections.refuse()?;
    let worth = worth::admit_worth(terms.as_ref(), entity, input.unit_cost, 0, "/unitCost")?;

    let location_id = if unit.status == UnitStatus::Damaged { unit.location_id } else { input.to_location_id };
    let after = UnitRow {
        variant_id: variant,
        condition,
        grade,
        legal_entity_id: entity,
        sale_allocation_id: None,
        sale_movement_id: None,
        ..unit.in_place(unit_state::status_in(warehouse.kind), to, location_id)
    };
    let why = Why::manual(MovementType::AdjustmentIn, &input.reason, input.reference_id);
    let mut changes = Changes::new(1);
    changes.record_move(unit, after, &why, worth);
    unit::receipt(effects::write_changes(changes, None, Goods::default(), &entered.warehouses, terms.as_ref())?)
}

/// Checks that the unit may come in under this variant: its own, or for a bought-back unit another one of its product.
fn usable(unit: &UnitRow, article: &Article) -> Result<(), Problem> {
    let refused = |why: &str| Err(refusal::unusable("/variantId", why));
    let is_own = Id::from(article.variant_id) == unit.variant_id;
    if unit.status != UnitStatus::Sold {
        return if is_own { Ok(()) } else { refused("NOT_SOLD") };
    }
    if Id::from(article.product_id) != unit.product_id {
        return refused("OTHER_PRODUCT");
    }
    if articles::tracking(article) != Tracking::Serialized {
        return refused("NOT_SERIALIZED");
    }
    if articles::is_active(article) { Ok(()) } else { refused("ARCHIVED") }
}
