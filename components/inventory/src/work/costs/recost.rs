//! Corrections and charges: an amount is dealt over the goods of a receipt's line, wherever they are now. Layers on hand are
//! emptied and opened anew at the new cost; what is gone gets rows of its own. Nothing in a ledger changes.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{find, insert, run, select, update_all};
use stoa_sdk::{Field, Id, Instant, Problem, all, map, new_id, now, set, today};
use stoa_trade::clients::{articles, books};
use stoa_trade::quantity::{self, Amount, Quantity, Tracking};
use stoa_trade::refusal::unusable;

use crate::records::cost::{CostEntryRow, CostKind, Destination, LayerRow, PoolRow};
use crate::rules::fragments::{self, Fragment, Where};
use crate::rules::recost::{Dealt, Undealt, Way, deal_over};
use crate::work::costs::entry::new_entry;

/// An amount for the goods of a receipt's line, or for one unit of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub receipt_item: Id,
    pub unit: Option<Id>,
    pub amount: Quantity,
}

/// What became of a line's amount, by destination.
pub type Parts = Vec<(Destination, Amount)>;

/// Deals the amounts; the parts of each line add up to its amount.
///
/// # Errors
/// REFERENCE_INVALID at a line whose goods were never received, or that stands twice; LIMIT_EXCEEDED with EXCEEDS_COST where a
/// correction is more than the goods cost; ACCOUNTING_AMOUNT_PRECISION where a cost has no exact share.
pub fn recost(way: Way, document: Id, lines: &[Line]) -> Result<Vec<Parts>, Problem> {
    let received = read_receipts(lines)?;
    let articles = articles::get(received.values().map(|entry| entry.variant_id));
    let entities = set(received.values().map(|entry| entry.legal_entity_id));
    let mut grains = BTreeMap::new();
    for entity in entities {
        // With books amounts are dealt in millionths, without them as finely as costs are kept.
        grains.insert(entity, if books::admit(entity)?.is_some() { 1_000_000 } else { 1 });
    }
    let items = set(lines.iter().map(|line| line.receipt_item));
    let (layers, entries) = read_history(&items, &received)?;

    let mut written = Recosting::new(way, document);
    let mut all_parts = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/receiptItemId");
        let missing = || unusable(&pointer, "NOT_RECEIVED");
        let entry = received.get(&line.receipt_item).ok_or_else(missing)?;
        let article = articles::require(&articles, entry.variant_id, &pointer)?;
        let places =
            if articles::tracking(article) == Tracking::Serialized { 0 } else { u32::from(article.decimal_places) };
        let of_line = |item: Option<Id>, unit: Option<Id>| {
            item == Some(line.receipt_item) && (line.unit.is_none() || unit == line.unit)
        };
        let own_layers: Vec<LayerRow> =
            layers.iter().filter(|layer| of_line(layer.receipt_item_id, layer.unit_id)).cloned().collect();
        let own_entries: Vec<CostEntryRow> =
            entries.iter().filter(|entry| of_line(entry.receipt_item_id, entry.unit_id)).cloned().collect();
        let mut goods = fragments::gone_fragments(&own_entries);
        goods.extend(fragments::layer_fragments(&own_layers));
        if goods.is_empty() {
            return Err(missing());
        }
        fragments::sort_for_dealing(&mut goods);
        let grain = grains.get(&entry.legal_entity_id).copied().unwrap_or(1);
        all_parts.push(written.deal(line, &goods, places, grain).map_err(|refused| refused.at(nth))?);
    }
    written.write()?;
    Ok(all_parts)
}

/// The entries by which the lines' goods came in.
fn read_receipts(lines: &[Line]) -> Result<BTreeMap<Id, CostEntryRow>, Problem> {
    let mut seen = BTreeSet::new();
    for (nth, line) in lines.iter().enumerate() {
        // A line for all of an item's goods and one for a unit of it would deal over each other.
        let whole = seen.contains(&(line.receipt_item, None));
        let part = line.unit.is_none() && seen.iter().any(|(item, _)| *item == line.receipt_item);
        if whole || part || !seen.insert((line.receipt_item, line.unit)) {
            return Err(unusable(format!("/lines/{nth}/receiptItemId"), "REPEATED"));
        }
    }
    let items = set(lines.iter().map(|line| line.receipt_item));
    let came = [CostEntryRow::receipt_item_id.one_of(items), CostEntryRow::kind.eq(CostKind::Received)];
    let rows = run(select::<CostEntryRow>(all(came)).whole())?;
    Ok(map(rows.into_iter().filter_map(|entry| Some((entry.receipt_item_id?, entry)))))
}

/// Open layers and the whole ledger of the items, under the locks of their pools.
fn read_history(
    items: &BTreeSet<Id>,
    received: &BTreeMap<Id, CostEntryRow>,
) -> Result<(Vec<LayerRow>, Vec<CostEntryRow>), Problem> {
    if items.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let pools = set(received.values().map(|entry| (entry.legal_entity_id, entry.variant_id)));
    let keys = pools.iter().map(|(entity, variant)| vec![entity.put(), variant.put()]);
    let of_items = || items.iter().copied();
    let open = [LayerRow::receipt_item_id.one_of(of_items()), LayerRow::spent.eq(false)];
    let (_, layers, entries) = run((
        (!pools.is_empty()).then(|| find::<PoolRow>("pool", keys).locked()),
        select(all(open)).whole(),
        select(CostEntryRow::receipt_item_id.one_of(of_items())).whole(),
    ))?;
    Ok((layers, entries))
}

