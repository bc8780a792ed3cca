//! How the worth of an entity's goods changed in a period, by variant and currency.

use std::collections::BTreeMap;

use stoa_sdk::store::{Rows, aggregate, run, select};
use stoa_sdk::{Date, Id, Problem, all, map, set, totals};
use stoa_trade::quantity::{Amount, sum};
use stoa_trade::snapshot::read_settled;

use crate::records::cost::{CostEntryRow, CostKind, PoolRow};
use crate::records::cost_total::CurrencyKey;
use crate::work::costs::totals::counts_on_hand;
use crate::work::costs::valuation::sum_variants;

totals! {
    /// Signed: opening and all flows add up to closing. `received` is with charges, `sold` less what came back.
    pub Flow of CostEntryRow by [variant_id: Id, currency_code: Option<String>] {
        [
            opening, received, adjusted_in, sold, adjusted_out, damaged, lost, returned, corrected, closing,
        ]: Amount = sum(amount)
    }
}

/// Flows of the variants after `cursor`, and the last variant where more follow.
pub fn read_flows(
    entity: Id,
    since: Date,
    until: Date,
    variant: Option<Id>,
    cursor: Option<Id>,
    limit: u32,
) -> Result<(Vec<Flow>, Option<Id>), Problem> {
    let (pools, next) = read_pools(entity, variant, cursor, limit)?;
    if pools.is_empty() {
        return Ok((Vec::new(), next));
    }
    let variants = set(pools.iter().map(|pool| pool.variant_id));
    let opening = match Date::from_days(since.days() - 1) {
        Some(eve) => read_settled(entity, |summed| sum_variants(entity, &variants, (None, Some(eve)), summed))?,
        None => BTreeMap::new(),
    };
    let filters = [
        CostEntryRow::legal_entity_id.eq(entity),
        CostEntryRow::variant_id.one_of(variants.iter().copied()),
        CostEntryRow::entry_date.ge(since),
        CostEntryRow::entry_date.le(until),
        counts_on_hand(),
    ];
    let within = |kinds: &[CostKind]| CostEntryRow::kind.one_of(kinds.iter().copied());
    let sums = aggregate::<Flow>(all(filters))
        .when(Flow::opening, CostEntryRow::entry_date.lt(since))
        .when(Flow::received, within(&[CostKind::Received, CostKind::Charge]))
        .when(Flow::adjusted_in, within(&[CostKind::AdjustedIn]))
        .when(Flow::sold, within(&[CostKind::Sold, CostKind::Back]))
        .when(Flow::adjusted_out, within(&[CostKind::AdjustedOut]))
        .when(Flow::damaged, within(&[CostKind::Damaged]))
        .when(Flow::lost, within(&[CostKind::Lost]))
        .when(Flow::returned, within(&[CostKind::Returned]))
        .when(Flow::corrected, within(&[CostKind::Correction, CostKind::Assigned]));
    let flows = run(sums.without_zeros().whole())?;
    let flows = flows.into_iter().map(|flow| ((flow.variant_id, CurrencyKey(flow.currency_code.clone())), flow));
    let mut flows: BTreeMap<(Id, CurrencyKey), Flow> = map(flows);
    for (key, [_, _, value]) in opening {
        if value.is_zero() {
            continue;
        }
        let flow = flows.entry(key.clone()).or_insert_with(|| Flow::none(key));
        flow.opening = value;
        flow.closing = sum([value, flow.closing])?;
    }
    Ok((flows.into_values().collect(), next))
}

impl Flow {
    /// Nothing opened, nothing moved.
    fn none((variant_id, CurrencyKey(currency_code)): (Id, CurrencyKey)) -> Flow {
        let zero = Amount::ZERO;
        Flow {
            variant_id,
            currency_code,
            opening: zero,
            received: zero,
            adjusted_in: zero,
            sold: zero,
            adjusted_out: zero,
            damaged: zero,
            lost: zero,
            returned: zero,
            corrected: zero,
            closing: zero,
        }
    }
}

/// Pools of an entity in the order of their variants, after `cursor`; and the last variant where more follow.
pub fn read_pools(
    entity: Id,
    variant: Option<Id>,
    cursor: Option<Id>,
    limit: u32,
) -> Result<(Vec<PoolRow>, Option<Id>), Problem> {
    let variant = variant.map(|id| PoolRow::variant_id.eq(id));
    let after = cursor.map(|id| PoolRow::variant_id.gt(id));
    let filter = all([PoolRow::legal_entity_id.eq(entity)].into_iter().chain(variant).chain(after));
    let pools: Rows<PoolRow> = run(select(filter).by(PoolRow::variant_id).limit(limit.clamp(1, 500)))?;
    let next = pools.items.last().map(|pool| pool.variant_id).filter(|_| pools.more);
    Ok((pools.items, next))
}
