//! Adjustments by hand: goods found, missing, damaged or lost, by quantity.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock_shared, run};
use stoa_sdk::{Answer, Call, Id, Item, Problem, Text, item, text_enum};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books::{self, Terms};
use stoa_trade::quantity::{self, Positive, Quantity, UnitCost};
use stoa_trade::refusal::unusable;

use crate::records::cost::CostKind;
use crate::records::movement::{MovementRow, MovementType, receipt};
use crate::records::warehouse::{WarehouseRow, gate};
use crate::rules::delta::Delta;
use crate::rules::place;
use crate::work::goods::{Goods, Inflow, Outflow, Place, Sku};

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
    #[serde(default)]
    reference_id: Option<Id>,
    movement_type: AdjustmentType,
    #[serde(default)]
    from_warehouse_id: Option<Id>,
    #[serde(default)]
    to_warehouse_id: Option<Id>,
    /// ADJUSTMENT_IN only; required if the legal entity keeps books. Zero is a valid cost.
    #[serde(default)]
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
    let movement = if inbound {
        come_in(&input, article, place, sku, terms.as_ref())?
    } else {
        go_out(&input, place, sku, terms.as_ref())?
    };
    Ok(receipt(&movement))
}

/// The stated cost where the books take it; the cost of goods that come in without a document.
///
/// # Errors
/// VALUATION_COST_REQUIRED where books are kept and none is stated, ACCOUNTING_AMOUNT_PRECISION.
pub fn stated_cost(
    entity: Id,
    terms: Option<&Terms>,
    stated: Option<Quantity>,
    article: &Article,
    pointer: &str,
) -> Result<Option<UnitCost>, Problem> {
    if terms.is_some() {
        let Some(stated) = stated else { return Err(Problem::at("VALUATION_COST_REQUIRED", pointer)) };
        let cost = books::Cost {
            unit_cost: stated.to_string(),
            decimal_places: article.decimal_places,
            pointer: pointer.to_owned(),
        };
        books::admit_costs(entity, &[cost])?;
    }
    Ok(stated.map(quantity::widen))
}

fn come_in(
    input: &AdjustmentInput,
    article: &Article,
    place: Place,
    sku: Sku,
    terms: Option<&Terms>,
) -> Result<MovementRow, Problem> {
    let unit_cost = stated_cost(place.entity, terms, input.unit_cost, article, "/unitCost")?;
    let mut goods = Goods::default();
    let quantity = input.quantity.0;
    let movement = MovementRow {
        to_warehouse_id: Some(place.warehouse),
        reference_id: input.reference_id,
        ..goods.movement(MovementType::AdjustmentIn, &sku, quantity, &input.reason)
    };
    goods.change(&place, &sku, Delta::on_hand(quantity.units()), "/quantity");
    goods.record(movement.clone());
    goods.bring(Inflow {
        unit_cost,
        currency_code: terms.map(|terms| terms.currency_code.clone()),
        ..Inflow::new(movement.id, place, sku, quantity, CostKind::AdjustedIn)
    });
    settle(goods, place, terms, &input.reason).map(|()| movement)
}

fn go_out(input: &AdjustmentInput, place: Place, sku: Sku, terms: Option<&Terms>) -> Result<MovementRow, Problem> {
    let (movement_type, kind) = match input.movement_type {
        AdjustmentType::Damage => (MovementType::Damage, CostKind::Damaged),
        AdjustmentType::Loss => (MovementType::Loss, CostKind::Lost),
        AdjustmentType::In | AdjustmentType::Out => (MovementType::AdjustmentOut, CostKind::AdjustedOut),
    };
    let mut goods = Goods::default();
    let quantity = input.quantity.0;
    let movement = MovementRow {
        from_warehouse_id: Some(place.warehouse),
        reference_id: input.reference_id,
        ..goods.movement(movement_type, &sku, quantity, &input.reason)
    };
    goods.change(&place, &sku, Delta::on_hand(-quantity.units()), "/quantity");
    goods.record(movement.clone());
    goods.draw(Outflow::new(movement.id, place, sku, quantity, kind));
    settle(goods, place, terms, &input.reason).map(|()| movement)
}

fn settle(goods: Goods, place: Place, terms: Option<&Terms>, reason: &str) -> Result<(), Problem> {
    let settled = goods.settle()?;
    settled.write(())?;
    settled.post(terms, place.entity, reason)
}
