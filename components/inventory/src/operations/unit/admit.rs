//! Admitting units: opening stock and found goods come in without a supplier, by the rules of a receipt.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get_all, run};
use stoa_sdk::{Answer, Call, Decimal, Id, Problem, Reply, Text, new_ids};
use stoa_trade::clients::{articles, books};
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::{self, refuse_invalid};

use crate::records::location::LocationRow;
use crate::records::movement::MovementType;
use crate::records::unit::{AdmittedUnits, InventoryUnitReceipt, UnitRow};
use crate::records::warehouse::WarehouseRow;
use crate::rules::condition::Objections;
use crate::rules::place;
use crate::work::gates;
use crate::work::goods::Goods;
use crate::work::units::changes::{Changes, Why};
use crate::work::units::{effects, identities, receipts, worth};
use stoa_trade::unit_identity::{self as identity, UnitInput};

/// Units of one serialized variant that enter stock together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdmitUnits {
    /// Active serialized variant.
    pub variant_id: Id,
    pub warehouse_id: Id,
    /// Location in the warehouse.
    pub location_id: Option<Id>,
    /// Cost of each unit; required if the legal entity keeps books.
    pub unit_cost: Option<Decimal<6>>,
    pub reason: Text<1, 1000>,
    /// Stored as sent. The service never looks it up.
    pub reference_id: Option<Id>,
    #[schemars(length(min = 1, max = stoa_trade::limits::UNITS))]
    pub units: Vec<UnitInput>,
}

pub fn admit(call: &Call) -> Answer {
    let input: AdmitUnits = call.body()?;
    let pointers: Vec<String> = (0..input.units.len()).map(|index| format!("/units/{index}")).collect();
    let faults = identity::find_faults(pointers.iter().cloned().zip(&input.units));
    refuse_invalid(faults)?;
    let article = articles::get_one(input.variant_id).ok_or_else(|| Problem::reference_missing("/variantId"))?;
    let (warehouses, locations): (Vec<WarehouseRow>, Vec<LocationRow>) =
        run((get_all([input.warehouse_id]), get_all(input.location_id)))?;
    let entity = place::require_warehouse(&warehouses, input.warehouse_id, "/warehouseId")?.legal_entity_id;
    place::require_location(&locations, input.location_id, "/locationId")?;
    if articles::tracking(&article) != Tracking::Serialized {
        return Err(Problem::illegal_state("/variantId"));
    }
    if !articles::is_active(&article) {
        return Err(refusal::unusable("/variantId", "ARCHIVED"));
    }
    let terms = books::admit(entity)?;

    let (_, warehouses, locations) = run(gates::enter(&[input.warehouse_id], input.location_id))?;
    let warehouse = place::require_warehouse(&warehouses, input.warehouse_id, "/warehouseId")?;
    let location = place::require_location(&locations, input.location_id, "/locationId")?;
    place::check_open(warehouse, "/warehouseId", location, "/locationId")?;
    let mut objections = Objections::default();
    let settled: Vec<_> = pointers
        .iter()
        .zip(&input.units)
        .map(|(pointer, unit)| objections.settle(&article, unit.condition, unit.grade, pointer))
        .collect();
    objections.refuse()?;
    let worth = worth::admit_worth(terms.as_ref(), entity, input.unit_cost, 0, "/unitCost")?;

    let why = Why::manual(MovementType::AdjustmentIn, &input.reason, input.reference_id);
    let mut changes = Changes::new(input.units.len());
    let ids = new_ids(u32::try_from(input.units.len()).unwrap_or(u32::MAX));
    for ((id, unit), (condition, grade)) in ids.iter().zip(&input.units).zip(settled) {
        let row = receipts::new_unit(*id, &changes, &article, unit, warehouse, input.location_id);
        changes.admit(UnitRow { condition, grade, ..row }, &why, worth.clone());
    }
    let new = identities::NewIdentities::new(ids.iter().copied().zip(&input.units), &pointers);
    let rows = effects::write_changes(changes, Some(new), Goods::default(), &warehouses, terms.as_ref())?;
    let items: Vec<InventoryUnitReceipt> = rows.iter().map(InventoryUnitReceipt::from_row).collect();
    let reply = Reply::json(&AdmittedUnits { items }).subject(article.product_id.into());
    Ok(match ids.first() {
        Some(first) => reply.resource(*first),
        None => reply,
    })
}
