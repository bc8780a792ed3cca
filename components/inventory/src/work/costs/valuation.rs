//! Worth of goods: from the open layers now, from the ledger of costs at the end of a day.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{Batch, aggregate, run};
use stoa_sdk::{Date, Filter, Id, Problem, all, map, set, totals};
use stoa_trade::quantity::{Amount, Quantity, widen};
use stoa_trade::snapshot::{Days, Part, Summed, group_days, read_settled};

use crate::records::cost::{CostEntryRow, LayerRow, PoolRow, ValuationRow, Value};
use crate::records::cost_total::{CostTotalRow, CurrencyKey, VariantCostTotalRow};
use crate::work::costs::totals::{EntityCosts, VariantCosts, counts_on_hand};

totals! {
    /// Worth of a pool's layers in a currency.
    pub LayerWorth of LayerRow by [legal_entity_id: Id, variant_id: Id, currency_code: Option<String>] {
        quantity: Quantity = sum(remaining),
        value: Amount = sum(value),
        uncosted: Quantity = sum(remaining),
    }
}

totals! {
    /// Sums of a pool's entries in a currency.
    pub EntryWorth of CostEntryRow by [legal_entity_id: Id, variant_id: Id, currency_code: Option<String>] {
        quantity: Quantity = sum(quantity),
        value: Amount = sum(amount),
        uncosted: Quantity = sum(quantity),
    }
}

totals! {
    LayerTotal of LayerRow by [currency_code: Option<String>] {
        quantity: Quantity = sum(remaining), value: Amount = sum(value),
    }
}

totals! {
    EntryTotal of CostEntryRow by [currency_code: Option<String>] {
        quantity: Quantity = sum(quantity), value: Amount = sum(amount),
    }
}

totals! {
    /// Sums of a variant's monthly totals in a currency.
    MonthWorth of VariantCostTotalRow by [variant_id: Id, currency_code: CurrencyKey] {
        quantity: Amount = sum(quantity),
        uncosted: Amount = sum(uncosted),
        value: Amount = sum(value),
    }
}

totals! {
    MonthTotal of CostTotalRow by [currency_code: CurrencyKey] {
        quantity: Amount = sum(quantity), value: Amount = sum(value),
    }
}

/// A quantity that was added up: it has no more digits after the point than its parts.
fn to_quantity(sum: Amount) -> Quantity {
    Quantity::from_units(sum.units() / widen(Quantity::from_units(1)).units())
}

/// The rows of pools that have goods, in their order.
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
        let total =
            |measure: fn(&LayerWorth) -> Quantity| groups.iter().map(|group| measure(group).units()).sum::<i128>();
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

/// Worth of the goods of these pools, by currency.
fn read_groups(pools: &[PoolRow], as_of: Option<Date>) -> Result<Vec<LayerWorth>, Problem> {
    let variants = set(pools.iter().map(|pool| pool.variant_id));
    let entities = set(pools.iter().map(|pool| pool.legal_entity_id));
    let Some(day) = as_of else {
        let filters = [
            LayerRow::variant_id.one_of(variants),
            LayerRow::legal_entity_id.one_of(entities),
            LayerRow::spent.eq(false),
        ];
        let sums = aggregate::<LayerWorth>(all(filters))
            .when(LayerWorth::quantity, LayerRow::value.not_null())
            .when(LayerWorth::uncosted, LayerRow::value.is_null());
        return Ok(run(sums.without_zeros().whole())?);
    };
    let mut groups = Vec::new();
    for entity in entities {
        let variants = set(pools.iter().filter(|pool| pool.legal_entity_id == entity).map(|pool| pool.variant_id));
        groups.extend(read_past_groups(entity, variants, day)?);
    }
    Ok(groups)
}

/// Worth of these variants' goods at the end of a day.
fn read_past_groups(entity: Id, variants: BTreeSet<Id>, day: Date) -> Result<Vec<LayerWorth>, Problem> {
    let sums = read_settled(entity, |summed| sum_variants(entity, &variants, (None, Some(day)), summed))?;
    let group =
        |((variant_id, CurrencyKey(currency_code)), [quantity, uncosted, value]): (_, [Amount; 3])| LayerWorth {
            legal_entity_id: entity,
            variant_id,
            currency_code,
            quantity: to_quantity(quantity),
            value,
            uncosted: to_quantity(uncosted),
        };
    let is_worth = |(_, figures): &(_, [Amount; 3])| figures.iter().any(|figure| !figure.is_zero());
    Ok(sums.into_iter().filter(is_worth).map(group).collect())
}

