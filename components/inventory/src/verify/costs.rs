//! Costs against goods: I8 and I9 by pool, layers one by one, I16 by receipt's line, and I10 against the books.

use std::collections::BTreeMap;

use stoa_sdk::store::{Row, aggregate, read, select};
use stoa_sdk::{Field, Filter, Id, all, map, set};

use crate::records::cost::{CostEntryRow, CostKind, LayerRow, PoolRow};
use crate::records::quantity::{Amount, Quantity};
use crate::records::stock::StockRow;
use crate::rules::sum::sum;
use crate::rules::{exact, fragments};
use crate::verify::finding::{Batch, finding};
use crate::work::clients::books;
use crate::work::costs::valuation::{counts_on_hand, value_by_currency};

/// Pools of a batch.
const POOLS: u32 = 40;

/// Layers and receipt entries of a batch.
const LAYERS: u32 = 200;
const ITEMS: u32 = 20;

pub fn pools(after: Option<Id>) -> Batch {
    let page = read(select::<PoolRow>(Filter::default()).after(after).limit(POOLS));
    let last = page.items.last().map(|row| row.id).filter(|_| page.more);
    if page.items.is_empty() {
        return (Vec::new(), None);
    }
    let variants = || set(page.items.iter().map(|row| row.variant_id));
    let every = Filter::default;
    // A DAMAGED unit is worth nothing and has no layer.
    let stock = aggregate::<StockRow>(StockRow::variant_id.one_of(variants()))
        .by(StockRow::legal_entity_id)
        .by(StockRow::variant_id)
        .sum(StockRow::on_hand, every())
        .sum(StockRow::quarantined, every())
        .sum(StockRow::in_transit, every())
        .sum(StockRow::returned, every());
    let layers = aggregate::<LayerRow>(LayerRow::variant_id.one_of(variants()))
        .by(LayerRow::legal_entity_id)
        .by(LayerRow::variant_id)
        .by(LayerRow::currency_code)
        .sum(LayerRow::remaining, every())
        .sum(LayerRow::value, every());
    let entries = aggregate::<CostEntryRow>(all([CostEntryRow::variant_id.one_of(variants()), counts_on_hand()]))
        .by(CostEntryRow::legal_entity_id)
        .by(CostEntryRow::variant_id)
        .by(CostEntryRow::currency_code)
        .sum(CostEntryRow::quantity, every())
        .sum(CostEntryRow::amount, every());
    let (stock, layers, entries) = read((stock.without_zeros(), layers.without_zeros(), entries.without_zeros()));
    let stock = map(stock.into_iter().filter_map(custody));
    let (layers, entries) = (by_currency(layers), by_currency(entries));
    let none = BTreeMap::new();
    let mut findings = Vec::new();
    for pool in &page.items {
        let key = (pool.legal_entity_id, pool.variant_id);
        let (layers, entries) = (layers.get(&key).unwrap_or(&none), entries.get(&key).unwrap_or(&none));
        let layered: i128 = layers.values().map(|(quantity, _)| *quantity).sum();
        if layered != stock.get(&key).copied().unwrap_or_default() {
            findings.push(finding("I8", pool.id, "Open layers are not the goods that there are."));
        }
        if layers != entries {
            findings.push(finding("I9", pool.id, "Layers are not worth what the ledger of costs adds up to."));
        }
    }
    (findings, last)
}

fn custody(row: Row) -> Option<((Id, Id), i128)> {
    let mut values = row.into_iter();
    let key = (Id::take(values.next()?)?, Id::take(values.next()?)?);
    Some((key, values.map(|value| sum::<6>(Some(value)).units()).sum()))
}

type ByCurrency = BTreeMap<Option<String>, (i128, i128)>;

/// Quantity and value by pool and currency, zeros left out.
fn by_currency(rows: Vec<Row>) -> BTreeMap<(Id, Id), ByCurrency> {
    let mut sums: BTreeMap<(Id, Id), ByCurrency> = BTreeMap::new();
    for row in rows {
        let mut values = row.into_iter();
        let mut id = || values.next().and_then(Id::take);
        let (Some(entity), Some(variant)) = (id(), id()) else { continue };
        let currency = values.next().and_then(<Option<String> as Field>::take).flatten();
        let figures = (sum::<6>(values.next()).units(), sum::<12>(values.next()).units());
        if figures != (0, 0) {
            sums.entry((entity, variant)).or_default().insert(currency, figures);
        }
    }
    sums
}

