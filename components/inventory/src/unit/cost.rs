//! What units cost: each has a layer of its own while it is in custody and not damaged, drawn whole when it goes. Its unit row is
//! locked by whoever touches it.

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::store::{Insert, Select, Update, UpdateAnswering, insert, run, select, update_all, update_by};
use stoa_sdk::{Date, Field, Id, Instant, Problem, all, facts, map, new_ids};

use crate::cost::row::{CostEntryRow, CostKind, LayerRow, PoolRow};
use crate::terms::{Amount, Quantity};
use crate::unit::change::{Changed, ONE, Value};
use crate::unit::worth::Worth;

/// Layers and their ledger for the changes of a request.
#[derive(Default)]
pub struct UnitCosts {
    /// Units that open a layer, by the pool whose count they take.
    opening: BTreeMap<(Id, Id), Vec<usize>>,
    /// Units whose layer is drawn, and where in the request.
    drawn: BTreeMap<Id, usize>,
}

/// What a change moved in worth: none where it is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    pub kind: CostKind,
    pub amount: Option<Amount>,
    pub currency_code: Option<String>,
}

impl UnitCosts {
    pub fn of(changes: &[Changed]) -> UnitCosts {
        let mut costs = UnitCosts::default();
        for (at, change) in changes.iter().enumerate() {
            match &change.value {
                Value::Same => {}
                Value::Opens { .. } => {
                    let pool = (change.after.legal_entity_id, change.after.variant_id);
                    costs.opening.entry(pool).or_default().push(at);
                }
                Value::Draws { .. } => {
                    costs.drawn.insert(change.after.id, at);
                }
            }
        }
        costs
    }

    /// Pools that may not be there yet.
    pub fn missing_pools(&self) -> Vec<PoolRow> {
        let ids = new_ids(u32::try_from(self.opening.len()).unwrap_or(u32::MAX));
        let now = Instant(facts().now);
        let row = |((entity, variant), id): (&(Id, Id), Id)| PoolRow {
            id,
            created_at: now,
            updated_at: now,
            legal_entity_id: *entity,
            variant_id: *variant,
            next_seq: 1,
        };
        self.opening.keys().zip(ids).map(row).collect()
    }

    /// Three calls: pools that were missing, the counts that this request takes, the layers that it draws.
    #[allow(clippy::type_complexity, reason = "a batch is told by its parts")]
    pub fn calls(&self, pools: &[PoolRow]) -> (Insert, UpdateAnswering<PoolRow>, Option<Select<LayerRow>>) {
        let keys = self.opening.keys().map(|(entity, variant)| vec![entity.put(), variant.put()]);
        let taken = self.opening.values().map(|units| i64::try_from(units.len()).unwrap_or(i64::MAX));
        let taken = update_by::<PoolRow>("pool", keys).add_each(PoolRow::next_seq, taken).answer();
        let of_units = LayerRow::unit_id.one_of(self.drawn.keys().copied());
        let drawn = (!self.drawn.is_empty()).then(|| select::<LayerRow>(all([of_units, LayerRow::spent.eq(false)])));
        (insert(pools).unless_taken(), taken, drawn)
    }

    /// The rows to write, and what each change moved in worth.
    pub fn rows(&self, changes: &[Changed], pools: &[PoolRow], layers: &[LayerRow]) -> CostRows {
        let facts = facts();
        let now = Instant(facts.now);
        let Ok(today) = facts.today.parse::<Date>() else { fault("the host's day is none") };
        let count: usize = self.opening.values().map(Vec::len).sum::<usize>() * 2 + layers.len();
        let mut ids = new_ids(u32::try_from(count).unwrap_or(u32::MAX)).into_iter();
        let mut rows = CostRows { moved: vec![None; changes.len()], ..CostRows::default() };
        let next = map(pools.iter().map(|pool| ((pool.legal_entity_id, pool.variant_id), pool.next_seq)));
        for (pool, units) in &self.opening {
            let taken = i64::try_from(units.len()).unwrap_or(i64::MAX);
            let first = next.get(pool).copied().unwrap_or(1) - taken;
            for (seq, at) in (first..).zip(units) {
                let (Some(change), Some(layer), Some(entry)) = (changes.get(*at), ids.next(), ids.next()) else { continue };
                let Value::Opens { kind, worth } = &change.value else { continue };
                // One piece is worth what it costs.
                let amount = worth.unit_cost;
                let mut row = entry_row(entry, now, today, change, *kind);
                row.layer_id = Some(layer);
                row.unit_cost = worth.unit_cost;
                row.amount = amount;
                row.currency_code.clone_from(&worth.currency_code);
                rows.layers.push(layer_row(layer, now, change, seq, worth, amount));
                rows.told(*at, &row);
                rows.entries.push(row);
            }
        }
        for layer in layers {
            let at = layer.unit_id.and_then(|unit| self.drawn.get(&unit));
            let Some((at, change)) = at.and_then(|at| Some((*at, changes.get(*at)?))) else { continue };
            let (Value::Draws { kind }, Some(id)) = (&change.value, ids.next()) else { continue };
            let mut row = entry_row(id, now, today, change, *kind);
            row.layer_id = Some(layer.id);
            row.quantity = Quantity::from_units(-layer.remaining.units());
            row.unit_cost = layer.unit_cost;
            row.amount = layer.value.map(|value| Amount::from_units(-value.units()));
            row.currency_code.clone_from(&layer.currency_code);
            row.receipt_item_id = layer.receipt_item_id;
            rows.told(at, &row);
            rows.entries.push(row);
            rows.drawn.push((layer.id, layer.value.map(|_| Amount::ZERO)));
        }
        rows
    }
}

