//! Costs against goods: I8 and I9 by pool, layers one by one, I16 by receipt's line, and I10 against the books.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read, select};
use stoa_sdk::{Filter, Id, all, map, set, totals};
use stoa_trade::clients::books;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{self, Amount, Quantity};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cost::{CostEntryRow, CostKind, EntryOfGoods, LayerRow, PoolRow};
use crate::records::stock::StockRow;
use crate::rules::fragments::{self, GoneGoods};
use crate::work::costs::totals::counts_on_hand;
use crate::work::costs::valuation::{EntryWorth, LayerWorth, value_by_currency};

/// Pools of a batch.
const POOLS: u32 = 40;

/// Layers and receipt entries of a batch.
const LAYERS: u32 = 200;
const ITEMS: u32 = 20;

totals! {
    /// Quantities of a pool that are worth something: a DAMAGED unit is not, and has no layer.
    Custody of StockRow by [legal_entity_id: Id, variant_id: Id] {
        on_hand: Quantity = sum(on_hand),
        quarantined: Quantity = sum(quarantined),
        in_transit: Quantity = sum(in_transit),
        returned: Quantity = sum(returned),
    }
}

impl Custody {
    fn total(&self) -> i128 {
        [self.on_hand, self.quarantined, self.in_transit, self.returned].map(Quantity::units).iter().sum()
    }
}

pub fn pools(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<PoolRow>(Filter::default(), after, POOLS) else { return NOTHING_LEFT };
    let variants = || set(page.rows.iter().map(|row| row.variant_id));
    let entities = || set(page.rows.iter().map(|row| row.legal_entity_id));
    let stock = [StockRow::variant_id.one_of(variants()), StockRow::legal_entity_id.one_of(entities())];
    let layers = [LayerRow::variant_id.one_of(variants()), LayerRow::legal_entity_id.one_of(entities())];
    let entries = [
        CostEntryRow::variant_id.one_of(variants()),
        CostEntryRow::legal_entity_id.one_of(entities()),
        counts_on_hand(),
    ];
    let (stock, layers, entries) = read((
        aggregate::<Custody>(all(stock)).without_zeros().whole(),
        aggregate::<LayerWorth>(all(layers)).without_zeros().whole(),
        aggregate::<EntryWorth>(all(entries)).without_zeros().whole(),
    ));
    let stock = map(stock.into_iter().map(|sum| ((sum.legal_entity_id, sum.variant_id), sum.total())));
    let layers = by_currency(
        layers.into_iter().map(|sum| (sum.legal_entity_id, sum.variant_id, sum.currency_code, sum.quantity, sum.value)),
    );
    let entries = by_currency(
        entries
            .into_iter()
            .map(|sum| (sum.legal_entity_id, sum.variant_id, sum.currency_code, sum.quantity, sum.value)),
    );
    let none = BTreeMap::new();
    let mut findings = Vec::new();
    for pool in &page.rows {
        let key = (pool.legal_entity_id, pool.variant_id);
        let (layers, entries) = (layers.get(&key).unwrap_or(&none), entries.get(&key).unwrap_or(&none));
        let layered: i128 = layers.values().map(|(quantity, _)| *quantity).sum();
        if layered != stock.get(&key).copied().unwrap_or_default() {
            findings.push(finding("I8", pool.id, "The open layers differ from the goods on hand."));
        }
        if layers != entries {
            findings.push(finding(
                "I9",
                pool.id,
                "The value of the layers differs from the sum of the ledger of costs.",
            ));
        }
    }
    (findings, page.last)
}

type ByCurrency = BTreeMap<Option<String>, (i128, i128)>;

/// Quantity and value by pool and currency, zeros left out.
fn by_currency(
    sums: impl Iterator<Item = (Id, Id, Option<String>, Quantity, Amount)>,
) -> BTreeMap<(Id, Id), ByCurrency> {
    let mut pools: BTreeMap<(Id, Id), ByCurrency> = BTreeMap::new();
    for (entity, variant, currency, quantity, value) in sums {
        let figures = (quantity.units(), value.units());
        if figures != (0, 0) {
            pools.entry((entity, variant)).or_default().insert(currency, figures);
        }
    }
    pools
}

