//! Taking goods: the rows of stock are changed and guarded, and layers are drawn, under locks that are taken in one order.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::host::fault;
use stoa_sdk::store::{Batch, Failure, Miss, Row, Select, Why, find, insert, run, select, update_by};
use stoa_sdk::{Column, Field, Id, Problem, View, all, item, new_id, set};

use super::delta::Delta;
use super::draw::{self, MOST_LAYERS, Short, Slice};
use super::held::Held;
use super::{Change, Goods, Inflow, Outflow};
use crate::cost::exact;
use crate::cost::row::{CostEntryRow, LayerRow, PoolRow};
use crate::stock::row::StockRow;
use crate::terms::{Amount, Quantity};

/// Open layers of a pool that are read at once; few draws need more.
const FIRST_LAYERS: u32 = 8;
/// Pools of which one call reads every layer that a draw may touch.
const DEEP_POOLS: usize = 3;

/// Goods of one entity that share their layers.
pub(super) type Pool = (Id, Id);

impl Goods {
    /// Changes stock and draws layers. `first` is asked in the same round trip, before: locks and reads, no writes.
    ///
    /// # Errors
    /// INSUFFICIENT_STOCK at the first lines that no longer fit; LIMIT_EXCEEDED where a figure would leave its range or a draw
    /// touches too many layers.
    pub fn hold<B: Batch>(self, first: B) -> Result<(Held, B::Answer), Problem> {
        let mut pools: BTreeMap<Pool, i64> = BTreeMap::new();
        for inflow in &self.inflows {
            *pools.entry((inflow.place.entity, inflow.sku.variant)).or_default() += 1;
        }
        for outflow in &self.outflows {
            pools.entry((outflow.place.entity, outflow.sku.variant)).or_default();
        }
        for pool in self.touched.keys() {
            pools.entry(*pool).or_default();
        }
        let in_quantities = |outflow: &&Outflow| outflow.unit.is_none();
        let drawn = set(self.outflows.iter().filter(in_quantities).map(|out| (out.place.entity, out.sku.variant)));
        let units = set(self.outflows.iter().filter_map(|outflow| outflow.unit));

        let new_pools: Vec<PoolRow> = self.new_pools(&pools);
        let counts = !new_pools.is_empty();
        let keys = || pools.keys().map(pool_key).collect::<Vec<Row>>();
        let update_pools = counts.then(|| {
            update_by::<PoolRow>("pool", keys())
                .add_each(PoolRow::next_seq, pools.values().copied())
                .answer::<PoolRow>()
        });
        let lock_pools = (!counts && !pools.is_empty()).then(|| find::<PoolRow>("pool", keys()).locked());
        let unit_layers = (!units.is_empty())
            .then(|| select::<LayerRow>(all([LayerRow::unit_id.one_of(units), LayerRow::spent.eq(false)])));
        let stock = self.stock_update();
        let batch = (
            first,
            insert(&self.new_stock()).unless_taken(),
            stock,
            insert(&new_pools).unless_taken(),
            update_pools,
            lock_pools,
            (!drawn.is_empty()).then(|| layers_of(&drawn, FIRST_LAYERS)),
            unit_layers,
        );
        let (first, _, stock, _, updated, _, layers, unit_layers) = run(batch).map_err(|failure| match failure {
            Failure::RefusedChange(misses) => self.short(&misses),
            other => other.into(),
        })?;
        let mut open = Layers::default();
        open.put(layers.map(|rows| rows.items).unwrap_or_default());
        open.put(unit_layers.map(|rows| rows.items).unwrap_or_default());
        self.read_deep(&mut open)?;
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
            costs.push(draw::cost(&slices).ok_or_else(Problem::limit_exceeded)?);
            entries.extend(slices.iter().map(|slice| self.gone(outflow, slice)));
        }
        let mut brought = Vec::new();
        for inflow in &self.inflows {
            let seq = sequences.entry((inflow.place.entity, inflow.sku.variant)).or_default();
            let (layer, entry) = self.brought(inflow, *seq)?;
            *seq += 1;
            entries.push(entry);
            brought.push(layer);
        }
        let changed = open.changed();
        Ok((Held { goods: self, stock, costs, changed, brought, entries, sequences, late: BTreeMap::new() }, first))
    }

    fn stock_update(&self) -> stoa_sdk::store::UpdateAnswering<StockRow> {
        let columns: [Column<Quantity>; 7] = [
            StockRow::on_hand,
            StockRow::reserved,
            StockRow::incoming,
            StockRow::damaged,
            StockRow::quarantined,
            StockRow::in_transit,
            StockRow::returned,
        ];
        let mut update = update_by::<StockRow>("pair", self.changes.keys().map(|pair| pair.key()));
        for (nth, column) in columns.into_iter().enumerate() {
            let figure = |change: &Change| change.delta.figures().get(nth).copied().unwrap_or_default();
            if self.changes.values().any(|change| figure(change) != 0) {
                update =
                    update.add_each(column, self.changes.values().map(|change| Quantity::from_units(figure(change))));
            }
        }
        update.add(StockRow::revision, 1).answer()
    }

    /// Rows of zeros for pairs that may have had no goods yet.
    fn new_stock(&self) -> Vec<StockRow> {
        let first = self.changes.iter().filter(|(_, change)| change.delta.is_possible_first());
        first
            .map(|(pair, change)| StockRow {
                id: new_id(),
                created_at: self.now,
                updated_at: self.now,
                warehouse_id: pair.warehouse,
                variant_id: pair.variant,
                product_id: change.sku.product,
                legal_entity_id: change.place.entity,
                sellable: change.place.sellable,
                on_hand: Quantity::ZERO,
                reserved: Quantity::ZERO,
                incoming: Quantity::ZERO,
                damaged: Quantity::ZERO,
                quarantined: Quantity::ZERO,
                in_transit: Quantity::ZERO,
                returned: Quantity::ZERO,
                revision: 0,
            })
            .collect()
    }

    /// Pools into which goods come, which may not be there yet.
    fn new_pools(&self, pools: &BTreeMap<Pool, i64>) -> Vec<PoolRow> {
        let of_inflow = |pool: &Pool| {
            let inflow = self.inflows.iter().find(|inflow| (inflow.place.entity, inflow.sku.variant) == *pool);
            inflow.map(|inflow| inflow.sku).or_else(|| self.touched.get(pool).copied())
        };
        let new = pools.keys().filter_map(|pool| Some((*pool, of_inflow(pool)?)));
        new.map(|((legal_entity_id, variant_id), sku)| PoolRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id,
            variant_id,
            product_id: sku.product,
            next_seq: 1,
        })
        .collect()
    }

    /// Which lines no longer fit: of each pair the first.
    fn short(&self, misses: &[Miss]) -> Problem {
        let mut lines: Vec<(usize, &str)> = Vec::new();
        for miss in misses {
            match &miss.why {
                Why::Absent => {}
                Why::Check(check) if check == "available" => {}
                why => fault(&format!("stock was refused: {why:?}")),
            }
            let row = usize::try_from(miss.row).ok().and_then(|row| self.changes.values().nth(row));
            let Some(change) = row else { fault("stock was refused of a pair that did not change") };
            let current = miss.current.clone().and_then(StockRow::read);
            let (mut on_hand, mut reserved) = current.map_or((0, 0), |row| (row.on_hand.units(), row.reserved.units()));
            let fits = |delta: &Delta| {
                on_hand += delta.on_hand;
                reserved += delta.reserved;
                reserved >= 0 && on_hand >= reserved
            };
            let mut fits = fits;
            let unfit = change.lines.iter().find(|(_, delta, _)| !fits(delta)).or(change.lines.last());
            lines.extend(unfit.map(|(order, _, pointer)| (*order, pointer.as_str())));
        }
        lines.sort_unstable();
        let code = "INSUFFICIENT_STOCK";
        Problem { code: code.to_owned(), errors: lines.into_iter().map(|(_, at)| item(at, code)).collect() }
    }

    /// Reads every layer that a draw may touch, of the pools whose first ones are too few.
    fn read_deep(&self, open: &mut Layers) -> Result<(), Problem> {
        let mut needed: BTreeMap<Pool, i128> = BTreeMap::new();
        for outflow in self.outflows.iter().filter(|outflow| outflow.unit.is_none()) {
            *needed.entry((outflow.place.entity, outflow.sku.variant)).or_default() += outflow.quantity.units();
        }
        let short: Vec<Pool> = needed
            .into_iter()
            .filter(|(pool, needed)| {
                open.of.get(pool).is_some_and(|layers| {
                    layers.len() >= FIRST_LAYERS as usize
                        && layers.iter().map(|layer| layer.remaining.units()).sum::<i128>() < *needed
                })
            })
            .map(|(pool, _)| pool)
            .collect();
        if short.is_empty() {
            return Ok(());
        }
        let most = u32::try_from(MOST_LAYERS + 1).unwrap_or(u32::MAX);
        let chunks: Vec<Select<LayerRow>> =
            short.chunks(DEEP_POOLS).map(|pools| layers_of(&set(pools.iter().copied()), most)).collect();
        let pages = run(chunks).map_err(|failure| match failure {
            Failure::Limit(_) => Problem::limit_exceeded(),
            other => other.into(),
        })?;
        for pool in &short {
            open.of.remove(pool);
        }
        pages.into_iter().for_each(|page| open.put(page.items));
        Ok(())
    }

    /// The layer of goods that came in, and its entry.
    pub(super) fn brought(&self, inflow: &Inflow, seq: i64) -> Result<(LayerRow, CostEntryRow), Problem> {
        let value = inflow.unit_cost.map(|cost| exact::value(inflow.quantity, cost));
        let value = value.map(|value| value.ok_or_else(Problem::limit_exceeded)).transpose()?;
        let layer = self.layer(inflow, seq, value);
        let entry = self.came(inflow, &layer);
        Ok((layer, entry))
    }

    fn layer(&self, inflow: &Inflow, seq: i64, value: Option<Amount>) -> LayerRow {
        LayerRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id: inflow.place.entity,
            variant_id: inflow.sku.variant,
            product_id: inflow.sku.product,
            unit_id: inflow.unit,
            seq,
            currency_code: inflow.currency_code.clone(),
            unit_cost: inflow.unit_cost,
            quantity: inflow.quantity,
            remaining: inflow.quantity,
            value,
            spent: false,
            receipt_item_id: inflow.receipt_item,
            movement_id: Some(inflow.movement),
        }
    }

    fn came(&self, inflow: &Inflow, layer: &LayerRow) -> CostEntryRow {
        CostEntryRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id: layer.legal_entity_id,
            variant_id: layer.variant_id,
            product_id: layer.product_id,
            warehouse_id: Some(inflow.place.warehouse),
            layer_id: Some(layer.id),
            unit_id: inflow.unit,
            movement_id: Some(inflow.movement),
            source_entry_id: inflow.source_entry,
            kind: inflow.kind,
            destination: None,
            quantity: inflow.quantity,
            unit_cost_before: None,
            unit_cost: inflow.unit_cost,
            amount: layer.value,
            currency_code: inflow.currency_code.clone(),
            entry_date: self.today,
            document_type: inflow.document.map(|(kind, _)| kind),
            document_id: inflow.document.map(|(_, id)| id),
            receipt_item_id: inflow.receipt_item,
        }
    }

    fn gone(&self, outflow: &Outflow, slice: &Slice) -> CostEntryRow {
        CostEntryRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id: outflow.place.entity,
            variant_id: outflow.sku.variant,
            product_id: outflow.sku.product,
            warehouse_id: Some(outflow.place.warehouse),
            layer_id: Some(slice.layer),
            unit_id: outflow.unit,
            movement_id: Some(outflow.movement),
            source_entry_id: None,
            kind: outflow.kind,
            destination: None,
            quantity: Quantity::from_units(-slice.quantity.units()),
            unit_cost_before: None,
            unit_cost: slice.unit_cost,
            amount: slice.amount.map(|amount| Amount::from_units(-amount.units())),
            currency_code: slice.currency_code.clone(),
            entry_date: self.today,
            document_type: outflow.document.map(|(kind, _)| kind),
            document_id: outflow.document.map(|(_, id)| id),
            receipt_item_id: slice.receipt_item_id,
        }
    }
}

