//! The ledger of costs and its totals by month: how entries are written, and what their totals are of.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, Failure, Find, Lock, Row, aggregate};
use stoa_sdk::{Column, Date, Field, Filter, Id, Problem, all, any, totals};
use stoa_trade::dates::Month;
use stoa_trade::quantity::{Amount, Quantity, widen};
use stoa_trade::snapshot::{Ledger, Snapshots, Summed, late_entities, ledger_step};

use crate::records::cost::{CostEntryRow, Destination};
use crate::records::cost_total::{CostTotalRow, CurrencyKey, VariantCostTotalRow};

const SNAPSHOTS: Snapshots = Snapshots {
    lock: "costs",
    offset: 512,
    ledgers: &[ledger_step::<VariantCosts, 3>(), ledger_step::<EntityCosts, 3>()],
};

/// The lock and the read that precede entries of these entities, in the same batch or an earlier one.
pub fn hold(entities: impl IntoIterator<Item = Id>) -> Option<(Lock, Find<Summed>)> {
    SNAPSHOTS.hold(entities)
}

/// Sees to the totals after entries were written: those that came late are added at once, and now and then those that
/// came before. `summed` is what [`hold`] answered.
pub fn follow<'a>(
    summed: &[Summed],
    entries: impl IntoIterator<Item = &'a CostEntryRow> + Clone,
) -> Result<(), Failure> {
    for entity in late_entities(summed) {
        SNAPSHOTS.add_late::<VariantCosts, 3>(entity, entries.clone())?;
        SNAPSHOTS.add_late::<EntityCosts, 3>(entity, entries.clone())?;
    }
    let mut counts: BTreeMap<Id, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.legal_entity_id).or_default() += 1;
    }
    counts.into_iter().try_for_each(|(entity, count)| SNAPSHOTS.follow(entity, count))
}

/// Brings the totals of one entity forward, over entries that are older than they.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    Ok(SNAPSHOTS.upgrade_lines::<EntityCosts, 3>(cursor)?)
}

totals! {
    pub EntrySums of CostEntryRow by [] {
        quantity: Quantity = sum(quantity),
        uncosted: Quantity = sum(quantity),
        value: Amount = sum(amount),
    }
}

/// Entries that are part of what goods on hand are worth: not those that re-cost what is gone.
pub fn counts_on_hand() -> Filter {
    any([CostEntryRow::destination.is_null(), CostEntryRow::destination.eq(Destination::OnHand)])
}

fn figures(entry: &CostEntryRow) -> [Amount; 3] {
    let quantity = widen(entry.quantity);
    match entry.amount {
        _ if !entry.destination.is_none_or(|place| place == Destination::OnHand) => [Amount::ZERO; 3],
        Some(value) => [quantity, Amount::ZERO, value],
        None => [Amount::ZERO, quantity, Amount::ZERO],
    }
}

fn of_currency(currency: &CurrencyKey) -> Filter {
    match &currency.0 {
        Some(code) => CostEntryRow::currency_code.eq(code.as_str()),
        None => CostEntryRow::currency_code.is_null(),
    }
}

/// A ledger of costs whose totals distinguish these keys, in addition to currency and month.
macro_rules! cost_ledger {
    ($(#[$meta:meta])* $name:ident in $total:ident by [$($key:ident: $key_type:ty),*]) => {
        $(#[$meta])*
        pub struct $name;

        impl Ledger<3> for $name {
            type Row = CostEntryRow;
            type Total = $total;
            type Group = ($($key_type,)* CurrencyKey, Month);
            type LineSums = EntrySums;
            const LINE_ENTITY: Column<Id> = CostEntryRow::legal_entity_id;
            const LINE_ID: Column<Id> = CostEntryRow::id;
            const LINE_DAY: Column<Date> = CostEntryRow::entry_date;
            const TOTAL_ENTITY: Column<Id> = $total::legal_entity_id;
            const TOTAL_MONTH: Column<Month> = $total::month;
            const FIGURES: [Column<Amount>; 3] = [$total::quantity, $total::uncosted, $total::value];

            fn read_line(entry: &CostEntryRow) -> (Id, Id, Self::Group, [Amount; 3]) {
                let currency = CurrencyKey(entry.currency_code.clone());
                let group = ($(entry.$key,)* currency, Month::from_day(entry.entry_date));
                (entry.id, entry.legal_entity_id, group, figures(entry))
            }

            fn key(entity: Id, ($($key,)* currency, month): &Self::Group) -> Row {
                vec![entity.put(), $($key.put(),)* currency.put(), month.put()]
            }

            fn read_total(total: &$total) -> (Id, Self::Group, [Amount; 3]) {
                let group = ($(total.$key,)* total.currency_code.clone(), total.month);
                (total.legal_entity_id, group, [total.quantity, total.uncosted, total.value])
            }

            fn lines_of(($($key,)* currency, month): &Self::Group) -> Filter {
                let days = month.days_of(CostEntryRow::entry_date);
                all([$(CostEntryRow::$key.eq(*$key),)* of_currency(currency), days, counts_on_hand()])
            }

            fn measure(filter: Filter) -> Aggregate<EntrySums> {
                aggregate(filter)
                    .when(EntrySums::quantity, CostEntryRow::amount.not_null())
                    .when(EntrySums::uncosted, CostEntryRow::amount.is_null())
            }

            fn read_sums(sums: &EntrySums) -> [Amount; 3] {
                [widen(sums.quantity), widen(sums.uncosted), sums.value]
            }
        }
    };
}

cost_ledger! {
    /// Costs of a variant's goods.
    VariantCosts in VariantCostTotalRow by [variant_id: Id]
}

cost_ledger! {
    /// Costs of all goods of an entity.
    EntityCosts in CostTotalRow by []
}
