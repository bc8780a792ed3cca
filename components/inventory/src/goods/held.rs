//! Goods that a request has taken: what they cost, and the rest of what is to be written about them.

use std::collections::BTreeMap;

use serde::Serialize;
use stoa_sdk::host::fault;
use stoa_sdk::store::{Batch, Failure, insert, run, update_all, update_by};
use stoa_sdk::{Field, Id, Problem, emit, event};

use super::draw::Cost;
use super::hold::Pool;
use super::{Closing, Goods, Inflow};
use crate::cost::row::{CostEntryRow, LayerRow, PoolRow};
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
    /// The next figure of each pool.
    pub(super) sequences: BTreeMap<Pool, i64>,
    /// Layers beyond those that were counted when the pools were taken.
    pub(super) late: BTreeMap<Pool, i64>,
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
    /// Goods that come in at a cost that could be read only after the pool was taken, which [`Goods::touch`] did.
    ///
    /// # Errors
    /// LIMIT_EXCEEDED where their value leaves its range.
    pub fn bring(&mut self, inflow: Inflow) -> Result<(), Problem> {
        let pool = (inflow.place.entity, inflow.sku.variant);
        let Some(seq) = self.sequences.get_mut(&pool) else { fault("goods came into a pool that was not taken") };
        let (layer, entry) = self.goods.brought(&inflow, *seq)?;
        *seq += 1;
        *self.late.entry(pool).or_default() += 1;
        self.entries.push(entry);
        self.brought.push(layer);
        self.goods.inflows.push(inflow);
        Ok(())
    }

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
        let late = self.late.keys().map(|(entity, variant)| vec![entity.put(), variant.put()]);
        let late = update_by::<PoolRow>("pool", late).add_each(PoolRow::next_seq, self.late.values().copied());
        let ledgers = (insert(&goods.movements), late, layers, insert(&self.brought), insert(&self.entries));
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
