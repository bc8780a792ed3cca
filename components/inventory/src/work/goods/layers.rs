//! Open layers: which are read, and how outflows draw them.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::host::fault;
use stoa_sdk::store::{MOST_ROWS, Row, Whole, run, select};
use stoa_sdk::{Field, Id, Problem, all};

use crate::records::cost::LayerRow;
use crate::rules::draw::{self, MOST_LAYERS, Short, Slice};
use crate::work::goods::collect::Outflow;

/// Open layers of a pool that are read at once; few draws need more.
const FIRST_LAYERS: u32 = 8;

/// Pools of which one call reads every layer that a draw may touch.
const DEEP_POOLS: usize = 3;

/// Goods of one entity that share their layers.
pub type Pool = (Id, Id);

/// The first open layers of pools of quantities, in as few calls as there can be.
pub fn first_layers(pools: &BTreeSet<Pool>) -> Vec<Whole<LayerRow>> {
    let pools: Vec<Pool> = pools.iter().copied().collect();
    pools.chunks(MOST_ROWS.div_ceil(FIRST_LAYERS) as usize).map(|pools| layers_of(pools, FIRST_LAYERS)).collect()
}

/// The oldest open layers of pools of quantities.
fn layers_of(pools: &[Pool], most: u32) -> Whole<LayerRow> {
    let columns = [LayerRow::legal_entity_id.name(), LayerRow::variant_id.name()];
    let open = all([LayerRow::spent.eq(false), LayerRow::unit_id.is_null()]);
    select(open).by(LayerRow::seq).each(&columns, pools.iter().map(pool_key), most).whole()
}

/// Open layers, those of quantities by pool and those of units by unit, as they stand and as draws leave them.
#[derive(Default)]
pub struct Layers {
    of: BTreeMap<Pool, Vec<LayerRow>>,
    of_units: BTreeMap<Id, LayerRow>,
    drawn: BTreeSet<Id>,
}

impl Layers {
    pub fn put(&mut self, rows: Vec<LayerRow>) {
        for row in rows {
            match row.unit_id {
                Some(unit) => drop(self.of_units.insert(unit, row)),
                None => self.of.entry((row.legal_entity_id, row.variant_id)).or_default().push(row),
            }
        }
    }

    pub fn draw(&mut self, outflow: &Outflow) -> Result<Vec<Slice>, Problem> {
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

    /// Reads every layer that a draw may touch, of the pools whose first ones are too few.
    pub fn read_deep(&mut self, outflows: &[Outflow]) -> Result<(), Problem> {
        let mut needed: BTreeMap<Pool, i128> = BTreeMap::new();
        for outflow in outflows.iter().filter(|outflow| outflow.unit.is_none()) {
            *needed.entry((outflow.place.entity, outflow.sku.variant)).or_default() += outflow.quantity.units();
        }
        let short: Vec<Pool> = needed
            .into_iter()
            .filter(|(pool, needed)| {
                self.of.get(pool).is_some_and(|layers| {
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
        let chunks: Vec<Whole<LayerRow>> = short.chunks(DEEP_POOLS).map(|pools| layers_of(pools, most)).collect();
        let pages = run(chunks)?;
        for pool in &short {
            self.of.remove(pool);
        }
        pages.into_iter().for_each(|page| self.put(page));
        Ok(())
    }

    pub fn into_changed(self) -> Vec<LayerRow> {
        let all = self.of.into_values().flatten().chain(self.of_units.into_values());
        all.filter(|layer| self.drawn.contains(&layer.id)).collect()
    }
}

/// The key of a pool, as the store finds it.
pub fn pool_key((entity, variant): &Pool) -> Row {
    vec![entity.put(), variant.put()]
}
