//! How the figures of stock follow from what happens to goods: signed changes of each warehouse's stock of each variant, summed
//! over a request and written in one statement, and the event that tells of them.

use std::collections::BTreeMap;

use serde::Serialize;
use stoa_sdk::store::{Failure, Insert, Why, insert, update_by};
use stoa_sdk::{Field, Id, Instant, Problem, emit, event, facts, new_ids, set};

use crate::articles;
use crate::stock::row::StockRow;
use crate::terms::Quantity;
use crate::unit::row::UnitStatus;
use crate::warehouse::row::WarehouseRow;

/// A signed change of the figures of one warehouse and variant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delta {
    pub on_hand: Quantity,
    pub reserved: Quantity,
    pub incoming: Quantity,
    pub damaged: Quantity,
    pub quarantined: Quantity,
    pub in_transit: Quantity,
    pub returned: Quantity,
}

impl Delta {
    /// One unit more of this state.
    pub fn unit(status: UnitStatus) -> Delta {
        let one = Quantity::from_units(1_000_000);
        let none = Delta::default();
        match status {
            UnitStatus::Available => Delta { on_hand: one, ..none },
            UnitStatus::Reserved => Delta { on_hand: one, reserved: one, ..none },
            UnitStatus::Damaged => Delta { damaged: one, ..none },
            UnitStatus::Quarantined => Delta { quarantined: one, ..none },
            UnitStatus::InTransit => Delta { in_transit: one, ..none },
            UnitStatus::Returned => Delta { returned: one, ..none },
            UnitStatus::Sold | UnitStatus::Lost | UnitStatus::Rma => none,
        }
    }

    fn parts(&self) -> [Quantity; 7] {
        [self.on_hand, self.reserved, self.incoming, self.damaged, self.quarantined, self.in_transit, self.returned]
    }

    fn of_parts(parts: [Quantity; 7]) -> Delta {
        let [on_hand, reserved, incoming, damaged, quarantined, in_transit, returned] = parts;
        Delta { on_hand, reserved, incoming, damaged, quarantined, in_transit, returned }
    }

    /// The opposite change.
    pub fn undone(self) -> Delta {
        Delta::of_parts(self.parts().map(|part| Quantity::from_units(-part.units())))
    }

    /// None where a figure leaves its range.
    fn plus(self, other: Delta) -> Option<Delta> {
        let mut parts = self.parts();
        for (part, more) in parts.iter_mut().zip(other.parts()) {
            *part = part.checked_add(more)?;
        }
        Some(Delta::of_parts(parts))
    }

    /// Whether integrators hear of it: a change of what is expected alone is not told.
    fn is_told(&self) -> bool {
        let silent = Delta { incoming: self.incoming, ..Delta::default() };
        *self != silent || *self == Delta::default()
    }
}

/// The changes of one request, by warehouse and variant.
#[derive(Debug, Clone, Default)]
pub struct Deltas(BTreeMap<(Id, Id), (Id, Delta)>);

