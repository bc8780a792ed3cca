//! The operations of costs: for people who may read them, and nobody else.

use stoa_sdk::{Operation, Page};

use super::layers::{self, CostLayer, ListCostLayers};
use super::valuation::{self, ListValuation, ValuationRow};
use crate::READ_COSTS;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/tenants/{tenantId}/inventory/cost-layers", "listCostLayers", layers::list).summary("Cost layers")
        .description("What came in together at one cost, and what remains of it. `open` is true unless stated.")
        .needs(READ_COSTS).query::<ListCostLayers>().answers::<Page<CostLayer>>().cache_control("no-store"),
    Operation::read("/tenants/{tenantId}/inventory/valuation", "listValuation", valuation::list).summary("What goods are worth")
        .description("By legal entity and variant, now or at the end of a day. Currencies are never added together; what has no \
            cost is counted apart. A page may be shorter than its limit; `nextCursor` leads on.")
        .needs(READ_COSTS).query::<ListValuation>().answers::<Page<ValuationRow>>().cache_control("no-store"),
];
