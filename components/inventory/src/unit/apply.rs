//! Writing what happens to goods in one request: units, their ledger and movements, stock, holds, worth, in the order in which
//! everybody locks: identities and units (by the caller), stock, pools, layers; the books last.

use stoa_sdk::store::{Failure, Update, insert, run, update_all};
use stoa_sdk::{Id, Problem};

use crate::reservation::steps::Steps;
use crate::stock::deltas::{Delta, Deltas};
use crate::terms::Amount;
use crate::unit::change::{Changed, Changes};
use crate::unit::cost::{Moved, UnitCosts};
use crate::unit::identity::New;
use crate::unit::row::UnitRow;
use crate::unit::worth::{Books, Source, ValueChange};
use crate::warehouse::row::WarehouseRow;

/// What was written.
pub struct Applied {
    /// The changes, in their order.
    pub changes: Vec<Changed>,
    /// What each of them moved in worth, in the same order.
    pub moved: Vec<Option<Moved>>,
}

impl Applied {
    /// The units as they stand, in the order of the changes.
    pub fn units(&self) -> impl Iterator<Item = &UnitRow> {
        self.changes.iter().map(|change| &change.after)
    }

    /// What the changes moved in worth, by the branch of the warehouse where it happened.
    pub fn values(&self, warehouses: &[WarehouseRow]) -> Vec<ValueChange> {
        let value = |(change, moved): (&Changed, &Option<Moved>)| {
            let moved = moved.as_ref()?;
            let movement = change.movement.as_ref()?;
            let place = movement.from_warehouse_id.or(movement.to_warehouse_id);
            let branch = warehouses.iter().find(|row| Some(row.id) == place).and_then(|row| row.branch_id);
            Some(ValueChange { kind: moved.kind, amount: moved.amount.filter(|amount| *amount > Amount::ZERO)?, branch })
        };
        self.changes.iter().zip(&self.moved).filter_map(value).collect()
    }
}

/// How stock changes with these units.
///
/// # Errors
/// LIMIT_EXCEEDED where a figure leaves its range.
pub fn deltas(changes: &[Changed], into: &mut Deltas) -> Result<(), Problem> {
    for change in changes {
        if let Some(before) = &change.before
            && let Some(warehouse) = before.warehouse_id
        {
            into.add(warehouse, before.variant_id, before.product_id, Delta::unit(before.status).undone())?;
        }
        let after = &change.after;
        if let Some(warehouse) = after.warehouse_id {
            into.add(warehouse, after.variant_id, after.product_id, Delta::unit(after.status))?;
        }
    }
    Ok(())
}

/// Writes the changes, and with them other stock and holds. `warehouses`: those where something may come in. What stock is short
/// of is told by `short`, given the pairs.
///
/// # Errors
/// DUPLICATE at the units of which an identity is taken; what `short` answers.
pub fn write(
    changes: Changes,
    new: Option<New>,
    mut stock: Deltas,
    mut holds: Steps,
    warehouses: &[WarehouseRow],
    short: impl FnOnce(&[(Id, Id)]) -> Problem,
) -> Result<Applied, Problem> {
    let changes = changes.all;
    deltas(&changes, &mut stock)?;
    let costs = UnitCosts::of(&changes);
    let (created, changed): (Vec<&Changed>, Vec<&Changed>) = changes.iter().partition(|change| change.before.is_none());
    let rows = stock.missing(warehouses);
    let pools = costs.missing_pools();
    let identities = insert(new.as_ref().map(|new| new.rows.as_slice()).unwrap_or_default());
    let units = insert(created.iter().map(|change| &change.after));
    let (.., stocked, (_, pools, layers)) =
        run((identities, units, stock.calls(&rows), costs.calls(&pools))).map(|(a, b, (c, d), e)| (a, b, c, d, e)).map_err(
            |failure| match (&failure, &new, stock.short(&failure)) {
                (Failure::Duplicate(clashes), Some(new), _) => new.taken(clashes),
                (_, _, Some(pairs)) => short(&pairs),
                _ => failure.into(),
            },
        )?;
    let layers = layers.map(|layers| layers.items).unwrap_or_default();
    let worth = costs.rows(&changes, &pools, &layers);
    let movements = insert(changes.iter().filter_map(|change| change.movement.as_ref()));
    let entries = insert(changes.iter().map(|change| &change.entry));
    run((movements, update(&changed), entries, holds.calls(), worth.calls()))?;
    stock.tell(&stocked);
    Ok(Applied { moved: worth.moved, changes })
}

/// The rows of units after their changes.
fn update(changed: &[&Changed]) -> Update<UnitRow> {
    let after = || changed.iter().map(|change| &change.after);
    update_all::<UnitRow>(after().map(|unit| unit.id))
        .set_each(UnitRow::variant_id, after().map(|unit| unit.variant_id))
        .set_each(UnitRow::status, after().map(|unit| unit.status))
        .set_each(UnitRow::condition, after().map(|unit| unit.condition))
        .set_each(UnitRow::grade, after().map(|unit| unit.grade))
        .set_each(UnitRow::legal_entity_id, after().map(|unit| unit.legal_entity_id))
        .set_each(UnitRow::warehouse_id, after().map(|unit| unit.warehouse_id))
        .set_each(UnitRow::location_id, after().map(|unit| unit.location_id))
        .set_each(UnitRow::reservation_id, after().map(|unit| unit.reservation_id))
        .set_each(UnitRow::transfer_order_id, after().map(|unit| unit.transfer_order_id))
        .set_each(UnitRow::sale_allocation_id, after().map(|unit| unit.sale_allocation_id))
        .set_each(UnitRow::sale_movement_id, after().map(|unit| unit.sale_movement_id))
}

/// Writes the changes of one of inventory's own operations on units, and posts what they moved in worth. Answers the units.
///
/// # Errors
/// As [`write`]; the ledger's.
pub fn all(
    changes: Changes,
    new: Option<New>,
    warehouses: &[WarehouseRow],
    books: &Books,
) -> Result<Vec<UnitRow>, Problem> {
    held(changes, new, Steps::default(), warehouses, books)
}

/// The same with holds.
///
/// # Errors
/// As [`all`].
pub fn held(
    changes: Changes,
    new: Option<New>,
    holds: Steps,
    warehouses: &[WarehouseRow],
    books: &Books,
) -> Result<Vec<UnitRow>, Problem> {
    // A locked unit's own piece is in stock, so that stock is never short of it.
    let short = |_: &[(Id, Id)]| Problem::of("INSUFFICIENT_STOCK");
    let applied = write(changes, new, Deltas::default(), holds, warehouses, short)?;
    let first = applied.changes.iter().find_map(|change| change.movement.as_ref());
    if let Some(first) = first {
        let source =
            Source { kind: "INVENTORY_MOVEMENT", id: first.id, purpose: "ADJUSTMENT", text: &first.reason };
        books.post(source, &applied.values(warehouses))?;
    }
    Ok(applied.changes.into_iter().map(|change| change.after).collect())
}