impl Deltas {
    /// Adds a change for a variant of this product.
    ///
    /// # Errors
    /// LIMIT_EXCEEDED where a sum leaves its range.
    pub fn add(&mut self, warehouse: Id, variant: Id, product: Id, delta: Delta) -> Result<(), Problem> {
        let (_, sum) = self.0.entry((warehouse, variant)).or_insert((product, Delta::default()));
        *sum = sum.plus(delta).ok_or_else(Problem::limit_exceeded)?;
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Rows of pairs that may have none yet: those to whose figures something is added, in these warehouses.
    pub fn missing(&self, warehouses: &[WarehouseRow]) -> Vec<StockRow> {
        let grows = |delta: &Delta| delta.parts().iter().any(|part| *part > Quantity::ZERO);
        let growing: Vec<_> = self.0.iter().filter(|(_, (_, delta))| grows(delta)).collect();
        let ids = new_ids(u32::try_from(growing.len()).unwrap_or(u32::MAX));
        let now = Instant(facts().now);
        let row = |((warehouse, variant), (product, _)): (&(Id, Id), &(Id, Delta)), id: Id| {
            let of = warehouses.iter().find(|row| row.id == *warehouse)?;
            Some(StockRow {
                id,
                created_at: now,
                updated_at: now,
                warehouse_id: *warehouse,
                variant_id: *variant,
                product_id: *product,
                legal_entity_id: of.legal_entity_id,
                sellable: of.kind.is_normal(),
                on_hand: Quantity::ZERO,
                reserved: Quantity::ZERO,
                incoming: Quantity::ZERO,
                damaged: Quantity::ZERO,
                quarantined: Quantity::ZERO,
                in_transit: Quantity::ZERO,
                returned: Quantity::ZERO,
                revision: 0,
            })
        };
        growing.into_iter().zip(ids).filter_map(|(pair, id)| row(pair, id)).collect()
    }

    /// Two calls: rows of new pairs, then the changes; answers the rows after them. The update is refused as a whole where goods
    /// are short.
    pub fn calls<'a>(&self, missing: &'a [StockRow]) -> (Insert, stoa_sdk::store::UpdateAnswering<StockRow>) {
        let keys = self.0.keys().map(|(warehouse, variant)| vec![warehouse.put(), variant.put()]);
        let each = |part: fn(&Delta) -> Quantity| self.0.values().map(move |(_, delta)| part(delta)).collect::<Vec<_>>();
        let change = update_by::<StockRow>("pair", keys)
            .add_each(StockRow::on_hand, each(|delta| delta.on_hand))
            .add_each(StockRow::reserved, each(|delta| delta.reserved))
            .add_each(StockRow::incoming, each(|delta| delta.incoming))
            .add_each(StockRow::damaged, each(|delta| delta.damaged))
            .add_each(StockRow::quarantined, each(|delta| delta.quarantined))
            .add_each(StockRow::in_transit, each(|delta| delta.in_transit))
            .add_each(StockRow::returned, each(|delta| delta.returned))
            .add(StockRow::revision, 1);
        (insert(missing.iter()).unless_taken(), change.answer())
    }

    /// The pairs that have too little, where this is what the update was refused for.
    pub fn short(&self, failure: &Failure) -> Option<Vec<(Id, Id)>> {
        let Failure::RefusedChange(misses) = failure else { return None };
        let pair = |at: u32| self.0.keys().nth(usize::try_from(at).unwrap_or(usize::MAX)).copied();
        let short = |why: &Why| matches!(why, Why::Absent) || matches!(why, Why::Check(name) if name == "available");
        if !misses.iter().all(|miss| short(&miss.why)) {
            return None;
        }
        Some(misses.iter().filter_map(|miss| pair(miss.row)).collect())
    }

    /// Tells of the changes: one event for each pair, with figures where the variant is on sale.
    pub fn tell(&self, rows: &[StockRow]) {
        let told: Vec<&StockRow> = rows
            .iter()
            .filter(|row| self.0.get(&(row.warehouse_id, row.variant_id)).is_some_and(|(_, delta)| delta.is_told()))
            .collect();
        if told.is_empty() {
            return;
        }
        let variants: Vec<Id> = set(told.iter().map(|row| row.variant_id)).into_iter().collect();
        let articles = articles::get_variants(&variants);
        let on_sale = set(articles
            .iter()
            .filter(|article| articles::is_active(article) && article.published)
            .map(|article| Id::from(article.variant_id)));
        let events: Vec<_> = told
            .into_iter()
            .map(|row| {
                let data = Told::of(row, on_sale.contains(&row.variant_id));
                event("inventory.updated", "STOCK_LEVEL", row.id, Some(row.revision), &data)
            })
            .collect();
        emit(&events);
    }
}

/// What an event says of stock.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    warehouse_id: Id,
    variant_id: Id,
    #[serde(flatten)]
    figures: Option<Figures>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    on_hand: Quantity,
    reserved: Quantity,
    available: Quantity,
}

impl Told {
    fn of(row: &StockRow, is_on_sale: bool) -> Told {
        let available = match row.sellable {
            true => row.on_hand.checked_sub(row.reserved).unwrap_or(Quantity::ZERO),
            false => Quantity::ZERO,
        };
        let figures = Figures { on_hand: row.on_hand, reserved: row.reserved, available };
        Told { warehouse_id: row.warehouse_id, variant_id: row.variant_id, figures: is_on_sale.then_some(figures) }
    }
}
