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

/// Sees to the totals after entries were written: those that came late are added at once, and now and then those that came before.
/// `summed` is what [`hold`] answered.
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

impl EntrySums {
    fn measure(filter: Filter) -> Aggregate<EntrySums> {
        aggregate(filter)
            .when(EntrySums::quantity, CostEntryRow::amount.not_null())
            .when(EntrySums::uncosted, CostEntryRow::amount.is_null())
    }

    fn figures(&self) -> [Amount; 3] {
        [widen(self.quantity), widen(self.uncosted), self.value]
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

/// Costs of a variant's goods.
pub struct VariantCosts;

impl Ledger<3> for VariantCosts {
    type Row = CostEntryRow;
    type Total = VariantCostTotalRow;
    type Group = (Id, CurrencyKey, Month);
    type LineSums = EntrySums;
    const LINE_ENTITY: Column<Id> = CostEntryRow::legal_entity_id;
    const LINE_ID: Column<Id> = CostEntryRow::id;
    const LINE_DAY: Column<Date> = CostEntryRow::entry_date;
    const TOTAL_ENTITY: Column<Id> = VariantCostTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = VariantCostTotalRow::month;
    const FIGURES: [Column<Amount>; 3] =
        [VariantCostTotalRow::quantity, VariantCostTotalRow::uncosted, VariantCostTotalRow::value];

    fn read_line(entry: &CostEntryRow) -> (Id, Id, (Id, CurrencyKey, Month), [Amount; 3]) {
        let currency = CurrencyKey(entry.currency_code.clone());
        (
            entry.id,
            entry.legal_entity_id,
            (entry.variant_id, currency, Month::from_day(entry.entry_date)),
            figures(entry),
        )
    }

    fn key(entity: Id, (variant, currency, month): &(Id, CurrencyKey, Month)) -> Row {
        vec![entity.put(), variant.put(), currency.put(), month.put()]
    }

    fn read_total(total: &VariantCostTotalRow) -> (Id, (Id, CurrencyKey, Month), [Amount; 3]) {
        let group = (total.variant_id, total.currency_code.clone(), total.month);
        (total.legal_entity_id, group, [total.quantity, total.uncosted, total.value])
    }

    fn lines_of((variant, currency, month): &(Id, CurrencyKey, Month)) -> Filter {
        all([
            CostEntryRow::variant_id.eq(*variant),
            of_currency(currency),
            month.days_of(CostEntryRow::entry_date),
            counts_on_hand(),
        ])
    }

    fn measure(filter: Filter) -> Aggregate<EntrySums> {
        EntrySums::measure(filter)
    }

    fn read_sums(sums: &EntrySums) -> [Amount; 3] {
        sums.figures()
    }
}

/// Costs of all goods of an entity.
pub struct EntityCosts;

impl Ledger<3> for EntityCosts {
    type Row = CostEntryRow;
    type Total = CostTotalRow;
    type Group = (CurrencyKey, Month);
    type LineSums = EntrySums;
    const LINE_ENTITY: Column<Id> = CostEntryRow::legal_entity_id;
    const LINE_ID: Column<Id> = CostEntryRow::id;
    const LINE_DAY: Column<Date> = CostEntryRow::entry_date;
    const TOTAL_ENTITY: Column<Id> = CostTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = CostTotalRow::month;
    const FIGURES: [Column<Amount>; 3] = [CostTotalRow::quantity, CostTotalRow::uncosted, CostTotalRow::value];

    fn read_line(entry: &CostEntryRow) -> (Id, Id, (CurrencyKey, Month), [Amount; 3]) {
        let currency = CurrencyKey(entry.currency_code.clone());
        (entry.id, entry.legal_entity_id, (currency, Month::from_day(entry.entry_date)), figures(entry))
    }

    fn key(entity: Id, (currency, month): &(CurrencyKey, Month)) -> Row {
        vec![entity.put(), currency.put(), month.put()]
    }

    fn read_total(total: &CostTotalRow) -> (Id, (CurrencyKey, Month), [Amount; 3]) {
        let group = (total.currency_code.clone(), total.month);
        (total.legal_entity_id, group, [total.quantity, total.uncosted, total.value])
    }

    fn lines_of((currency, month): &(CurrencyKey, Month)) -> Filter {
        all([of_currency(currency), month.days_of(CostEntryRow::entry_date), counts_on_hand()])
    }

    fn measure(filter: Filter) -> Aggregate<EntrySums> {
        EntrySums::measure(filter)
    }

    fn read_sums(sums: &EntrySums) -> [Amount; 3] {
        sums.figures()
    }
}
