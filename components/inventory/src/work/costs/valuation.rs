//! What goods are worth: from the open layers now, from the ledger of costs at the end of a day.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, MOST_ROWS, Row, aggregate, run};
use stoa_sdk::{Date, Field, Filter, Id, Problem, all, any};

use crate::records::cost::{CostEntryRow, Destination, LayerRow, PoolRow, ValuationRow, Value};
use crate::records::quantity::{Amount, Quantity};
use crate::rules::sum::sum;

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
    let variants = || pools.iter().map(|pool| pool.variant_id);
    let entities = || pools.iter().map(|pool| pool.legal_entity_id);
    let sums: Aggregate = match as_of {
        None => aggregate::<LayerRow>(all([
            LayerRow::variant_id.one_of(stoa_sdk::set(variants())),
            LayerRow::legal_entity_id.one_of(stoa_sdk::set(entities())),
            LayerRow::spent.eq(false),
        ]))
        .by(LayerRow::legal_entity_id)
        .by(LayerRow::variant_id)
        .by(LayerRow::currency_code)
        .sum(LayerRow::remaining, LayerRow::value.not_null())
        .sum(LayerRow::value, Filter::default())
        .sum(LayerRow::remaining, LayerRow::value.is_null()),
        Some(day) => aggregate::<CostEntryRow>(all([
            CostEntryRow::variant_id.one_of(stoa_sdk::set(variants())),
            CostEntryRow::legal_entity_id.one_of(stoa_sdk::set(entities())),
            CostEntryRow::entry_date.le(day),
            counts_on_hand(),
        ]))
        .by(CostEntryRow::legal_entity_id)
        .by(CostEntryRow::variant_id)
        .by(CostEntryRow::currency_code)
        .sum(CostEntryRow::quantity, CostEntryRow::amount.not_null())
        .sum(CostEntryRow::amount, Filter::default())
        .sum(CostEntryRow::quantity, CostEntryRow::amount.is_null()),
    };
    let rows = run(sums.without_zeros().limit(MOST_ROWS))?;
    let mut groups: BTreeMap<(Id, Id), Vec<Group>> = BTreeMap::new();
    for group in rows.into_iter().filter_map(Group::read) {
        groups.entry((group.entity, group.variant)).or_default().push(group);
    }
    let mut valued = Vec::new();
    for pool in pools {
        let Some(groups) = groups.remove(&(pool.legal_entity_id, pool.variant_id)) else { continue };
        let total = |of: fn(&Group) -> Quantity| groups.iter().map(|group| of(group).units()).sum::<i128>();
        let (costed, uncosted) = (total(|group| group.quantity), total(|group| group.uncosted));
        let values = groups.into_iter().filter(|group| group.quantity != Quantity::ZERO);
        valued.push(ValuationRow {
            legal_entity_id: pool.legal_entity_id,
            variant_id: pool.variant_id,
            product_id: pool.product_id,
            quantity: Quantity::from_units(costed + uncosted),
            uncosted_quantity: Quantity::from_units(uncosted),
            values: values
                .map(|group| Value { currency_code: group.currency, quantity: group.quantity, value: group.value })
                .collect(),
        });
    }
    valued.retain(|row| row.quantity != Quantity::ZERO);
    Ok(valued)
}

struct Group {
    entity: Id,
    variant: Id,
    currency: Option<String>,
    quantity: Quantity,
    value: Amount,
    uncosted: Quantity,
}

impl Group {
    fn read(row: Row) -> Option<Group> {
        let mut values = row.into_iter();
        Some(Group {
            entity: Id::take(values.next()?)?,
            variant: Id::take(values.next()?)?,
            currency: Field::take(values.next()?)?,
            quantity: sum(values.next()),
            value: sum(values.next()),
            uncosted: sum(values.next()),
        })
    }
}

/// What all goods of an entity are worth, by currency; what has no cost is left out.
///
/// # Errors
/// LIMIT_EXCEEDED where a sum leaves its range.
pub fn value_by_currency(entity: Id, as_of: Option<Date>, variant: Option<Id>) -> Result<Vec<Value>, Problem> {
    let sums = match as_of {
        None => {
            let variant = variant.map(|id| LayerRow::variant_id.eq(id));
            let open = [LayerRow::legal_entity_id.eq(entity), LayerRow::spent.eq(false), LayerRow::value.not_null()];
            aggregate::<LayerRow>(all(open.into_iter().chain(variant)))
                .by(LayerRow::currency_code)
                .sum(LayerRow::remaining, Filter::default())
                .sum(LayerRow::value, Filter::default())
        }
        Some(day) => {
            let variant = variant.map(|id| CostEntryRow::variant_id.eq(id));
            let until = [
                CostEntryRow::legal_entity_id.eq(entity),
                CostEntryRow::entry_date.le(day),
                CostEntryRow::amount.not_null(),
                counts_on_hand(),
            ];
            aggregate::<CostEntryRow>(all(until.into_iter().chain(variant)))
                .by(CostEntryRow::currency_code)
                .sum(CostEntryRow::quantity, Filter::default())
                .sum(CostEntryRow::amount, Filter::default())
        }
    };
    let read = |row: Row| {
        let mut values = row.into_iter();
        Some(Value {
            currency_code: Field::take(values.next()?)?,
            quantity: sum(values.next()),
            value: sum(values.next()),
        })
    };
    let values = run(sums.without_zeros())?.into_iter().filter_map(read);
    Ok(values.filter(|value| value.quantity != Quantity::ZERO).collect())
}
