//! The operations of costs, only for users who may read them.

use stoa_sdk::{Answer, Call, Date, Id, Instant, Operation, Page, Reply, today};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, ask_nothing, changed_since, equals, is_set};
use stoa_trade::refusal::invalid;

use crate::records::cost::{CostLayer, LayerRow, PoolRow, ValuationRow};
use crate::records::permission::READ_COSTS;
use crate::work::costs::valuation::value_pools;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/cost-layers", "listCostLayers", list_layers).summary("Cost layers")
        .description("Goods received together at one cost, and their remaining quantity. `open` is true by default.")
        .needs(READ_COSTS).query::<ListCostLayers>().answers::<Page<CostLayer>>().cache_control("no-store"),
    Operation::read("/inventory/valuation", "listValuation", list_valuation).summary("Value of goods by variant")
        .description("By legal entity and variant, now or at the end of a day. Currencies are never added together; goods \
            without a cost are counted separately. A page may be shorter than `limit`; continue until `nextCursor` is null.")
        .needs(READ_COSTS).query::<ListValuation>().answers::<Page<ValuationRow>>().cache_control("no-store"),
];

fn open_by_default() -> bool {
    true
}

list_query! {
    pub struct ListCostLayers of LayerRow {
        legal_entity_id: Option<Id>,
        variant_id: Option<Id>,
        inventory_unit_id: Option<Id> = equals(LayerRow::unit_id, inventory_unit_id),
        purchase_receipt_item_id: Option<Id> = equals(LayerRow::receipt_item_id, purchase_receipt_item_id),
        /// True (default): only layers with a remaining quantity. False: only used-up layers.
        #[serde(default = "open_by_default")]
        open: bool = LayerRow::spent.eq(!open),
        /// True: only goods without a cost; false: only goods with a cost.
        uncosted: Option<bool> = is_set(LayerRow::unit_cost, uncosted.map(|uncosted| !uncosted)),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(LayerRow::updated_at, updated_since),
    }
}

pub fn list_layers(call: &Call) -> Answer {
    let rows = call.query::<ListCostLayers>()?.page([])?;
    answer_page(rows, |row| row.id, |row| CostLayer::from_row(&row))
}

list_query! {
    pub struct ListValuation of PoolRow {
        legal_entity_id: Option<Id>,
        variant_id: Option<Id>,
        product_id: Option<Id>,
        /// Last included day. Omitted: now.
        as_of: Option<Date> = ask_nothing(as_of),
    }
}

pub fn list_valuation(call: &Call) -> Answer {
    let query: ListValuation = call.query()?;
    if query.as_of.is_some_and(|day| day > today()) {
        return Err(invalid("/query/asOf", "DATE_IN_FUTURE"));
    }
    let pools = query.page([])?;
    let next_cursor = pools.next(|pool| pool.id);
    Ok(Reply::json(&Page { items: value_pools(&pools.items, query.as_of)?, next_cursor }))
}