fn pool_key((entity, variant): &Pool) -> Row {
    vec![entity.put(), variant.put()]
}

/// The oldest open layers of pools of quantities.
fn layers_of(pools: &BTreeSet<Pool>, most: u32) -> Select<LayerRow> {
    let columns = [LayerRow::legal_entity_id.name(), LayerRow::variant_id.name()];
    select(all([LayerRow::spent.eq(false), LayerRow::unit_id.is_null()])).by(LayerRow::seq).each(
        &columns,
        pools.iter().map(pool_key),
        most,
    )
}

/// Open layers, those of quantities by pool and those of units by unit, as they stand and as draws leave them.
#[derive(Default)]
struct Layers {
    of: BTreeMap<Pool, Vec<LayerRow>>,
    of_units: BTreeMap<Id, LayerRow>,
    drawn: BTreeSet<Id>,
}

impl Layers {
    fn put(&mut self, rows: Vec<LayerRow>) {
        for row in rows {
            match row.unit_id {
                Some(unit) => drop(self.of_units.insert(unit, row)),
                None => self.of.entry((row.legal_entity_id, row.variant_id)).or_default().push(row),
            }
        }
    }

    fn draw(&mut self, outflow: &Outflow) -> Result<Vec<Slice>, Problem> {
        let slices = match outflow.unit {
            Some(unit) => match self.of_units.get_mut(&unit) {
                Some(layer) => draw::draw(std::slice::from_mut(layer), outflow.quantity),
                None => Err(Short::Layers),
            },
            None => {
                let layers = self.of.entry((outflow.place.entity, outflow.sku.variant)).or_default();
                draw::draw(layers, outflow.quantity)
            }
        };
        let slices = slices.map_err(|short| match short {
            Short::TooMany => Problem::limit_exceeded(),
            Short::Inexact => Problem::of("ACCOUNTING_AMOUNT_PRECISION"),
            Short::Layers => fault("layers hold less than stock"),
        })?;
        self.drawn.extend(slices.iter().map(|slice| slice.layer));
        Ok(slices)
    }

    fn changed(self) -> Vec<LayerRow> {
        let all = self.of.into_values().flatten().chain(self.of_units.into_values());
        all.filter(|layer| self.drawn.contains(&layer.id)).collect()
    }
}