/// What a request writes of costs.
#[derive(Default)]
pub struct CostRows {
    layers: Vec<LayerRow>,
    entries: Vec<CostEntryRow>,
    drawn: Vec<(Id, Option<Amount>)>,
    /// For each change, in their order.
    pub moved: Vec<Option<Moved>>,
}

impl CostRows {
    fn told(&mut self, at: usize, entry: &CostEntryRow) {
        let amount = entry.amount.map(|amount| Amount::from_units(amount.units().abs()));
        let moved = Moved { kind: entry.kind, amount, currency_code: entry.currency_code.clone() };
        if let Some(slot) = self.moved.get_mut(at) {
            *slot = Some(moved);
        }
    }

    /// Three calls: new layers, drawn ones, the ledger.
    pub fn calls(&self) -> (Insert, Update<LayerRow>, Insert) {
        let drawn = update_all::<LayerRow>(self.drawn.iter().map(|(id, _)| *id))
            .set_each(LayerRow::value, self.drawn.iter().map(|(_, value)| *value))
            .set(LayerRow::remaining, &Quantity::ZERO)
            .set(LayerRow::spent, &true);
        (insert(&self.layers), drawn, insert(&self.entries))
    }
}

fn layer_row(id: Id, now: Instant, change: &Changed, seq: i64, worth: &Worth, value: Option<Amount>) -> LayerRow {
    LayerRow {
        id,
        created_at: now,
        updated_at: now,
        legal_entity_id: change.after.legal_entity_id,
        variant_id: change.after.variant_id,
        product_id: change.after.product_id,
        unit_id: Some(change.after.id),
        seq,
        currency_code: worth.currency_code.clone(),
        unit_cost: worth.unit_cost,
        quantity: ONE,
        remaining: ONE,
        value,
        spent: false,
        receipt_item_id: receipt_item(change),
        movement_id: change.movement.as_ref().map(|movement| movement.id),
    }
}

/// Of goods that came by a receipt, and of those that a customer brings back.
fn receipt_item(change: &Changed) -> Option<Id> {
    match &change.value {
        Value::Opens { kind: CostKind::Received | CostKind::Back, .. } => change.after.receipt_item_id,
        _ => None,
    }
}

fn entry_row(id: Id, now: Instant, today: Date, change: &Changed, kind: CostKind) -> CostEntryRow {
    let movement = change.movement.as_ref();
    CostEntryRow {
        id,
        created_at: now,
        updated_at: now,
        legal_entity_id: change.after.legal_entity_id,
        variant_id: change.before.as_ref().filter(|_| kind_is_out(kind)).unwrap_or(&change.after).variant_id,
        product_id: change.after.product_id,
        warehouse_id: movement.and_then(|movement| movement.from_warehouse_id.or(movement.to_warehouse_id)),
        layer_id: None,
        unit_id: Some(change.after.id),
        movement_id: movement.map(|movement| movement.id),
        source_entry_id: None,
        kind,
        destination: None,
        quantity: ONE,
        unit_cost_before: None,
        unit_cost: None,
        amount: None,
        currency_code: None,
        entry_date: today,
        document_type: movement.and_then(|movement| movement.document_type),
        document_id: movement.and_then(|movement| movement.document_id),
        receipt_item_id: receipt_item(change),
    }
}

fn kind_is_out(kind: CostKind) -> bool {
    !matches!(kind, CostKind::Received | CostKind::AdjustedIn | CostKind::Back)
}

/// What these units were worth last, whether they still are or not.
///
/// # Errors
/// The store's.
pub fn last(units: &[Id]) -> Result<BTreeMap<Id, Worth>, Problem> {
    let layers = run(select::<LayerRow>(LayerRow::unit_id.one_of(units.iter().copied())))?;
    // By id, and so by age: the last of a unit stays.
    Ok(map(layers.items.into_iter().filter_map(|layer| {
        let worth = Worth { unit_cost: layer.unit_cost, currency_code: layer.currency_code };
        Some((layer.unit_id?, worth))
    })))
}
