//! The operations of costs: for people who may read them, and nobody else.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Rows, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Limit, Operation, Page, Problem, Reply, all, item, paged};

use crate::records::caller::READ_COSTS;
use crate::records::cost::{CostLayer, LayerRow, PoolRow, ValuationRow};
use crate::work::clients::books;
use crate::work::costs::valuation::value_pools;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/tenants/{tenantId}/inventory/cost-layers", "listCostLayers", list_layers).summary("Cost layers")
        .description("What came in together at one cost, and what remains of it. `open` is true unless stated.")
        .needs(READ_COSTS).query::<ListCostLayers>().answers::<Page<CostLayer>>().cache_control("no-store"),
    Operation::read("/tenants/{tenantId}/inventory/valuation", "listValuation", list_valuation).summary("What goods are worth")
        .description("By legal entity and variant, now or at the end of a day. Currencies are never added together; what has no \
            cost is counted apart. A page may be shorter than its limit; `nextCursor` leads on.")
        .needs(READ_COSTS).query::<ListValuation>().answers::<Page<ValuationRow>>().cache_control("no-store"),
];

fn open_by_default() -> bool {
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
    #[serde(default = "open_by_default")]
    open: bool,
    /// True: only those without a cost; false: only those with one.
    uncosted: Option<bool>,
}

pub fn list_layers(call: &Call) -> Answer {
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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListValuation {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Option<Id>,
    variant_id: Option<Id>,
    product_id: Option<Id>,
    /// At the end of this day; now where it is left out.
    as_of: Option<Date>,
}

pub fn list_valuation(call: &Call) -> Answer {
    let query: ListValuation = call.query()?;
    if query.as_of.is_some_and(|day| day > books::today()) {
        return Err(Problem::invalid(vec![item("/query/asOf", "DATE_IN_FUTURE")]));
    }
    let terms = [
        query.legal_entity_id.map(|id| PoolRow::legal_entity_id.eq(id)),
        query.variant_id.map(|id| PoolRow::variant_id.eq(id)),
        query.product_id.map(|id| PoolRow::product_id.eq(id)),
    ];
    let filter = all(terms.into_iter().flatten());
    let pools: Rows<PoolRow> =
        paged(query.limit, |limit| run(select(filter.clone()).after(query.cursor).limit(limit)))?;
    let next_cursor = pools.items.last().map(|pool| pool.id).filter(|_| pools.more);
    Ok(Reply::json(&Page { items: value_pools(&pools.items, query.as_of)?, next_cursor }))
}
