//! Holding a quantity by hand.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Problem, Text, new_id};

use super::row::{ReservationRow, ReservationSource, ReservationStatus};
use super::show::receipt;
use crate::articles;
use crate::goods::delta::Delta;
use crate::goods::{Goods, Place, Sku};
use crate::terms::{Positive, Quantity, Status, unusable};
use crate::warehouse::row::WarehouseRow;

/// Stock to hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReservationInput {
    /// A good that is tracked, and not by serial numbers.
    variant_id: Id,
    /// Where goods can be reserved: PHYSICAL, VIRTUAL or THIRD_PARTY.
    warehouse_id: Id,
    /// No finer than the variant's unit.
    quantity: Positive,
    reason: Text<1, 1000>,
    /// The caller's own; never looked up.
    #[serde(default)]
    reference_id: Option<Id>,
}

pub fn create(call: &Call) -> Answer {
    let input: ReservationInput = call.body()?;
    let known = articles::by_variant([input.variant_id]);
    let row: Option<WarehouseRow> = run(get(input.warehouse_id))?;
    let article = articles::known(&known, input.variant_id, "/variantId")?;
    let row = row.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    let quantity = input.quantity.0;
    articles::measured(article, quantity, "/quantity")?;
    articles::counted(article, "/variantId")?;
    if row.status == Status::Archived {
        return Err(unusable("/warehouseId", "ARCHIVED"));
    }
    if !row.is_normal() {
        return Err(Problem::at("CUSTODY_CONFLICT", "/warehouseId"));
    }
    let (place, sku) = (Place::of(&row), Sku::of(article));
    let mut goods = Goods::default();
    let row = ReservationRow {
        reference_id: input.reference_id,
        reason: Some(input.reason.into()),
        ..opened(&goods, &place, &sku, quantity, ReservationSource::Manual)
    };
    goods.change(&place, &sku, Delta::reserved(quantity.units()), "/quantity");
    goods.open(row.clone(), None);
    let (held, ()) = goods.hold(())?;
    held.write(())?;
    Ok(receipt(&row))
}

/// A new reservation, to be completed: of no unit and no document.
pub fn opened(
    goods: &Goods,
    place: &Place,
    sku: &Sku,
    quantity: Quantity,
    source: ReservationSource,
) -> ReservationRow {
    ReservationRow {
        id: new_id(),
        version: 1,
        created_at: goods.now(),
        updated_at: goods.now(),
        warehouse_id: place.warehouse,
        variant_id: sku.variant,
        unit_id: None,
        active_unit_id: None,
        quantity,
        status: ReservationStatus::Active,
        source,
        document_id: None,
        line_id: None,
        reference_id: None,
        reason: None,
        movement_id: None,
        closed_at: None,
        actor_type: goods.actor().actor_type,
        actor_id: goods.actor().actor_id.clone(),
        request_id: goods.actor().request_id,
    }
}
