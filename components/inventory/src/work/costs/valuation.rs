//! What goods are worth: from the open layers now, from the ledger of costs at the end of a day.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, run};
use stoa_sdk::{Date, Filter, Id, Problem, all, any, set, totals};
use stoa_trade::quantity::{Amount, Quantity};

use crate::records::cost::{CostEntryRow, Destination, LayerRow, PoolRow, ValuationRow, Value};

totals! {
    /// What layers of a pool are worth in a currency.
    pub LayerWorth of LayerRow by [legal_entity_id: Id, variant_id: Id, currency_code: Option<String>] {
        quantity: Quantity = sum(remaining),
        value: Amount = sum(value),
        uncosted: Quantity = sum(remaining),
    }
}

totals! {
    /// What entries about a pool add up to in a currency.
    pub EntryWorth of CostEntryRow by [legal_entity_id: Id, variant_id: Id, currency_code: Option<String>] {
        quantity: Quantity = sum(quantity),
        value: Amount = sum(amount),
        uncosted: Quantity = sum(quantity),
    }
}

totals! {
    LayerTotal of LayerRow by [currency_code: Option<String>] { quantity: Quantity = sum(remaining), value: Amount = sum(value) }
}

totals! {
    EntryTotal of CostEntryRow by [currency_code: Option<String>] { quantity: Quantity = sum(quantity), value: Amount = sum(amount) }
}

/// Entries that are part of what goods on hand are worth: not those that re-cost what is gone.
pub fn counts_on_hand() -> Filter {
    any([CostEntryRow::destination.is_null(), CostEntryRow::destination.eq(Destination::OnHand)])
}

/// The rows of pools that have goods, in their order.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves its range.
pub fn value_pools(pools: &[PoolRow], as_of: Option<Date>) -> Result<Vec<ValuationRow>, Problem> {
    if pools.is_empty() {
        return Ok(Vec::new());
    }
    let mut groups: BTreeMap<(Id, Id), Vec<LayerWorth>> = BTreeMap::new();
    for group in read_groups(pools, as_of)? {
        groups.entry((group.legal_entity_id, group.variant_id)).or_default().push(group);
    }
    let mut valued = Vec::new();
    for pool in pools {
        let Some(groups) = groups.remove(&(pool.legal_entity_id, pool.variant_id)) else { continue };
        let total = |of: fn(&LayerWorth) -> Quantity| groups.iter().map(|group| of(group).units()).sum::<i128>();
        let (costed, uncosted) = (total(|group| group.quantity), total(|group| group.uncosted));
        let values = groups.into_iter().filter(|group| group.quantity != Quantity::ZERO);
        valued.push(ValuationRow {
            legal_entity_id: pool.legal_entity_id,
            variant_id: pool.variant_id,
            product_id: pool.product_id,
            quantity: Quantity::from_units(costed + uncosted),
            uncosted_quantity: Quantity::from_units(uncosted),
            values: values
                .map(|group| Value { currency_code: group.currency_code, quantity: group.quantity, value: group.value })
                .collect(),
        });
    }
    valued.retain(|row| row.quantity != Quantity::ZERO);
    Ok(valued)
}

/// What goods of these pools are worth, by currency.
fn read_groups(pools: &[PoolRow], as_of: Option<Date>) -> Result<Vec<LayerWorth>, Problem> {
    let variants = set(pools.iter().map(|pool| pool.variant_id));
    let entities = set(pools.iter().map(|pool| pool.legal_entity_id));
    let Some(day) = as_of else {
        let of = [
            LayerRow::variant_id.one_of(variants),
            LayerRow::legal_entity_id.one_of(entities),
            LayerRow::spent.eq(false),
        ];
        let sums = aggregate::<LayerWorth>(all(of))
            .when(LayerWorth::quantity, LayerRow::value.not_null())
            .when(LayerWorth::uncosted, LayerRow::value.is_null());
        return Ok(run(sums.without_zeros().whole())?);
    };
    let of = [
        CostEntryRow::variant_id.one_of(variants),
        CostEntryRow::legal_entity_id.one_of(entities),
        CostEntryRow::entry_date.le(day),
        counts_on_hand(),
    ];
    let sums = aggregate::<EntryWorth>(all(of))
        .when(EntryWorth::quantity, CostEntryRow::amount.not_null())
        .when(EntryWorth::uncosted, CostEntryRow::amount.is_null());
    let group = |of: EntryWorth| LayerWorth {
        legal_entity_id: of.legal_entity_id,
        variant_id: of.variant_id,
        currency_code: of.currency_code,
        quantity: of.quantity,
        value: of.value,
        uncosted: of.uncosted,
    };
    Ok(run(sums.without_zeros().whole())?.into_iter().map(group).collect())
}

/// What all goods of an entity are worth, by currency; what has no cost is left out.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves its range.
pub fn value_by_currency(entity: Id, as_of: Option<Date>, variant: Option<Id>) -> Result<Vec<Value>, Problem> {
    let mut values: Vec<Value> = match as_of {
        None => {
            let variant = variant.map(|id| LayerRow::variant_id.eq(id));
            let open = [LayerRow::legal_entity_id.eq(entity), LayerRow::spent.eq(false), LayerRow::value.not_null()];
            let sums = run(aggregate::<LayerTotal>(all(open.into_iter().chain(variant))).without_zeros().whole())?;
            let value =
                |sum: LayerTotal| Value { currency_code: sum.currency_code, quantity: sum.quantity, value: sum.value };
            sums.into_iter().map(value).collect()
        }
        Some(day) => {
            let variant = variant.map(|id| CostEntryRow::variant_id.eq(id));
            let until = [
                CostEntryRow::legal_entity_id.eq(entity),
                CostEntryRow::entry_date.le(day),
                CostEntryRow::amount.not_null(),
                counts_on_hand(),
            ];
            let sums = run(aggregate::<EntryTotal>(all(until.into_iter().chain(variant))).without_zeros().whole())?;
            let value =
                |sum: EntryTotal| Value { currency_code: sum.currency_code, quantity: sum.quantity, value: sum.value };
            sums.into_iter().map(value).collect()
        }
    };
    values.retain(|value| value.quantity != Quantity::ZERO);
    Ok(values)
}
