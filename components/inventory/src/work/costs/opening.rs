//! The beginning of books: goods without a cost get the stated one, and all that the entity has is valued in one currency.

use std::collections::BTreeMap;

use stoa_sdk::store::{MOST_ROWS, Rows, aggregate, insert, run, select, update_all};
use stoa_sdk::{Id, Instant, Problem, all, new_id, now, today, totals};
use stoa_trade::quantity::{self, Amount, Quantity, UnitCost};

use crate::records::cost::{CostEntryRow, CostKind, Destination, LayerRow};
use crate::work::costs::entry::new_entry;
use crate::work::costs::totals;

/// Goods for which a cost is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostedGoods {
    /// All of a variant that have none.
    Variant(Id),
    Unit(Id),
}

totals! { Worth of LayerRow by [] { value: Amount = sum(value) } }

/// Layers that are written at once: each may make two entries.
const STEP: usize = 1_000;

/// Answers what the entity's goods are worth.
///
/// # Errors
/// VALUATION_COST_REQUIRED where goods have no cost, or one in another currency; ACCOUNTING_AMOUNT_PRECISION where a value does
/// not fit.
pub fn open_books(entity: Id, currency: &str, stated: &BTreeMap<CostedGoods, UnitCost>) -> Result<Amount, Problem> {
    let now = now();
    let open = || [LayerRow::legal_entity_id.eq(entity), LayerRow::spent.eq(false)];
    let mut cursor = None;
    loop {
        // New layers come last, and need nothing: they are costed.
        let rows: Rows<LayerRow> = run(select(all(open())).after(cursor).limit(MOST_ROWS))?;
        cursor = rows.items.last().map(|layer| layer.id);
        rows.items.chunks(STEP).try_for_each(|layers| assign(layers, currency, stated, now))?;
        if !rows.more {
            break;
        }
    }
    Ok(run(aggregate::<Worth>(all(open())).one())?.value)
}

/// Costed layers in the place of those without.
fn assign(
    layers: &[LayerRow],
    currency: &str,
    stated: &BTreeMap<CostedGoods, UnitCost>,
    now: Instant,
) -> Result<(), Problem> {
    let (mut emptied, mut opened, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for layer in layers {
        let stated = || {
            let of_unit = layer.unit_id.and_then(|unit| stated.get(&CostedGoods::Unit(unit)));
            of_unit.or_else(|| stated.get(&CostedGoods::Variant(layer.variant_id))).copied()
        };
        let unit_cost = match (layer.unit_cost, layer.currency_code.as_deref()) {
            (Some(_), Some(layer_currency)) if layer_currency == currency => continue,
            (Some(_), Some(_)) => None,
            // An entity without books has no currency of its own: the amounts typed then are in the currency of its books now.
            (Some(cost), None) => Some(cost),
            (None, _) => stated(),
        };
        let Some(unit_cost) = unit_cost else { return Err(Problem::at("VALUATION_COST_REQUIRED", "/stated")) };
        let value = quantity::value(layer.remaining, unit_cost)
            .ok_or_else(|| Problem::at("ACCOUNTING_AMOUNT_PRECISION", "/stated"))?;
        let new = LayerRow {
            id: new_id(),
            created_at: now,
            updated_at: now,
            currency_code: Some(currency.to_owned()),
            unit_cost: Some(unit_cost),
            quantity: layer.remaining,
            value: Some(value),
            ..layer.clone()
        };
        entries.push(entry(layer, now, -1));
        entries.push(entry(&new, now, 1));
        opened.push(new);
        emptied.push(layer);
    }
    let (hold, ..) = run((
        totals::hold(entries.iter().map(|entry| entry.legal_entity_id)),
        update_all::<LayerRow>(emptied.iter().map(|layer| layer.id))
            .set_each(LayerRow::value, emptied.iter().map(|layer| layer.value.map(|_| Amount::ZERO)))
            .set(LayerRow::remaining, &Quantity::ZERO)
            .set(LayerRow::spent, &true),
        insert(&opened),
        insert(&entries),
    ))?;
    totals::follow(&hold.map(|(_, summed)| summed).unwrap_or_default(), &entries)?;
    Ok(())
}

/// The layer's goods leave it (-1) or enter it (1).
fn entry(layer: &LayerRow, now: Instant, sign: i128) -> CostEntryRow {
    CostEntryRow {
        destination: Some(Destination::OnHand),
        quantity: Quantity::from_units(sign * layer.remaining.units()),
        amount: layer.value.map(|value| Amount::from_units(sign * value.units())),
        ..new_entry(layer, CostKind::Assigned, now, today())
    }
}
