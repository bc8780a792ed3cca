//! Goods that a request has taken: what they cost, and the rest of what is to be written about them.

use serde::Serialize;
use stoa_sdk::store::{Batch, Failure, insert, run, update_all};
use stoa_sdk::{Id, Problem, emit, event};

use super::draw::Cost;
use super::{Closing, Goods};
use crate::cost::row::{CostEntryRow, LayerRow};
use crate::reservation::row::{ReservationRow, ReservationStatus};
use crate::stock::row::StockRow;
use crate::terms::Quantity;

/// The event's resource.
const STOCK_LEVEL: &str = "STOCK_LEVEL";

/// See the module's head.
pub struct Held {
    pub(super) goods: Goods,
    /// The rows of stock as they stand now.
    pub stock: Vec<StockRow>,
    /// What each outflow costs, in the order in which they were taken.
    pub costs: Vec<Cost>,
    pub(super) changed: Vec<LayerRow>,
    /// The layers of the inflows, in their order.
    pub brought: Vec<LayerRow>,
    pub(super) entries: Vec<CostEntryRow>,
}

/// The public part of a change of stock.
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

impl Held {
    /// Writes what was collected, and `last` in the same round trip after it; then tells of the change.
    ///
    /// # Errors
    /// The store's, as problems.
    pub fn write<B: Batch>(&self, last: B) -> Result<B::Answer, Problem> {
        self.write_or(last, Problem::from)
    }

    /// As `write`, for a `last` whose refusals its author knows to name.
    ///
    /// # Errors
    /// What `refused` makes of the store's failure.
    pub fn write_or<B: Batch>(&self, last: B, refused: impl Fn(Failure) -> Problem) -> Result<B::Answer, Problem> {
        let goods = &self.goods;
        let layers = update_all::<LayerRow>(self.changed.iter().map(|layer| layer.id))
            .set_each(LayerRow::remaining, self.changed.iter().map(|layer| layer.remaining))
            .set_each(LayerRow::value, self.changed.iter().map(|layer| layer.value))
            .set_each(LayerRow::spent, self.changed.iter().map(|layer| layer.spent));
        let after: Vec<ReservationRow> = goods.closed.iter().map(|closing| closing.after(goods.now)).collect();
        let closed = update_all::<ReservationRow>(after.iter().map(|row| row.id))
            .set_each(ReservationRow::status, after.iter().map(|row| row.status))
            .set_each(ReservationRow::movement_id, after.iter().map(|row| row.movement_id))
            .set(ReservationRow::active_unit_id, &None)
            .set(ReservationRow::closed_at, &Some(goods.now))
            .when(ReservationRow::status.eq(ReservationStatus::Active));
        let ledgers = (insert(&goods.movements), layers, insert(&self.brought), insert(&self.entries));
        let (_, _, _, _, last) =
            run((ledgers, insert(&goods.opened), closed, insert(&goods.entries), last)).map_err(refused)?;
        self.tell();
        Ok(last)
    }

    /// One event per pair whose goods changed: what is expected alone, or what it costs, is nobody's business.
    fn tell(&self) {
        let told = self.stock.iter().filter_map(|row| {
            let change =
                self.goods.changes.get(&super::delta::Pair { warehouse: row.warehouse_id, variant: row.variant_id })?;
            let figures = change.sku.public.then(|| Figures {
                on_hand: row.on_hand,
                reserved: row.reserved,
                available: row.available(),
            });
            let told = Told { warehouse_id: row.warehouse_id, variant_id: row.variant_id, figures };
            let event = event("inventory.updated", STOCK_LEVEL, row.id, Some(row.revision), &told);
            change.delta.is_told().then_some(event)
        });
        emit(&told.collect::<Vec<_>>());
    }

    /// The first movement of the request.
    pub fn first_movement(&self) -> Option<Id> {
        self.goods.movements.first().map(|movement| movement.id)
    }

    /// How the reservations ended.
    pub fn closed(&self) -> impl Iterator<Item = (&Closing, ReservationRow)> {
        self.goods.closed.iter().map(|closing| (closing, closing.after(self.goods.now)))
    }
}
