//! The rest of what is to be written about goods that were taken, and the event of their change.

use stoa_sdk::host::fault;
use stoa_sdk::store::{Batch, Failure, insert, run, update_all, update_by};
use stoa_sdk::{Field, Id, Problem, emit};

use crate::records::cost::{LayerRow, PoolRow};
use crate::records::reservation::{ReservationRow, ReservationStatus};
use crate::records::stock::{STOCK_UPDATED, StockChange, StockRow};
use crate::rules::delta::Pair;
use crate::work::goods::collect::Inflow;
use crate::work::goods::settle::Settled;

impl Settled {
    /// Goods that come in at a cost that could be read only after the pool was taken, which [`Goods::touch`] did.
    ///
    /// # Errors
    /// LIMIT_EXCEEDED where their value leaves its range.
    pub fn bring(&mut self, inflow: Inflow) -> Result<(), Problem> {
        let pool = (inflow.place.entity, inflow.sku.variant);
        let Some(seq) = self.sequences.get_mut(&pool) else { fault("goods came into a pool that was not taken") };
        let (layer, entry) = self.goods.open_layer(&inflow, *seq)?;
        *seq += 1;
        *self.late.entry(pool).or_default() += 1;
        self.entries.push(entry);
        self.brought.push(layer);
        self.goods.inflows.push(inflow);
        Ok(())
    }

    /// Writes what was collected, and `last` in the same round trip after it; then emits the change.
    ///
    /// # Errors
    /// The store's, as problems.
    pub fn write<B: Batch>(&self, last: B) -> Result<B::Answer, Problem> {
        self.write_or(last, Problem::from)
    }

    /// As `write`, for a `last` whose refusals its author knows to name.
    ///
    /// # Errors
    /// What `refuse` makes of the store's failure.
    pub fn write_or<B: Batch>(&self, last: B, refuse: impl Fn(Failure) -> Problem) -> Result<B::Answer, Problem> {
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
            run((ledgers, insert(&goods.opened), closed, insert(&goods.entries), last)).map_err(refuse)?;
        self.emit_changes();
        Ok(last)
    }

    /// One event per pair whose goods changed: what is expected alone, or what it costs, is nobody's business.
    fn emit_changes(&self) {
        let event = |row: &StockRow| {
            let pair = Pair { warehouse: row.warehouse_id, variant: row.variant_id };
            let change = self.goods.changes.get(&pair).filter(|change| change.delta.is_public())?;
            Some(STOCK_UPDATED.of(row.id, Some(row.revision), &StockChange::of(row, change.sku.public)))
        };
        emit(self.stock.iter().filter_map(event));
    }

    /// The first movement of the request.
    pub fn first_movement(&self) -> Option<Id> {
        self.goods.movements.first().map(|movement| movement.id)
    }
}