/// What a recosting writes.
struct Recosting {
    way: Way,
    document: Id,
    now: Instant,
    emptied: Vec<LayerRow>,
    opened: Vec<LayerRow>,
    entries: Vec<CostEntryRow>,
}

impl Recosting {
    fn new(way: Way, document: Id) -> Recosting {
        let now = now();
        Recosting { way, document, now, emptied: Vec::new(), opened: Vec::new(), entries: Vec::new() }
    }

    fn deal(&mut self, line: &Line, goods: &[Fragment], places: u32, grain: i128) -> Result<Parts, Undealt> {
        let dealt = deal_over(self.way, goods, line.amount, places, grain)?;
        let mut parts: BTreeMap<&'static str, (Destination, i128)> = BTreeMap::new();
        // Written oldest first, so that new layers keep the order in which the old ones would have left; one whose cost stays
        // is opened anew too after a part of its own layer that was, or it would leave before that.
        let mut reopened = None;
        let mut order: Vec<(usize, &Fragment)> = goods.iter().enumerate().collect();
        order.sort_by_key(|(_, fragment)| fragments::age(fragment));
        for (nth, fragment) in order {
            let own: Vec<&Dealt> =
                dealt.iter().filter(|part| part.fragment == nth && part.amount != Amount::ZERO).collect();
            let follows = matches!(&fragment.at, Where::Layer(layer) if reopened == Some(layer.seq));
            if own.is_empty() && !follows {
                continue;
            }
            let to = match &fragment.at {
                Where::Layer(layer) => {
                    reopened = Some(layer.seq);
                    self.reopen(layer, &dealt, nth)?;
                    Destination::OnHand
                }
                Where::Gone(entry, to) => {
                    own.iter().for_each(|part| self.recost_gone(entry, *to, fragment, part));
                    *to
                }
            };
            let sum = own.iter().try_fold(0_i128, |sum, part| sum.checked_add(part.amount.units()));
            let part = parts.entry(to.as_str()).or_insert((to, 0));
            part.1 = sum.and_then(|sum| part.1.checked_add(sum)).ok_or(Undealt::OutOfRange)?;
        }
        Ok(parts.into_values().map(|(to, amount)| (to, Amount::from_units(amount))).collect())
    }

    /// Empties a layer and opens its parts at their new costs, in its place.
    fn reopen(&mut self, layer: &LayerRow, dealt: &[Dealt], nth: usize) -> Result<(), Undealt> {
        let value = layer.value.map(Amount::units).unwrap_or_default();
        self.entries.push(CostEntryRow {
            quantity: Quantity::from_units(-layer.remaining.units()),
            amount: Some(Amount::from_units(-value)),
            ..self.new_entry(layer)
        });
        for part in dealt.iter().filter(|part| part.fragment == nth) {
            let value = quantity::value(part.quantity, part.unit_cost).ok_or(Undealt::Inexact)?;
            let new = LayerRow {
                id: new_id(),
                created_at: self.now,
                updated_at: self.now,
                unit_cost: Some(part.unit_cost),
                quantity: part.quantity,
                remaining: part.quantity,
                value: Some(value),
                ..layer.clone()
            };
            self.entries.push(CostEntryRow {
                quantity: part.quantity,
                unit_cost_before: layer.unit_cost,
                amount: Some(value),
                ..self.new_entry(&new)
            });
            self.opened.push(new);
        }
        self.emptied.push(layer.clone());
        Ok(())
    }

    /// Says what gone goods cost now.
    fn recost_gone(&mut self, slice: &CostEntryRow, to: Destination, fragment: &Fragment, part: &Dealt) {
        let sign = if self.way == Way::Correction { -1 } else { 1 };
        let row = CostEntryRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            movement_id: None,
            source_entry_id: Some(slice.id),
            kind: self.way.kind(),
            destination: Some(to),
            quantity: part.quantity,
            unit_cost_before: fragment.unit_cost,
            unit_cost: Some(part.unit_cost),
            amount: Some(Amount::from_units(sign * part.amount.units())),
            entry_date: today(),
            document_type: None,
            document_id: Some(self.document),
            ..slice.clone()
        };
        self.entries.push(row);
    }

    fn new_entry(&self, layer: &LayerRow) -> CostEntryRow {
        CostEntryRow {
            destination: Some(Destination::OnHand),
            document_id: Some(self.document),
            ..new_entry(layer, self.way.kind(), self.now, today())
        }
    }

    fn write(self) -> Result<(), Problem> {
        run((
            update_all::<LayerRow>(self.emptied.iter().map(|layer| layer.id))
                .set(LayerRow::remaining, &Quantity::ZERO)
                .set(LayerRow::value, &Some(Amount::ZERO))
                .set(LayerRow::spent, &true),
            insert(&self.opened),
            insert(&self.entries),
        ))?;
        Ok(())
    }
}
