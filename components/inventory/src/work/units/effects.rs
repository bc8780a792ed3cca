//! From what happens to units to what happens to goods: stock, worth and movements of the changes, and the rows of the units
//! themselves.

use std::collections::BTreeMap;

use stoa_sdk::store::{Batch, Failure, Insert, Update, get_all, insert, run, update_all};
use stoa_sdk::{Id, Problem, map, set};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books::Terms;

use crate::records::unit::{UnitEntryRow, UnitRow};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::work::goods::{Goods, Inflow, Outflow, Place, Settled, Sku};
use crate::work::units::changes::{Changes, ONE, UnitChange, WorthChange};
use crate::work::units::identities::NewIdentities;

/// Places and goods by their ids, as far as a request has to do with them.
#[derive(Debug, Default)]
pub struct Known {
    pub places: BTreeMap<Id, Place>,
    pub skus: BTreeMap<Id, Sku>,
}

impl Known {
    /// Known warehouses and variants; the variants are read from the catalog.
    pub fn from_row<'a>(
        warehouses: impl IntoIterator<Item = &'a WarehouseRow>,
        variants: impl IntoIterator<Item = Id>,
    ) -> Known {
        Known::with(warehouses, &articles::get(variants))
    }

    /// As [`Known::from_row`], where the catalog was asked before.
    pub fn with<'a>(warehouses: impl IntoIterator<Item = &'a WarehouseRow>, articles: &BTreeMap<Id, Article>) -> Known {
        Known {
            places: map(warehouses.into_iter().map(|row| (row.id, Place::from_row(row)))),
            skus: map(articles.iter().map(|(id, article)| (*id, Sku::new(article)))),
        }
    }

    fn place(&self, warehouse: Option<Id>) -> Option<&Place> {
        self.places.get(&warehouse?)
    }
}

/// Puts the changes into what happens to goods; answers for each change the place of its cost, if it goes out.
///
/// # Errors
/// NOT_FOUND where a place or a variant is not known, which the caller has read.
pub fn collect(changes: &[UnitChange], goods: &mut Goods, known: &Known) -> Result<Vec<Option<usize>>, Problem> {
    let mut outflows = Vec::new();
    for change in changes {
        let sku = known.skus.get(&change.after.variant_id).ok_or_else(Problem::not_found)?;
        let from = change.before.as_ref().and_then(|before| Some((before, before.warehouse_id?)));
        if let Some((before, warehouse)) = from {
            let place = known.places.get(&warehouse).ok_or_else(Problem::not_found)?;
            goods.change(place, sku, Delta::of_unit(before.status).negate(), "");
        }
        if let Some(warehouse) = change.after.warehouse_id {
            let place = known.places.get(&warehouse).ok_or_else(Problem::not_found)?;
            goods.change(place, sku, Delta::of_unit(change.after.status), "");
        }
        outflows.push(collect_worth(change, sku, goods, known));
        if let Some(movement) = &change.movement {
            goods.record(movement.clone());
        }
    }
    Ok(outflows)
}

fn collect_worth(change: &UnitChange, sku: &Sku, goods: &mut Goods, known: &Known) -> Option<usize> {
    let movement = change.movement.as_ref()?;
    let document = movement.document_type.zip(movement.document_id);
    match &change.value {
        WorthChange::Same => None,
        WorthChange::Opens { kind, worth } => {
            goods.bring(Inflow {
                unit: Some(change.after.id),
                unit_cost: worth.unit_cost,
                currency_code: worth.currency_code.clone(),
                receipt_item: change.layer_receipt_item(),
                document,
                ..Inflow::new(movement.id, *known.place(change.after.warehouse_id)?, *sku, ONE, *kind)
            });
            None
        }
        WorthChange::Draws { kind } => Some(goods.draw(Outflow {
            unit: Some(change.after.id),
            document,
            ..Outflow::new(movement.id, *known.place(movement.from_warehouse_id)?, *sku, ONE, *kind)
        })),
    }
}

/// Writes of units: identities, new units, changed ones, their ledger.
pub type Rows = (Option<Insert>, Insert, Update<UnitRow>, Insert);

