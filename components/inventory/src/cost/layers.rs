//! Cost layers as people read them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Reply, all, paged};

use super::row::LayerRow;
use crate::terms::{Amount, Quantity, UnitCost};

/// Goods that came in together at one cost.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostLayer {
    id: Id,
    legal_entity_id: Id,
    variant_id: Id,
    inventory_unit_id: Option<Id>,
    currency_code: Option<String>,
    /// Null where it is not known.
    unit_cost: Option<UnitCost>,
    quantity: Quantity,
    remaining: Quantity,
    /// Of what remains; null where the cost is not known.
    value: Option<Amount>,
    purchase_receipt_item_id: Option<Id>,
    created_at: Instant,
}

impl CostLayer {
    fn of(row: LayerRow) -> CostLayer {
        CostLayer {
            id: row.id,
            legal_entity_id: row.legal_entity_id,
            variant_id: row.variant_id,
            inventory_unit_id: row.unit_id,
            currency_code: row.currency_code,
            unit_cost: row.unit_cost,
            quantity: row.quantity,
            remaining: row.remaining,
            value: row.value,
            purchase_receipt_item_id: row.receipt_item_id,
            created_at: row.created_at,
        }
    }
}

fn open() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListCostLayers {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Option<Id>,
    variant_id: Option<Id>,
    inventory_unit_id: Option<Id>,
    purchase_receipt_item_id: Option<Id>,
    /// Of which something remains; false: of which nothing does.
    #[serde(default = "open")]
    open: bool,
    /// True: only those without a cost; false: only those with one.
    uncosted: Option<bool>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListCostLayers = call.query()?;
    let uncosted = |uncosted| if uncosted { LayerRow::unit_cost.is_null() } else { LayerRow::unit_cost.not_null() };
    let terms = [
        Some(LayerRow::spent.eq(!query.open)),
        query.legal_entity_id.map(|id| LayerRow::legal_entity_id.eq(id)),
        query.variant_id.map(|id| LayerRow::variant_id.eq(id)),
        query.inventory_unit_id.map(|id| LayerRow::unit_id.eq(id)),
        query.purchase_receipt_item_id.map(|id| LayerRow::receipt_item_id.eq(id)),
        query.uncosted.map(uncosted),
    ];
    let filter = all(terms.into_iter().flatten());
    let rows = paged(query.limit, |limit| run(select(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, CostLayer::of)))
}
