//! The rest of what is to be written about goods that were taken, and the event of their change.

use stoa_sdk::host::fault;
use stoa_sdk::store::{Batch, Failure, insert, run, update_all, update_by};
use stoa_sdk::{Id, Problem, emit};
use stoa_trade::clients::holdings::{self, Holding};
use stoa_trade::quantity::Quantity;

use crate::records::cost::{CostEntryRow, LayerRow, PoolRow};
use crate::records::reservation::{ReservationRow, ReservationStatus};
use crate::records::stock::{STOCK_UPDATED, StockChange, StockRow};
use crate::rules::delta::Pair;
use crate::work::costs::totals;
use crate::work::goods::collect::Inflow;
use crate::work::goods::layers::pool_key;
use crate::work::goods::settle::Settled;

/// Rows of each kind that are written in one call: together they stay within what a call may carry.
const STEP: usize = 500;

/// Layers that changed, new ones, and rows of their ledger.
type Costed<'a> = (&'a [LayerRow], &'a [LayerRow], &'a [CostEntryRow]);

/// The next step's rows, which leaves those after it.
fn take<'a, T>(rows: &mut &'a [T]) -> &'a [T] {
    let (step, rest) = rows.split_at(rows.len().min(STEP));
    *rows = rest;
    step
}

fn write_layers(changed: &[LayerRow], brought: &[LayerRow], entries: &[CostEntryRow]) -> impl Batch {
    let changed = update_all::<LayerRow>(changed.iter().map(|layer| layer.id))
        .set_each(LayerRow::remaining, changed.iter().map(|layer| layer.remaining))
        .set_each(LayerRow::value, changed.iter().map(|layer| layer.value))
        .set_each(LayerRow::spent, changed.iter().map(|layer| layer.spent));
    (changed, insert(brought), insert(entries))
}

impl Settled {
    /// Goods that come in at a cost that could be read only after the pool was taken, which [`Goods::touch`] did.
    ///
    /// # Errors
    /// LIMIT_EXCEEDED where their value leaves its range.
    pub fn bring(&mut self, inflow: Inflow) -> Result<(), Problem> {
        let pool = inflow.pool();
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
    pub fn write<B: Batch>(&self, last: B) -> Result<B::Answer, Problem> {
        self.write_or(last, Problem::from)
    }

    /// As `write`, for a `last` whose refusals its author knows to name.
    pub fn write_or<B: Batch>(&self, last: B, refuse: impl Fn(Failure) -> Problem) -> Result<B::Answer, Problem> {
        let goods = &self.goods;
        let (layers, brought, entries) = self.write_steps()?;
        let after: Vec<ReservationRow> = goods.closed.iter().map(|closing| closing.after(goods.now)).collect();
        let closed = update_all::<ReservationRow>(after.iter().map(|row| row.id))
            .set_each(ReservationRow::status, after.iter().map(|row| row.status))
            .set_each(ReservationRow::movement_id, after.iter().map(|row| row.movement_id))
            .set(ReservationRow::active_unit_id, &None)
            .set(ReservationRow::closed_at, &Some(goods.now))
            .when(ReservationRow::status.eq(ReservationStatus::Active));
        let late = self.late.keys().map(pool_key);
        let late = update_by::<PoolRow>("pool", late).add_each(PoolRow::next_seq, self.late.values().copied());
        let ledgers = (insert(&goods.movements), late, write_layers(layers, brought, entries));
        let (_, _, _, _, last) =
            run((ledgers, insert(&goods.opened), closed, insert(&goods.entries), last)).map_err(refuse)?;
        totals::follow(&self.summed, &self.entries)?;
        holdings::note(&self.find_turned());
        self.emit_changes();
        Ok(last)
    }

    /// Writes what one call does not hold of layers and their ledger, of which goods may have any number; answers the rest.
    fn write_steps(&self) -> Result<Costed<'_>, Problem> {
        let (mut layers, mut brought, mut entries) = (&self.changed[..], &self.brought[..], &self.entries[..]);
        while [layers.len(), brought.len(), entries.len()].iter().any(|rows| *rows > STEP) {
            run(write_layers(take(&mut layers), take(&mut brought), take(&mut entries)))?;
        }
        Ok((layers, brought, entries))
    }

    /// Pairs that have their first goods on hand, or none any more: the catalog warns of goods of what is archived. The
    /// row of stock is held, so what is said of a pair is said in the order of its changes.
    fn find_turned(&self) -> Vec<Holding> {
        let turned = |row: &StockRow| {
            let pair = Pair { warehouse: row.warehouse_id, variant: row.variant_id };
            let moved = self.goods.changes.get(&pair)?.delta.on_hand;
            let (before, after) = (row.on_hand.units() - moved, row.on_hand.units());
            ((before > 0) != (after > 0)).then(|| holding_of(row))
        };
        self.stock.iter().filter_map(turned).collect()
    }

    /// One event per pair whose goods changed: a change of only the expected quantity, or of the cost, is not reported.
    fn emit_changes(&self) {
        let event = |row: &StockRow| {
            let pair = Pair { warehouse: row.warehouse_id, variant: row.variant_id };
            let change = self.goods.changes.get(&pair).filter(|change| change.delta.is_public())?;
            Some(STOCK_UPDATED.of(row.id, Some(row.revision), &StockChange::from_row(row, change.sku.public)))
        };
        emit(self.stock.iter().filter_map(event));
    }

    /// The first movement of the request.
    pub fn first_movement(&self) -> Option<Id> {
        self.goods.movements.first().map(|movement| movement.id)
    }
}

/// The holding of a pair, as reported to the catalog.
pub fn holding_of(row: &StockRow) -> Holding {
    Holding {
        place_id: row.warehouse_id.into(),
        variant_id: row.variant_id.into(),
        product_id: row.product_id.into(),
        held: row.on_hand > Quantity::ZERO,
    }
}
