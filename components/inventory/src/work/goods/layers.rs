//! Open layers: which are read, and how outflows draw them.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::host::fault;
use stoa_sdk::store::{Limited, MOST_ROWS, Row, Whole, run, select};
use stoa_sdk::{Field, Filter, Id, Problem, all};

use crate::records::cost::LayerRow;
use crate::rules::draw::{self, MOST_LAYERS, Short, Slice};
use crate::work::goods::collect::{Outflow, Pool};

/// Open layers of a pool that are read at once; few draws need more.
const FIRST_LAYERS: u32 = 8;

/// Layers that are read of a pool at once where these are too few.
const PAGE: u32 = 500;

/// Pools that are read so at once: their layers stay within one reply.
const DEEP_POOLS: usize = 8;

/// The first open layers of pools of quantities, in as few calls as there can be.
pub fn first_layers(pools: &BTreeSet<Pool>) -> Vec<Whole<LayerRow>> {
    let pools: Vec<Pool> = pools.iter().copied().collect();
    let columns = [LayerRow::legal_entity_id.name(), LayerRow::variant_id.name()];
    let first = |pools: &[Pool]| {
        let keys = pools.iter().map(pool_key);
        select(open_quantities()).by(LayerRow::seq).each(&columns, keys, FIRST_LAYERS).whole()
    };
    pools.chunks((MOST_ROWS / FIRST_LAYERS) as usize).map(first).collect()
}

fn open_quantities() -> Filter {
    all([LayerRow::spent.eq(false), LayerRow::unit_id.is_null()])
}

/// Open layers, those of quantities by pool and those of units by unit, as they are and as draws leave them.
#[derive(Default)]
pub struct Layers {
    of_pools: BTreeMap<Pool, Vec<LayerRow>>,
    of_units: BTreeMap<Id, LayerRow>,
    drawn: BTreeSet<Id>,
}

impl Layers {
    pub fn put(&mut self, rows: Vec<LayerRow>) {
        for row in rows {
            match row.unit_id {
                Some(unit) => drop(self.of_units.insert(unit, row)),
                None => self.of_pools.entry((row.legal_entity_id, row.variant_id)).or_default().push(row),
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
                let layers = self.of_pools.entry(outflow.pool()).or_default();
                draw::draw(layers, outflow.quantity)
            }
        };
        let slices = slices.map_err(|short| match short {
            Short::TooMany => Problem::limit_exceeded("", draw::MOST_LAYERS, "LAYERS"),
            Short::Inexact => Problem::new("ACCOUNTING_AMOUNT_PRECISION"),
            Short::Layers => fault("layers hold less than stock"),
        })?;
        self.drawn.extend(slices.iter().map(|slice| slice.layer));
        Ok(slices)
    }

    /// Reads on from pools whose first layers are too few, until they hold what is drawn: of each as many layers as its draws may
    /// touch, and one more by which a draw that needs too many is known.
    pub fn read_deep(&mut self, outflows: &[Outflow]) -> Result<(), Problem> {
        let mut needed: BTreeMap<Pool, (i128, usize)> = BTreeMap::new();
        for outflow in outflows.iter().filter(|outflow| outflow.unit.is_none()) {
            let (quantity, draws) = needed.entry(outflow.pool()).or_default();
            *quantity += outflow.quantity.units();
            *draws += 1;
        }
        let mut unread: Vec<Pool> =
            needed.keys().copied().filter(|pool| self.list_known(pool).len() >= FIRST_LAYERS as usize).collect();
        loop {
            unread.retain(|pool| {
                let (quantity, draws) = needed.get(pool).copied().unwrap_or_default();
                let layers = self.list_known(pool);
                let held: i128 = layers.iter().map(|layer| layer.remaining.units()).sum();
                held < quantity && layers.len() <= draws * MOST_LAYERS
            });
            if unread.is_empty() {
                return Ok(());
            }
            let mut next = Vec::new();
            for pools in unread.chunks(DEEP_POOLS) {
                let pages = run(pools.iter().map(|pool| self.layers_after(pool)).collect::<Vec<_>>())?;
                next.extend(pools.iter().zip(&pages).filter(|(_, page)| page.more).map(|(pool, _)| *pool));
                pages.into_iter().for_each(|page| self.put(page.items));
            }
            unread = next;
        }
    }

    fn list_known(&self, pool: &Pool) -> &[LayerRow] {
        self.of_pools.get(pool).map_or(&[], Vec::as_slice)
    }

    /// The next open layers of a pool.
    fn layers_after(&self, pool: &Pool) -> Limited<LayerRow> {
        let (entity, variant) = *pool;
        let last = self.list_known(pool).last().map(|layer| vec![layer.seq.put(), layer.id.put()]);
        let of_pool = [LayerRow::legal_entity_id.eq(entity), LayerRow::variant_id.eq(variant), open_quantities()];
        select(all(of_pool)).by(LayerRow::seq).after_row(last).limit(PAGE)
    }

    pub fn into_changed(self) -> Vec<LayerRow> {
        let all = self.of_pools.into_values().flatten().chain(self.of_units.into_values());
        all.filter(|layer| self.drawn.contains(&layer.id)).collect()
    }
}

/// The key of a pool, as the store finds it.
pub fn pool_key((entity, variant): &Pool) -> Row {
    vec![entity.put(), variant.put()]
}
