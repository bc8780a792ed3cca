//! Taking goods: the rows of stock are changed and guarded, and layers are drawn, under locks that are taken in one order.

use std::collections::BTreeMap;

use stoa_sdk::host::{fault, reject_argument};
use stoa_sdk::store::{Failure, Miss, Row, Why, find, run, select, update_by};
use stoa_sdk::{Field, Problem, View, all, item, set};
use stoa_trade::quantity::{Amount, Quantity};
use stoa_trade::snapshot::Summed;

use crate::records::cost::{CostEntryRow, LayerRow, PoolRow};
use crate::records::stock::StockRow;
use crate::rules::delta::Delta;
use crate::rules::draw::{self, Cost};
use crate::work::costs::totals;
use crate::work::goods::collect::{Change, Goods, Outflow, Pool};
use crate::work::goods::layers::{Layers, first_layers, pool_key};

/// Goods that a request has taken: what they cost, and the rest of what is to be written about them.
pub struct Settled {
    pub(super) goods: Goods,
    /// The rows of stock as they are now.
    pub stock: Vec<StockRow>,
    /// Cost of each outflow, in the order in which they were taken.
    pub costs: Vec<Cost>,
    pub(super) changed: Vec<LayerRow>,
    /// The layers of the inflows, in their order.
    pub brought: Vec<LayerRow>,
    pub(super) entries: Vec<CostEntryRow>,
    /// The next figure of each pool.
    pub(super) sequences: BTreeMap<Pool, i64>,
    /// Layers beyond those that were counted when the pools were taken.
    pub(super) late: BTreeMap<Pool, i64>,
    /// How far the ledgers of these entities' costs are summed.
    pub(super) summed: Vec<Summed>,
}

impl Goods {
    /// Changes stock and draws layers.
    ///
    /// # Errors
    /// INSUFFICIENT_STOCK at the first lines that no longer fit; LIMIT_EXCEEDED where a figure would leave its range or a draw
    /// touches too many layers.
    pub fn settle(self) -> Result<Settled, Problem> {
        let pools = self.count_layers();
        let in_quantities = |outflow: &&Outflow| outflow.unit.is_none();
        let drawn = set(self.outflows.iter().filter(in_quantities).map(Outflow::pool));
        let units = set(self.outflows.iter().filter_map(|outflow| outflow.unit));

        let counts = !(self.inflows.is_empty() && self.touched.is_empty());
        let keys = || pools.keys().map(pool_key).collect::<Vec<Row>>();
        let update_pools = counts.then(|| {
            update_by::<PoolRow>("pool", keys())
                .add_each(PoolRow::next_seq, pools.values().copied())
                .or_insert(&[PoolRow::product_id.name()], pools.keys().map(|pool| self.first_pool(pool)))
                .answer::<PoolRow>()
        });
        let lock_pools = (!counts && !pools.is_empty()).then(|| find::<PoolRow>("pool", keys()).locked());
        let unit_layers = (!units.is_empty())
            .then(|| select::<LayerRow>(all([LayerRow::unit_id.one_of(units), LayerRow::spent.eq(false)])).whole());
        let stock = self.stock_update();
        let hold = totals::hold(pools.keys().map(|(entity, _)| *entity));
        let batch = (stock, update_pools, lock_pools, first_layers(&drawn), unit_layers, hold);
        let (stock, updated, _, layers, unit_layers, hold) = run(batch).map_err(|failure| match failure {
            Failure::RefusedChange(misses) => self.short(&misses),
            other => other.into(),
        })?;
        let mut open = Layers::default();
        layers.into_iter().for_each(|rows| open.put(rows));
        open.put(unit_layers.unwrap_or_default());
        open.read_deep(&self.outflows)?;
        let sequences = updated.unwrap_or_default().into_iter();
        let sequences = sequences.map(|row| ((row.legal_entity_id, row.variant_id), row.next_seq));
        let mut sequences: BTreeMap<Pool, i64> = stoa_sdk::map(sequences);
        for (pool, next) in &mut sequences {
            *next -= pools.get(pool).copied().unwrap_or_default();
        }

        let mut entries = Vec::new();
        let mut costs = Vec::new();
        for outflow in &self.outflows {
            let slices = open.draw(outflow)?;
            costs.push(draw::cost_of(&slices).ok_or_else(Amount::limit_exceeded)?);
            entries.extend(slices.iter().map(|slice| self.outflow_entry(outflow, slice)));
        }
        let mut brought = Vec::new();
        for inflow in &self.inflows {
            let seq = sequences.entry(inflow.pool()).or_default();
            let (layer, entry) = self.open_layer(inflow, *seq)?;
            *seq += 1;
            entries.push(entry);
            brought.push(layer);
        }
        let changed = open.into_changed();
        let summed = hold.map(|(_, summed)| summed).unwrap_or_default();
        let late = BTreeMap::new();
        Ok(Settled { goods: self, stock, costs, changed, brought, entries, sequences, late, summed })
    }