pub fn layers(after: Option<Id>) -> Batch {
    let page = read(select::<LayerRow>(Filter::default()).after(after).limit(LAYERS));
    let last = page.items.last().map(|row| row.id).filter(|_| page.more);
    let variants = set(page.items.iter().map(|row| row.variant_id));
    if variants.is_empty() {
        return (Vec::new(), None);
    }
    let pools = read(select::<PoolRow>(PoolRow::variant_id.one_of(variants)));
    let next = map(pools.items.into_iter().map(|pool| ((pool.legal_entity_id, pool.variant_id), pool.next_seq)));
    let mut findings = Vec::new();
    for layer in &page.items {
        let value = layer.unit_cost.map(|cost| exact::value(layer.remaining, cost));
        if value.flatten() != layer.value {
            findings.push(finding("I9", layer.id, "The layer's value is not what remains at its cost."));
        }
        if layer.spent != (layer.remaining == Quantity::ZERO) || layer.remaining > layer.quantity {
            findings.push(finding("I8", layer.id, "The layer is not as spent as it says."));
        }
        if next.get(&(layer.legal_entity_id, layer.variant_id)).is_none_or(|next| layer.seq >= *next) {
            findings.push(finding("I8", layer.id, "The layer has no place in its pool."));
        }
    }
    (findings, last)
}

/// Entries by which goods of receipts came, each with all fragments of its line.
pub fn items(after: Option<Id>) -> Batch {
    let received = all([CostEntryRow::kind.eq(CostKind::Received), CostEntryRow::receipt_item_id.not_null()]);
    let page = read(select::<CostEntryRow>(received).after(after).limit(ITEMS));
    let last = page.items.last().map(|row| row.id).filter(|_| page.more);
    let items = set(page.items.iter().filter_map(|entry| entry.receipt_item_id));
    let mut findings = Vec::new();
    for item in items {
        let layers = all([LayerRow::receipt_item_id.eq(item), LayerRow::spent.eq(false)]);
        let (layers, entries) =
            read((select::<LayerRow>(layers), select::<CostEntryRow>(CostEntryRow::receipt_item_id.eq(item))));
        if layers.more || entries.more {
            continue;
        }
        let mut goods = fragments::gone_fragments(&entries.items);
        goods.extend(fragments::layer_fragments(&layers.items));
        let came = entries.items.iter().filter(|entry| entry.kind == CostKind::Received);
        let quantity: i128 = came.clone().map(|entry| entry.quantity.units()).sum();
        if goods.iter().map(|part| part.quantity.units()).sum::<i128>() != quantity {
            findings.push(finding("I16", item, "The line's fragments are not what was received."));
        }
        let changed = entries.items.iter().filter(|entry| {
            matches!(entry.kind, CostKind::Received | CostKind::Charge | CostKind::Correction | CostKind::Assigned)
        });
        let cost: Option<i128> = changed.map(|entry| entry.amount.map(Amount::units)).sum();
        let parts = goods.iter().map(|part| exact::value(part.quantity, part.unit_cost?).map(Amount::units));
        if cost.is_some() && parts.sum::<Option<i128>>() != cost {
            findings.push(finding(
                "I16",
                item,
                "The line's fragments do not cost what was paid, charged and credited.",
            ));
        }
    }
    (findings, last)
}

/// The account of INVENTORY against what the entity's goods are worth; one entity a batch.
pub fn entities(after: Option<Id>) -> Batch {
    let beyond = after.map(|entity| PoolRow::legal_entity_id.gt(entity)).unwrap_or_default();
    let next = read(select::<PoolRow>(beyond).by(PoolRow::legal_entity_id).limit(1));
    let Some(entity) = next.items.first().map(|pool| pool.legal_entity_id) else { return (Vec::new(), None) };
    let mut findings = Vec::new();
    // None: no books, or no account for the role.
    if let (Some(balance), Ok(worth)) = (books::inventory_balance(entity), value_by_currency(entity, None, None)) {
        let worth: i128 = worth.iter().map(|value| value.value.units()).sum();
        if balance.units() != worth {
            findings.push(finding("I10", entity, "The books value the goods otherwise than their layers do."));
        }
    }
    (findings, Some(entity))
}
