//! A transfer order under the lock of its row: what every transition reads first, and what it writes of the order last.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{Update, get, run, select, update_all};
use stoa_sdk::{Id, Problem, all, now};
use stoa_trade::Change;
use stoa_trade::clients::articles;
use stoa_trade::quantity::Quantity;

use crate::records::movement::{DocumentType, MovementRow, MovementType};
use crate::records::reservation::ReservationRow;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferStatus, TransferUnitRow, UnitOutcome};
use crate::records::unit::UnitRow;
use crate::records::warehouse::WarehouseRow;
use crate::rules::place;
use crate::work::gates;
use crate::work::goods::{Goods, Place, Sku};
use crate::work::units::changes::Why;
use crate::work::units::effects::Known;
use crate::work::units::holds::lock_units;

/// An order with its lines in their order and the units chosen for them.
pub struct Order {
    /// The row, with the transit warehouse that an approval fixes.
    pub row: TransferOrderRow,
    locked: TransferOrderRow,
    pub items: Vec<TransferItemRow>,
    pub units: Vec<TransferUnitRow>,
}

/// The order, held until the request ends.
pub fn lock_order(id: Id) -> Result<Order, Problem> {
    let (row, mut items, units) = run((
        get::<TransferOrderRow>(id).locked(),
        select::<TransferItemRow>(all([TransferItemRow::order_id.eq(id), TransferItemRow::line_no.not_null()])).whole(),
        select::<TransferUnitRow>(all([TransferUnitRow::order_id.eq(id), TransferUnitRow::dropped.eq(false)])).whole(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    Ok(Order { locked: row.clone(), row, items, units })
}

impl Order {
    /// The products of its lines, by which the audit entry is found.
    pub fn products(&self) -> BTreeSet<Id> {
        articles::products_of(self.items.iter().map(|item| item.variant_id))
    }

    /// The position of a line in the record.
    pub fn pointer(&self, item: Id) -> String {
        let index = self.items.iter().position(|row| row.id == item).unwrap_or_default();
        format!("/items/{index}")
    }

    /// The units of a line that are on the order.
    pub fn of_line(&self, item: Id) -> impl Iterator<Item = &TransferUnitRow> {
        self.units.iter().filter(move |unit| unit.item_id == item)
    }

    /// The line for which goods are held.
    ///
    /// # Errors
    /// NOT_FOUND where the order has no such line.
    pub fn line_of(&self, reservation: &ReservationRow) -> Result<&TransferItemRow, Problem> {
        self.items.iter().find(|item| Some(item.id) == reservation.line_id).ok_or_else(Problem::not_found)
    }

    /// The outcome of a unit that a line chose, as [`update_outcomes`] takes it.
    pub fn outcome_of(&self, unit: Id, line: &TransferItemRow, outcome: UnitOutcome) -> Option<(Id, UnitOutcome)> {
        let chosen = self.units.iter().find(|chosen| chosen.unit_id == unit && chosen.item_id == line.id);
        chosen.map(|chosen| (chosen.id, outcome))
    }

    /// The units of the order that it still has to do with, locked in the order of their ids, by id.
    pub fn lock_units(&self, which: impl Fn(&TransferUnitRow) -> bool) -> Result<BTreeMap<Id, UnitRow>, Problem> {
        lock_units(self.units.iter().filter(|unit| which(unit)).map(|unit| unit.unit_id))
    }

    /// The gates of the order's warehouses and of a location, shared; the warehouses, and the location's own row.
    ///
    /// # Errors
    /// ARCHIVED at the warehouse that was archived since, ILLEGAL_STATE where no transit warehouse is fixed.
    pub fn enter(&self) -> Result<Vec<WarehouseRow>, Problem> {
        let transit = self.row.transit_warehouse_id.ok_or_else(|| Problem::new("ILLEGAL_STATE"))?;
        let ends = [self.row.from_warehouse_id, self.row.to_warehouse_id, transit];
        let (_, warehouses, _) = run(gates::enter(&ends, None))?;
        for (id, pointer) in ends.into_iter().zip(["/fromWarehouseId", "/toWarehouseId", "/transitWarehouseId"]) {
            if place::require_warehouse(&warehouses, id, pointer)?.archived_at.is_some() {
                return Err(Problem::at("ARCHIVED", pointer));
            }
        }
        Ok(warehouses)
    }

    /// The places between which the goods travel, and the goods.
    ///
    /// # Errors
    /// NOT_FOUND where the caller did not read one of them.
    pub fn route(&self, warehouses: &[WarehouseRow]) -> Result<Route, Problem> {
        let place = |id: Option<Id>| warehouses.iter().find(|row| Some(row.id) == id).ok_or_else(Problem::not_found);
        Ok(Route {
            from: Place::from_row(place(Some(self.row.from_warehouse_id))?),
            transit: Place::from_row(place(self.row.transit_warehouse_id)?),
            to: place(Some(self.row.to_warehouse_id))?.clone(),
            known: Known::from_row(warehouses, self.items.iter().map(|item| item.variant_id)),
        })
    }

    /// Why its goods move.
    pub fn why(&self, movement_type: MovementType, reason: Option<&str>) -> Why {
        let reason = reason.map_or_else(|| format!("TRANSFER_ORDER {}", self.row.number), str::to_owned);
        Why::manual(movement_type, &reason, None).of_document(DocumentType::TransferOrder, self.row.id)
    }

    /// The order after a transition, as [`change`](Self::change) takes it.
    pub fn after(&self, status: TransferStatus) -> TransferOrderRow {
        let is_closed = matches!(status, TransferStatus::Received | TransferStatus::Cancelled);
        TransferOrderRow { status, closed_at: is_closed.then(now), ..self.row.clone() }
    }

    /// The change of the order's own row by a transition.
    pub fn change(&self, after: TransferOrderRow) -> Result<Change<TransferOrderRow>, Problem> {
        Change::new(&self.locked, after)
    }
}

/// Where goods of an order are, come from and go to.
pub struct Route {
    pub from: Place,
    pub transit: Place,
    pub to: WarehouseRow,
    pub known: Known,
}

impl Route {
    /// The goods of a line.
    ///
    /// # Errors
    /// NOT_FOUND where the catalog does not have them any more.
    pub fn sku(&self, item: &TransferItemRow) -> Result<Sku, Problem> {
        self.known.skus.get(&item.variant_id).copied().ok_or_else(Problem::not_found)
    }
}

/// A quantity moves; answers the movement.
pub fn record_movement(
    goods: &mut Goods,
    why: &Why,
    sku: &Sku,
    quantity: Quantity,
    from: Id,
    to: Option<(Id, Option<Id>)>,
) -> Id {
    let row = MovementRow {
        from_warehouse_id: Some(from),
        to_warehouse_id: to.map(|(warehouse, _)| warehouse),
        to_location_id: to.and_then(|(_, location)| location),
        document_type: why.document.map(|(kind, _)| kind),
        document_id: why.document.map(|(_, id)| id),
        ..goods.movement(why.movement_type, sku, quantity, &why.reason)
    };
    let id = row.id;
    goods.record(row);
    id
}

/// The update of units' outcomes: each unit's row here and its outcome.
pub fn update_outcomes(outcomes: &[(Id, UnitOutcome)]) -> Update<TransferUnitRow> {
    let is_live = |outcome: UnitOutcome| matches!(outcome, UnitOutcome::Reserved | UnitOutcome::InTransit);
    update_all::<TransferUnitRow>(outcomes.iter().map(|(id, _)| *id))
        .set_each(TransferUnitRow::outcome, outcomes.iter().map(|(_, outcome)| Some(*outcome)))
        .set_each(TransferUnitRow::live_slot, outcomes.iter().map(|(_, outcome)| is_live(*outcome).then_some(1)))
}