/// The rows of the changes, to be written last.
pub fn rows(changes: &[UnitChange], new: Option<&NewIdentities>) -> Rows {
    let created = changes.iter().filter(|change| change.before.is_none()).map(|change| &change.after);
    let changed: Vec<&UnitRow> =
        changes.iter().filter(|change| change.before.is_some()).map(|change| &change.after).collect();
    let entries = changes.iter().map(|change| &change.entry);
    (new.map(|new| insert(&new.rows)), insert(created), update_units(&changed), insert::<UnitEntryRow>(entries))
}

fn update_units(after: &[&UnitRow]) -> Update<UnitRow> {
    let rows = || after.iter();
    update_all::<UnitRow>(rows().map(|unit| unit.id))
        .set_each(UnitRow::variant_id, rows().map(|unit| unit.variant_id))
        .set_each(UnitRow::status, rows().map(|unit| unit.status))
        .set_each(UnitRow::condition, rows().map(|unit| unit.condition))
        .set_each(UnitRow::grade, rows().map(|unit| unit.grade))
        .set_each(UnitRow::legal_entity_id, rows().map(|unit| unit.legal_entity_id))
        .set_each(UnitRow::warehouse_id, rows().map(|unit| unit.warehouse_id))
        .set_each(UnitRow::location_id, rows().map(|unit| unit.location_id))
        .set_each(UnitRow::reservation_id, rows().map(|unit| unit.reservation_id))
        .set_each(UnitRow::transfer_order_id, rows().map(|unit| unit.transfer_order_id))
        .set_each(UnitRow::sale_allocation_id, rows().map(|unit| unit.sale_allocation_id))
        .set_each(UnitRow::sale_movement_id, rows().map(|unit| unit.sale_movement_id))
}

/// Takes the goods with those of the units, and writes both, the units and `last` in the same round trip after the goods.
pub fn write<B: Batch>(changes: &Changes, mut goods: Goods, known: &Known, last: B) -> Result<Settled, Problem> {
    collect(&changes.all, &mut goods, known)?;
    let settled = goods.settle()?;
    settled.write((rows(&changes.all, None), last))?;
    Ok(settled)
}

/// The problem for a failed write of units: identities that are taken, at their units.
pub fn refuse_duplicates(failure: Failure, new: Option<&NewIdentities>) -> Problem {
    match (failure, new) {
        (Failure::Duplicate(clashes), Some(new)) => new.refuse_taken(&clashes),
        (failure, _) => failure.into(),
    }
}

/// Writes what one of inventory's own operations does to units, with the holds that are already in `goods`, and posts it.
/// Answers the units. `known`: warehouses that the caller has read; others are read here.
///
/// # Errors
/// DUPLICATE at the units of which an identity is taken; the ledger's.
pub fn write_changes(
    changes: Changes,
    new: Option<NewIdentities>,
    mut goods: Goods,
    warehouses: &[WarehouseRow],
    terms: Option<&Terms>,
) -> Result<Vec<UnitRow>, Problem> {
    let changes = changes.all;
    let mut known = Known::from_row(warehouses, changes.iter().map(|change| change.after.variant_id));
    let named = changes
        .iter()
        .flat_map(|change| [change.before.as_ref().and_then(|before| before.warehouse_id), change.after.warehouse_id]);
    let missing = set(named.flatten().filter(|id| !known.places.contains_key(id)));
    for row in run(get_all::<WarehouseRow>(missing))? {
        known.places.insert(row.id, Place::from_row(&row));
    }
    collect(&changes, &mut goods, &known)?;
    let settled = goods.settle()?;
    settled.write_or(rows(&changes, new.as_ref()), |failure| refuse_duplicates(failure, new.as_ref()))?;
    if let Some(first) = changes.first() {
        let text = first.movement.as_ref().map_or("", |movement| movement.reason.as_str());
        settled.post(terms, first.after.legal_entity_id, text)?;
    }
    Ok(changes.into_iter().map(|change| change.after).collect())
}
