//! Holding a quantity by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, Text};
use stoa_trade::clients::articles;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::unusable;

use crate::records::reservation::receipt;
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::rules::place;
use crate::work::goods::{Goods, Holder, Place, Sku};

/// Stock to hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReservationInput {
    /// Tracked variant without serial numbers.
    variant_id: Id,
    /// Warehouse that allows reservations: PHYSICAL, VIRTUAL or THIRD_PARTY.
    warehouse_id: Id,
    /// At most the decimal places of the variant's unit of measure.
    quantity: Positive,
    reason: Text<1, 1000>,
    /// Id that the caller chooses. The service never looks it up.
    reference_id: Option<Id>,
}

pub fn create(call: &Call) -> Answer {
    let input: ReservationInput = call.body()?;
    let articles = articles::get([input.variant_id]);
    let row: Option<WarehouseRow> = run(get(input.warehouse_id))?;
    let article = articles::require(&articles, input.variant_id, "/variantId")?;
    let row = row.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    let quantity = input.quantity.0;
    articles::check_scale(article, quantity, "/quantity")?;
    articles::require_quantities(article, "/variantId")?;
    if !articles::is_active(article) {
        return Err(unusable("/variantId", "ARCHIVED"));
    }
    place::check_active(&row, "/warehouseId")?;
    if !row.is_normal() {
        return Err(Problem::at("CUSTODY_CONFLICT", "/warehouseId"));
    }
    let (place, sku) = (Place::from_row(&row), Sku::new(article));
    let mut goods = Goods::default();
    let holder = Holder::manual(input.reference_id, input.reason.into());
    let row = goods.reservation(place.warehouse, sku.variant, quantity, holder);
    goods.change(&place, &sku, Delta::of_reserved(quantity.units()), "/quantity");
    goods.open(row.clone(), None);
    let settled = goods.settle()?;
    settled.write(())?;
    Ok(receipt(&row, sku.product))
}
