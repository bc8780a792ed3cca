//! From what happens to units to what happens to goods: stock, worth and movements of the changes, and the rows of the units
//! themselves.

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, Get, Insert, Update, get_all, insert, run, update_all};
use stoa_sdk::{Id, Problem, map, set};

use crate::articles::{self, Article};
use crate::books::Terms;
use crate::goods::delta::Delta;
use crate::goods::{Goods, Held, Inflow, Outflow, Place, Sku};
use crate::stock::row::StockRow;
use crate::unit::change::{Changed, Changes, ONE, Value};
use crate::unit::identity::New;
use crate::unit::row::{UnitEntryRow, UnitRow, UnitStatus};
use crate::warehouse::row::WarehouseRow;

/// One unit of this state, among the figures of stock.
pub fn delta(status: UnitStatus) -> Delta {
    let (one, none) = (ONE.units(), Delta::default());
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

/// The change that takes back what `delta` gives.
pub fn less(delta: Delta) -> Delta {
    Delta {
        on_hand: -delta.on_hand,
        reserved: -delta.reserved,
        incoming: -delta.incoming,
        damaged: -delta.damaged,
        quarantined: -delta.quarantined,
        in_transit: -delta.in_transit,
        returned: -delta.returned,
    }
}

/// Places and goods by their ids, as far as a request has to do with them.
#[derive(Debug, Default)]
pub struct Known {
    pub places: BTreeMap<Id, Place>,
    pub skus: BTreeMap<Id, Sku>,
}

impl Known {
    /// Of these warehouses, and of the variants, which the catalog is asked for.
    pub fn of<'a>(
        warehouses: impl IntoIterator<Item = &'a WarehouseRow>,
        variants: impl IntoIterator<Item = Id>,
    ) -> Known {
        Known {
            places: map(warehouses.into_iter().map(|row| (row.id, Place::of(row)))),
            skus: map(articles::by_variant(variants).iter().map(|(id, article)| (*id, Sku::of(article)))),
        }
    }

    /// As [`Known::of`], where the catalog was asked before.
    pub fn with<'a>(warehouses: impl IntoIterator<Item = &'a WarehouseRow>, articles: &BTreeMap<Id, Article>) -> Known {
        Known {
            places: map(warehouses.into_iter().map(|row| (row.id, Place::of(row)))),
            skus: map(articles.iter().map(|(id, article)| (*id, Sku::of(article)))),
        }
    }

    fn place(&self, warehouse: Option<Id>) -> Option<&Place> {
        self.places.get(&warehouse?)
    }
}

/// Puts the changes into what happens to goods; answers for each change where its cost will stand, if it goes out.
///
/// # Errors
/// NOT_FOUND where a place or a variant is not known, which the caller has read.
pub fn put(changes: &[Changed], goods: &mut Goods, known: &Known) -> Result<Vec<Option<usize>>, Problem> {
    let mut outflows = Vec::new();
    for change in changes {
        let sku = known.skus.get(&change.after.variant_id).ok_or_else(Problem::not_found)?;
        let from = change.before.as_ref().and_then(|before| Some((before, before.warehouse_id?)));
        if let Some((before, warehouse)) = from {
            let place = known.places.get(&warehouse).ok_or_else(Problem::not_found)?;
            goods.change(place, sku, less(delta(before.status)), "");
        }
        if let Some(warehouse) = change.after.warehouse_id {
            let place = known.places.get(&warehouse).ok_or_else(Problem::not_found)?;
            goods.change(place, sku, delta(change.after.status), "");
        }
        outflows.push(worth(change, sku, goods, known));
        if let Some(movement) = &change.movement {
            goods.moved(movement.clone());
        }
    }
    Ok(outflows)
}

fn worth(change: &Changed, sku: &Sku, goods: &mut Goods, known: &Known) -> Option<usize> {
    let movement = change.movement.as_ref()?;
    let document = movement.document_type.zip(movement.document_id);
    match &change.value {
        Value::Same => None,
        Value::Opens { kind, worth } => {
            goods.bring(Inflow {
                movement: movement.id,
                place: *known.place(change.after.warehouse_id)?,
                sku: *sku,
                unit: Some(change.after.id),
                quantity: ONE,
                unit_cost: worth.unit_cost,
                currency_code: worth.currency_code.clone(),
                receipt_item: change.layer_receipt_item(),
                kind: *kind,
                document,
                source_entry: None,
            });
            None
        }
        Value::Draws { kind } => Some(goods.take(Outflow {
            movement: movement.id,
            place: *known.place(movement.from_warehouse_id)?,
            sku: *sku,
            unit: Some(change.after.id),
            quantity: ONE,
            kind: *kind,
            document,
        })),
    }
}

/// What is written of units: identities, new units, changed ones, their ledger.
pub type Rows = (Option<Insert>, Insert, Update<UnitRow>, Insert);

/// The rows of the changes, to be written last.
pub fn rows(changes: &[Changed], new: Option<&New>) -> Rows {
    let created = changes.iter().filter(|change| change.before.is_none()).map(|change| &change.after);
    let changed: Vec<&UnitRow> =
        changes.iter().filter(|change| change.before.is_some()).map(|change| &change.after).collect();
    let entries = changes.iter().map(|change| &change.entry);
    (new.map(|new| insert(&new.rows)), insert(created), update(&changed), insert::<UnitEntryRow>(entries))
}

fn update(after: &[&UnitRow]) -> Update<UnitRow> {
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

/// What the store refuses of units: identities that are taken, at their units.
pub fn refused(failure: Failure, new: Option<&New>) -> Problem {
    match (failure, new) {
        (Failure::Duplicate(clashes), Some(new)) => new.taken(&clashes),
        (failure, _) => failure.into(),
    }
}

/// Takes goods without asking for anything in the same round trip.
///
/// # Errors
/// As [`Goods::hold`].
pub fn hold(goods: Goods) -> Result<Held, Problem> {
    goods.hold(None::<Get<StockRow>>).map(|(held, _)| held)
}

/// Writes what one of inventory's own operations does to units, with the holds that are already in `goods`, and posts it.
/// Answers the units. `known`: warehouses that the caller has read; others are read here.
///
/// # Errors
/// DUPLICATE at the units of which an identity is taken; the ledger's.
pub fn all(
    changes: Changes,
    new: Option<New>,
    mut goods: Goods,
    warehouses: &[WarehouseRow],
    terms: Option<&Terms>,
) -> Result<Vec<UnitRow>, Problem> {
    let changes = changes.all;
    let mut known = Known::of(warehouses, changes.iter().map(|change| change.after.variant_id));
    let named = changes
        .iter()
        .flat_map(|change| [change.before.as_ref().and_then(|before| before.warehouse_id), change.after.warehouse_id]);
    let missing = set(named.flatten().filter(|id| !known.places.contains_key(id)));
    for row in run(get_all::<WarehouseRow>(missing))? {
        known.places.insert(row.id, Place::of(&row));
    }
    put(&changes, &mut goods, &known)?;
    let held = hold(goods)?;
    held.write_or(rows(&changes, new.as_ref()), |failure| refused(failure, new.as_ref()))?;
    if let Some(first) = changes.first() {
        let text = first.movement.as_ref().map_or("", |movement| movement.reason.as_str());
        held.post(terms, first.after.legal_entity_id, text)?;
    }
    Ok(changes.into_iter().map(|change| change.after).collect())
}