/// Sums of these variants' entries on these days, by variant and currency: quantity with a cost, without one, and value.
pub fn sum_variants(
    entity: Id,
    variants: &BTreeSet<Id>,
    days: Days,
    summed: Option<Summed>,
) -> impl Batch<Answer = BTreeMap<(Id, CurrencyKey), [Amount; 3]>> {
    let measure = |filter: Filter| {
        aggregate::<EntryWorth>(filter)
            .when(EntryWorth::quantity, CostEntryRow::amount.not_null())
            .when(EntryWorth::uncosted, CostEntryRow::amount.is_null())
    };
    let variants = || variants.iter().copied();
    group_days::<VariantCosts, _, _, _, _, _>(
        entity,
        summed,
        days,
        Part {
            filter: VariantCostTotalRow::variant_id.one_of(variants()),
            measure: &aggregate::<MonthWorth>,
            figures: |worth| ((worth.variant_id, worth.currency_code), [worth.quantity, worth.uncosted, worth.value]),
        },
        Part {
            filter: all([CostEntryRow::variant_id.one_of(variants()), counts_on_hand()]),
            measure: &measure,
            figures: |worth| {
                (
                    (worth.variant_id, CurrencyKey(worth.currency_code)),
                    [widen(worth.quantity), widen(worth.uncosted), worth.value],
                )
            },
        },
    )
}

/// Sums of the entries of all goods with a cost until a day, by currency: quantity and value.
fn sum_entity(
    entity: Id,
    day: Date,
    summed: Option<Summed>,
) -> impl Batch<Answer = BTreeMap<CurrencyKey, [Amount; 2]>> {
    group_days::<EntityCosts, _, _, _, _, _>(
        entity,
        summed,
        (None, Some(day)),
        Part {
            filter: Filter::default(),
            measure: &aggregate::<MonthTotal>,
            figures: |total| (total.currency_code, [total.quantity, total.value]),
        },
        Part {
            filter: all([CostEntryRow::amount.not_null(), counts_on_hand()]),
            measure: &aggregate::<EntryTotal>,
            figures: |total| (CurrencyKey(total.currency_code), [widen(total.quantity), total.value]),
        },
    )
}

/// Worth of an entity's goods, all or one variant's, by currency; goods without a cost are left out.
pub fn value_by_currency(entity: Id, as_of: Option<Date>, variant: Option<Id>) -> Result<Vec<Value>, Problem> {
    let Some(day) = as_of else {
        let variant = variant.map(|id| LayerRow::variant_id.eq(id));
        let open = [LayerRow::legal_entity_id.eq(entity), LayerRow::spent.eq(false), LayerRow::value.not_null()];
        let sums = run(aggregate::<LayerTotal>(all(open.into_iter().chain(variant))).without_zeros().whole())?;
        let value = |LayerTotal { currency_code, quantity, value }| Value { currency_code, quantity, value };
        return Ok(sums.into_iter().map(value).filter(|value| value.quantity != Quantity::ZERO).collect());
    };
    let sums: BTreeMap<CurrencyKey, [Amount; 2]> = match variant {
        None => read_settled(entity, |summed| sum_entity(entity, day, summed))?,
        Some(variant) => {
            let variants = BTreeSet::from([variant]);
            let sums = read_settled(entity, |summed| sum_variants(entity, &variants, (None, Some(day)), summed))?;
            map(sums.into_iter().map(|((_, currency), [quantity, _, value])| (currency, [quantity, value])))
        }
    };
    let sums = sums.into_iter().map(|(currency, [quantity, value])| (currency.0, to_quantity(quantity), value));
    let value = |(currency_code, quantity, value)| Value { currency_code, quantity, value };
    Ok(sums.map(value).filter(|value| value.quantity != Quantity::ZERO).collect())
}