pub fn layers(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<LayerRow>(Filter::default(), after, LAYERS) else { return NOTHING_LEFT };
    let variants = set(page.rows.iter().map(|row| row.variant_id));
    let pools = read_every(&PoolRow::variant_id.one_of(variants), |pool: &PoolRow| pool.id);
    let next = map(pools.into_iter().map(|pool| ((pool.legal_entity_id, pool.variant_id), pool.next_seq)));
    let mut findings = Vec::new();
    for layer in &page.rows {
        let value = layer.unit_cost.map(|cost| quantity::value(layer.remaining, cost));
        if value.flatten() != layer.value {
            findings.push(finding(
                "I9",
                layer.id,
                "The layer's value differs from its remaining quantity at its cost.",
            ));
        }
        if layer.spent != (layer.remaining == Quantity::ZERO) || layer.remaining > layer.quantity {
            findings.push(finding("I8", layer.id, "The layer is not as spent as it says."));
        }
        if next.get(&(layer.legal_entity_id, layer.variant_id)).is_none_or(|next| layer.seq >= *next) {
            findings.push(finding("I8", layer.id, "The layer has no place in its pool."));
        }
    }
    (findings, page.last)
}

/// Entries by which goods of receipts came, each with all fragments of its line.
pub fn items(after: Option<Id>) -> Batch {
    let received = all([CostEntryRow::kind.eq(CostKind::Received), CostEntryRow::receipt_item_id.not_null()]);
    let Some(page) = read_batch::<CostEntryRow>(received, after, ITEMS) else { return NOTHING_LEFT };
    let items = set(page.rows.iter().filter_map(|entry| entry.receipt_item_id));
    let mut findings = Vec::new();
    for item in items {
        let open = all([LayerRow::receipt_item_id.eq(item), LayerRow::spent.eq(false)]);
        let layers = read_every(&open, |layer: &LayerRow| layer.id);
        let entries = read_every(&CostEntryRow::receipt_item_id.eq(item), |entry: &EntryOfGoods| entry.id);
        let mut gone = GoneGoods::default();
        entries.iter().for_each(|entry| gone.add(entry.clone()));
        let mut goods = gone.into_fragments();
        goods.extend(layers.into_iter().filter_map(fragments::layer_fragment));
        let came = entries.iter().filter(|entry| entry.kind == CostKind::Received);
        let quantity: i128 = came.map(|entry| entry.quantity.units()).sum();
        if goods.iter().map(|part| part.quantity.units()).sum::<i128>() != quantity {
            findings.push(finding("I16", item, "The line's fragments differ from the received quantity."));
        }
        let changed = entries.iter().filter(|entry| {
            matches!(entry.kind, CostKind::Received | CostKind::Charge | CostKind::Correction | CostKind::Assigned)
        });
        let cost: Option<i128> = changed.map(|entry| entry.amount.map(Amount::units)).sum();
        let parts = goods.iter().map(|part| quantity::value(part.quantity, part.unit_cost?).map(Amount::units));
        if cost.is_some() && parts.sum::<Option<i128>>() != cost {
            let message = "The line's fragments do not cost what was paid, charged and credited.";
            findings.push(finding("I16", item, message));
        }
    }
    (findings, page.last)
}

/// The account of INVENTORY against what the entity's goods are worth; one entity a batch.
pub fn entities(after: Option<Id>) -> Batch {
    let beyond = after.map(|entity| PoolRow::legal_entity_id.gt(entity)).unwrap_or_default();
    let next = read(select::<PoolRow>(beyond).by(PoolRow::legal_entity_id).first());
    let Some(entity) = next.map(|pool| pool.legal_entity_id) else { return (Vec::new(), None) };
    let mut findings = Vec::new();
    // None: no books, or no account for the role.
    let balances = books::balances(entity, &["INVENTORY"]);
    if let (Some(balance), Ok(worth)) = (balances.get("INVENTORY"), value_by_currency(entity, None, None)) {
        let worth: i128 = worth.iter().map(|value| value.value.units()).sum();
        if balance.units() != worth {
            findings.push(finding(
                "I10",
                entity,
                "The value of the goods in the books differs from that of their layers.",
            ));
        }
    }
    (findings, Some(entity))
}
