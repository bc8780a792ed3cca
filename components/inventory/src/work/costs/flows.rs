//! How the worth of an entity's goods changed in a period, by variant and currency.

use stoa_sdk::store::{Rows, aggregate, run, select};
use stoa_sdk::{Date, Id, Problem, all, totals};
use stoa_trade::quantity::Amount;

use crate::records::cost::{CostEntryRow, CostKind, PoolRow};
use crate::work::costs::valuation::counts_on_hand;

totals! {
    /// Signed: opening and all flows add up to closing. `received` is with charges, `sold` less what came back.
    pub Flow of CostEntryRow by [variant_id: Id, currency_code: Option<String>] {
        opening: Amount = sum(amount),
        received: Amount = sum(amount),
        adjusted_in: Amount = sum(amount),
        sold: Amount = sum(amount),
        adjusted_out: Amount = sum(amount),
        damaged: Amount = sum(amount),
        lost: Amount = sum(amount),
        returned: Amount = sum(amount),
        corrected: Amount = sum(amount),
        closing: Amount = sum(amount),
    }
}

/// Flows of the variants after `cursor`, and the last variant where more follow.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves its range.
pub fn read_flows(
    entity: Id,
    since: Date,
    until: Date,
    variant: Option<Id>,
    cursor: Option<Id>,
    limit: u32,
) -> Result<(Vec<Flow>, Option<Id>), Problem> {
    let (variants, next) = read_pools(entity, variant, cursor, limit)?;
    if variants.is_empty() {
        return Ok((Vec::new(), next));
    }
    let of = [
        CostEntryRow::legal_entity_id.eq(entity),
        CostEntryRow::variant_id.one_of(variants.iter().map(|pool| pool.variant_id)),
        CostEntryRow::entry_date.le(until),
        counts_on_hand(),
    ];
    let within = |kinds: &[CostKind]| {
        let kinds = CostEntryRow::kind.one_of(kinds.iter().copied());
        all([CostEntryRow::entry_date.ge(since), kinds])
    };
    let sums = aggregate::<Flow>(all(of))
        .when(Flow::opening, CostEntryRow::entry_date.lt(since))
        .when(Flow::received, within(&[CostKind::Received, CostKind::Charge]))
        .when(Flow::adjusted_in, within(&[CostKind::AdjustedIn]))
        .when(Flow::sold, within(&[CostKind::Sold, CostKind::Back]))
        .when(Flow::adjusted_out, within(&[CostKind::AdjustedOut]))
        .when(Flow::damaged, within(&[CostKind::Damaged]))
        .when(Flow::lost, within(&[CostKind::Lost]))
        .when(Flow::returned, within(&[CostKind::Returned]))
        .when(Flow::corrected, within(&[CostKind::Correction, CostKind::Assigned]));
    let mut flows = run(sums.without_zeros().whole())?;
    flows.sort_by(|a, b| (a.variant_id, &a.currency_code).cmp(&(b.variant_id, &b.currency_code)));
    Ok((flows, next))
}

/// Pools of an entity in the order of their variants, after `cursor`; and the last variant where more follow.
///
/// # Errors
/// The store's.
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
