//! Adjustments by hand: goods found, missing, damaged or lost, by quantity.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock_shared, run};
use stoa_sdk::{Answer, Call, Id, Item, Problem, Text, item, text_enum};
use stoa_trade::clients::{articles, books};
use stoa_trade::quantity::{Positive, Quantity};
use stoa_trade::refusal::unusable;

use crate::records::movement::{MovementType, receipt};
use crate::records::warehouse::{WarehouseRow, gate};
use crate::rules::place;
use crate::work::adjust::adjust_quantity;
use crate::work::goods::{Goods, Place, Sku};
use crate::work::units::changes::Why;
use crate::work::units::worth::{Worth, admit_worth};

text_enum! {
    enum AdjustmentType { In => "ADJUSTMENT_IN", Out => "ADJUSTMENT_OUT", Damage => "DAMAGE", Loss => "LOSS" }
}

/// An adjustment of stock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdjustmentInput {
    /// Tracked variant without serial numbers.
    variant_id: Id,
    /// At most the decimal places of the variant's unit of measure.
    quantity: Positive,
    reason: Text<1, 1000>,
    /// Id that the caller chooses. The service never looks it up.
    reference_id: Option<Id>,
    movement_type: AdjustmentType,
    from_warehouse_id: Option<Id>,
    to_warehouse_id: Option<Id>,
    /// ADJUSTMENT_IN only; required if the legal entity keeps books. Zero is a valid cost.
    unit_cost: Option<Quantity>,
}

impl AdjustmentInput {
    /// The warehouse of the side that the type uses, with its pointer.
    fn warehouse(&self) -> Result<(Id, &'static str), Problem> {
        let (from, to) = ((self.from_warehouse_id, "/fromWarehouseId"), (self.to_warehouse_id, "/toWarehouseId"));
        let inbound = self.movement_type == AdjustmentType::In;
        let (used, unused) = if inbound { (to, from) } else { (from, to) };
        let mut faults: Vec<Item> = Vec::new();
        if used.0.is_none() {
            faults.push(item(used.1, "REQUIRED"));
        }
        if unused.0.is_some() {
            faults.push(item(unused.1, "NOT_ALLOWED"));
        }
        if !inbound && self.unit_cost.is_some() {
            faults.push(item("/unitCost", "NOT_ALLOWED"));
        }
        match used.0 {
            Some(id) if faults.is_empty() => Ok((id, used.1)),
            _ => Err(Problem::invalid(faults)),
        }
    }
}

pub fn create(call: &Call) -> Answer {
    let input: AdjustmentInput = call.body()?;
    let (warehouse, pointer) = input.warehouse()?;
    let inbound = input.movement_type == AdjustmentType::In;
    let articles = articles::get([input.variant_id]);
    // An outbound adjustment needs no gate: an archived warehouse has no goods to give.
    let (_, row) = run((inbound.then(|| lock_shared(gate(warehouse))), get::<WarehouseRow>(warehouse)))?;
    let article = articles::require(&articles, input.variant_id, "/variantId")?;
    let row = row.ok_or_else(|| Problem::reference_missing(pointer))?;
    let quantity = input.quantity.0;
    articles::check_scale(article, quantity, "/quantity")?;
    articles::require_quantities(article, "/variantId")?;
    if inbound && !articles::is_active(article) {
        return Err(unusable("/variantId", "ARCHIVED"));
    }
    place::check_active(&row, pointer)?;
    let (place, sku) = (Place::from_row(&row), Sku::new(article));
    let terms = books::admit(place.entity)?;
    let worth = match inbound {
        true => admit_worth(terms.as_ref(), place.entity, input.unit_cost, article.decimal_places, "/unitCost")?,
        false => Worth::default(),
    };
    let movement_type = match input.movement_type {
        AdjustmentType::In => MovementType::AdjustmentIn,
        AdjustmentType::Out => MovementType::AdjustmentOut,
        AdjustmentType::Damage => MovementType::Damage,
        AdjustmentType::Loss => MovementType::Loss,
    };
    let why = Why::manual(movement_type, &input.reason, input.reference_id);
    let difference = if inbound { quantity } else { Quantity::from_units(-quantity.units()) };
    let mut goods = Goods::default();
    let movement = adjust_quantity(&mut goods, &why, (place, sku), difference, worth, "/quantity");
    let settled = goods.settle()?;
    settled.write(())?;
    settled.post(terms.as_ref(), place.entity, &input.reason)?;
    Ok(receipt(&movement))
}