    /// The pools that it needs, each with the number of layers that come in.
    fn count_layers(&self) -> BTreeMap<Pool, i64> {
        let touched = self.outflows.iter().map(Outflow::pool).chain(self.touched.keys().copied());
        let mut pools: BTreeMap<Pool, i64> = stoa_sdk::map(touched.map(|pool| (pool, 0)));
        for inflow in &self.inflows {
            *pools.entry(inflow.pool()).or_default() += 1;
        }
        pools
    }

    fn stock_update(&self) -> stoa_sdk::store::UpdateAnswering<StockRow> {
        let mut update = update_by::<StockRow>("pair", self.changes.keys().map(|pair| pair.key()));
        for (nth, column) in StockRow::FIGURES.into_iter().enumerate() {
            let figure = |change: &Change| change.delta.figures().get(nth).copied().unwrap_or_default();
            if self.changes.values().any(|change| figure(change) != 0) {
                update =
                    update.add_each(column, self.changes.values().map(|change| Quantity::from_units(figure(change))));
            }
        }
        let columns = [StockRow::product_id.name(), StockRow::legal_entity_id.name(), StockRow::sellable.name()];
        let first = self.changes.values().map(|change| {
            let Change { place, sku, .. } = change;
            let row = || vec![sku.product.put(), place.entity.put(), place.sellable.put()];
            change.delta.is_possible_first().then(row)
        });
        update.add(StockRow::revision, 1).or_insert(&columns, first).answer()
    }

    /// The product for the insert of a pool that may not be there yet: one into which goods come.
    fn first_pool(&self, pool: &Pool) -> Option<Row> {
        let inflow = self.inflows.iter().find(|inflow| inflow.pool() == *pool);
        let sku = inflow.map(|inflow| &inflow.sku).or_else(|| self.touched.get(pool));
        sku.map(|sku| vec![sku.product.put()])
    }

    /// The lines that no longer fit: the first one of each pair.
    fn short(&self, misses: &[Miss]) -> Problem {
        let mut lines: Vec<(usize, &str)> = Vec::new();
        for miss in misses {
            match &miss.why {
                Why::Absent => {}
                Why::Check(check) if check == "available" => {}
                // Only a caller of a service states what is expected.
                Why::Check(check) if check == "incoming" => reject_argument("more arrives than is expected"),
                why => fault(&format!("stock was refused: {why:?}")),
            }
            let row = usize::try_from(miss.row).ok().and_then(|row| self.changes.values().nth(row));
            let Some(change) = row else { fault("stock was refused of a pair that did not change") };
            let current = miss.current.clone().and_then(StockRow::read);
            let (mut on_hand, mut reserved) = current.map_or((0, 0), |row| (row.on_hand.units(), row.reserved.units()));
            let mut fits = |delta: &Delta| {
                on_hand += delta.on_hand;
                reserved += delta.reserved;
                reserved >= 0 && on_hand >= reserved
            };
            let unfit = change.lines.iter().find(|(_, delta, _)| !fits(delta)).or(change.lines.last());
            lines.extend(unfit.map(|(order, _, pointer)| (*order, pointer.as_str())));
        }
        lines.sort_unstable();
        let code = "INSUFFICIENT_STOCK";
        Problem { code: code.to_owned(), errors: lines.into_iter().map(|(_, pointer)| item(pointer, code)).collect() }
    }
}
