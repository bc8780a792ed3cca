//! Transfers at once: goods of an entity move to another of its warehouses. Its layers are shared, so no value moves.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock_shared, run};
use stoa_sdk::{Answer, Call, Id, Problem, Text, item};
use stoa_trade::clients::articles;
use stoa_trade::quantity::Positive;

use crate::records::movement::{MovementRow, MovementType, receipt};
use crate::records::warehouse::{WarehouseRow, gate};
use crate::rules::delta::Delta;
use crate::rules::place;
use crate::work::goods::{Goods, Place, Sku};

/// A transfer of stock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransferInput {
    /// Tracked variant without serial numbers.
    variant_id: Id,
    /// At most the decimal places of the variant's unit of measure.
    quantity: Positive,
    from_warehouse_id: Id,
    to_warehouse_id: Id,
    reason: Text<1, 1000>,
    /// Id that the caller chooses. The service never looks it up.
    reference_id: Option<Id>,
}

pub fn create(call: &Call) -> Answer {
    let input: TransferInput = call.body()?;
    let (from, to) = (input.from_warehouse_id, input.to_warehouse_id);
    if from == to {
        return Err(Problem::invalid(vec![item("/toWarehouseId", "REPEATED")]));
    }
    let articles = articles::get([input.variant_id]);
    let (_, from, to) = run((lock_shared(gate(to)), get::<WarehouseRow>(from), get::<WarehouseRow>(to)))?;
    let article = articles::require(&articles, input.variant_id, "/variantId")?;
    let from = from.ok_or_else(|| Problem::reference_missing("/fromWarehouseId"))?;
    let to = to.ok_or_else(|| Problem::reference_missing("/toWarehouseId"))?;
    let quantity = input.quantity.0;
    articles::check_scale(article, quantity, "/quantity")?;
    articles::require_quantities(article, "/variantId")?;
    place::check_active(&from, "/fromWarehouseId")?;
    place::check_active(&to, "/toWarehouseId")?;
    if from.legal_entity_id != to.legal_entity_id {
        return Err(Problem::at("CUSTODY_CONFLICT", "/toWarehouseId"));
    }
    let (from, to, sku) = (Place::from_row(&from), Place::from_row(&to), Sku::new(article));
    let mut goods = Goods::default();
    let movement = MovementRow {
        from_warehouse_id: Some(from.warehouse),
        to_warehouse_id: Some(to.warehouse),
        reference_id: input.reference_id,
        ..goods.movement(MovementType::Transfer, &sku, quantity, &input.reason)
    };
    goods.change(&from, &sku, Delta::on_hand(-quantity.units()), "/quantity");
    goods.change(&to, &sku, Delta::on_hand(quantity.units()), "/quantity");
    goods.record(movement.clone());
    let settled = goods.settle()?;
    settled.write(())?;
    Ok(receipt(&movement))
}
