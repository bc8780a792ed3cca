//! How the worth of an entity's goods changed in a period, by variant and currency.

use stoa_sdk::store::{Row, Rows, aggregate, run, select};
use stoa_sdk::{Date, Field, Filter, Id, Problem, all, any};

use crate::records::cost::{CostEntryRow, CostKind, PoolRow};
use crate::records::quantity::Amount;
use crate::rules::sum::sum;
use crate::work::costs::valuation::counts_on_hand;

/// Signed: opening and all flows add up to closing.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    pub variant: Id,
    pub currency_code: Option<String>,
    pub opening: Amount,
    /// With charges.
    pub received: Amount,
    pub adjusted_in: Amount,
    /// Less what came back.
    pub sold: Amount,
    pub adjusted_out: Amount,
    pub damaged: Amount,
    pub lost: Amount,
    pub returned: Amount,
    pub corrected: Amount,
    pub closing: Amount,
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
        let kinds = any(kinds.iter().map(|kind| CostEntryRow::kind.eq(*kind)));
        all([CostEntryRow::entry_date.ge(since), kinds])
    };
    let amount = CostEntryRow::amount;
    let sums = aggregate::<CostEntryRow>(all(of))
        .by(CostEntryRow::variant_id)
        .by(CostEntryRow::currency_code)
        .sum(amount, CostEntryRow::entry_date.lt(since))
        .sum(amount, within(&[CostKind::Received, CostKind::Charge]))
        .sum(amount, within(&[CostKind::AdjustedIn]))
        .sum(amount, within(&[CostKind::Sold, CostKind::Back]))
        .sum(amount, within(&[CostKind::AdjustedOut]))
        .sum(amount, within(&[CostKind::Damaged]))
        .sum(amount, within(&[CostKind::Lost]))
        .sum(amount, within(&[CostKind::Returned]))
        .sum(amount, within(&[CostKind::Correction, CostKind::Assigned]))
        .sum(amount, Filter::default());
    let mut flows: Vec<Flow> = run(sums.without_zeros())?.into_iter().filter_map(Flow::read).collect();
    flows.sort_by(|a, b| (a.variant, &a.currency_code).cmp(&(b.variant, &b.currency_code)));
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

impl Flow {
    fn read(row: Row) -> Option<Flow> {
        let mut values = row.into_iter();
        Some(Flow {
            variant: Id::take(values.next()?)?,
            currency_code: Field::take(values.next()?)?,
            opening: sum(values.next()),
            received: sum(values.next()),
            adjusted_in: sum(values.next()),
            sold: sum(values.next()),
            adjusted_out: sum(values.next()),
            damaged: sum(values.next()),
            lost: sum(values.next()),
            returned: sum(values.next()),
            corrected: sum(values.next()),
            closing: sum(values.next()),
        })
    }
}
