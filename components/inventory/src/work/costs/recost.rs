//! Corrections and charges: an amount is dealt over the goods of a receipt's line, wherever they are now. Layers on hand are
//! emptied and opened again at the new cost; goods that are gone get rows of their own. Nothing in a ledger changes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use stoa_sdk::store::{MOST_ROWS, find, insert, run, select, update_all};
use stoa_sdk::{Field, Filter, Id, Instant, Problem, all, map, new_id, now, set, today};
use stoa_trade::clients::{articles, books};
use stoa_trade::pages::for_each_row;
use stoa_trade::quantity::{self, Amount, Quantity, Tracking, UnitCost};
use stoa_trade::refusal::unusable;

use crate::records::cost::{CostEntryRow, CostKind, Destination, EntryOfGoods, LayerRow, PoolRow};
use crate::rules::fragments::{self, Fragment, GoneGoods, Where};
use crate::rules::recost::{Dealt, Undealt, Way, deal_over};
use crate::work::costs::entry::{blank_entry, new_entry};
use crate::work::costs::totals;

/// An amount for the goods of a receipt's line, or for one unit of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub receipt_item: Id,
    pub unit: Option<Id>,
    pub amount: Quantity,
}

/// Parts of a line's amount, by destination.
pub type Parts = Vec<(Destination, Amount)>;

/// Deals the amounts; the parts of each line add up to its amount.
///
/// # Errors
/// REFERENCE_INVALID at a line whose goods were never received, or that is stated twice; LIMIT_EXCEEDED with EXCEEDS_COST where a
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
    let mut goods = read_goods(&items, &received)?;

    let mut written = Recosting::new(way, document);
    let mut all_parts = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/receiptItemId");
        let missing = || unusable(&pointer, "NOT_RECEIVED");
        let entry = received.get(&line.receipt_item).ok_or_else(missing)?;
        let article = articles::require(&articles, entry.variant_id, &pointer)?;
        let places =
            if articles::tracking(article) == Tracking::Serialized { 0 } else { u32::from(article.decimal_places) };
        let mut of_line = match line.unit {
            // No other line shares it.
            None => goods.remove(&line.receipt_item).unwrap_or_default(),
            unit => {
                goods.get(&line.receipt_item).into_iter().flatten().filter(|part| part.unit == unit).cloned().collect()
            }
        };
        if of_line.is_empty() {
            return Err(missing());
        }
        fragments::sort_for_dealing(&mut of_line);
        let grain = grains.get(&entry.legal_entity_id).copied().unwrap_or(1);
        all_parts.push(written.deal(line, &of_line, places, grain).map_err(|refused| refused.at(nth))?);
    }
    written.write()?;
    Ok(all_parts)
}

/// For each line, one entry by which its goods came in.
fn read_receipts(lines: &[Line]) -> Result<BTreeMap<Id, EntryOfGoods>, Problem> {
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
    if items.is_empty() {
        return Ok(BTreeMap::new());
    }
    let keys = items.into_iter().map(|item| vec![item.put()]);
    let came = select(CostEntryRow::kind.eq(CostKind::Received)).each(&[CostEntryRow::receipt_item_id.name()], keys, 1);
    let rows: Vec<EntryOfGoods> = run(came.whole())?;
    Ok(map(rows.into_iter().filter_map(|entry| Some((entry.receipt_item_id?, entry)))))
}

/// Where the goods of the items are now, under the locks of their pools. A line's goods may be in very many parts:
/// parts that one reply does not hold are read item by item, page by page, and folded as they come.
fn read_goods(
    items: &BTreeSet<Id>,
    received: &BTreeMap<Id, EntryOfGoods>,
) -> Result<BTreeMap<Id, Vec<Fragment>>, Problem> {
    if items.is_empty() {
        return Ok(BTreeMap::new());
    }
    let pools = set(received.values().map(|entry| (entry.legal_entity_id, entry.variant_id)));
    let keys = pools.iter().map(|(entity, variant)| vec![entity.put(), variant.put()]);
    let (_, layers, entries) = run((
        (!pools.is_empty()).then(|| find::<PoolRow>("pool", keys).locked()),
        select::<LayerRow>(open_layers(items.iter().copied())).limit(MOST_ROWS),
        select::<EntryOfGoods>(CostEntryRow::receipt_item_id.one_of(items.iter().copied())).limit(MOST_ROWS),
    ))?;
    let mut goods: BTreeMap<Id, Vec<Fragment>> = BTreeMap::new();
    let mut put_layer = |layer: LayerRow| {
        if let Some((item, part)) = layer.receipt_item_id.zip(fragments::layer_fragment(layer)) {
            goods.entry(item).or_default().push(part);
        }
    };
    if layers.more {
        items.iter().try_for_each(|item| for_each_row(&open_layers([*item]), |row| row.id, &mut put_layer))?;
    } else {
        layers.items.into_iter().for_each(put_layer);
    }
    let mut gone: BTreeMap<Id, GoneGoods> = BTreeMap::new();
    let mut put_entry = |entry: EntryOfGoods| {
        if let Some(item) = entry.receipt_item_id {
            gone.entry(item).or_default().add(entry);
        }
    };
    if entries.more {
        let of_item = |item: &Id| CostEntryRow::receipt_item_id.eq(*item);
        items.iter().try_for_each(|item| for_each_row(&of_item(item), |row| row.id, &mut put_entry))?;
    } else {
        entries.items.into_iter().for_each(put_entry);
    }
    for (item, gone) in gone {
        goods.entry(item).or_default().extend(gone.into_fragments());
    }
    Ok(goods)
}

fn open_layers(items: impl IntoIterator<Item = Id>) -> Filter {
    all([LayerRow::receipt_item_id.one_of(items), LayerRow::spent.eq(false)])
}

/// Rows of each kind that are written in one call: the rows of four kinds together stay within what a call may carry.
const STEP: usize = 500;

/// The pending writes of a recosting.
struct Recosting {
    way: Way,
    document: Id,
    now: Instant,
    emptied: Vec<Id>,
    opened: Vec<LayerRow>,
    entries: Vec<CostEntryRow>,
    gone: Vec<Gone>,
}

/// Gone goods that cost something else now. Their rows, of which there may be very many, are made as they are written.
struct Gone {
    slice: Rc<EntryOfGoods>,
    to: Destination,
    before: Option<UnitCost>,
    part: Dealt,
}

impl Recosting {
    fn new(way: Way, document: Id) -> Recosting {
        let now = now();
        Recosting { way, document, now, emptied: Vec::new(), opened: Vec::new(), entries: Vec::new(), gone: Vec::new() }
    }

    fn deal(&mut self, line: &Line, goods: &[Fragment], places: u32, grain: i128) -> Result<Parts, Undealt> {
        let dealt = deal_over(self.way, goods, line.amount, places, grain)?;
        let mut parts: BTreeMap<&'static str, (Destination, i128)> = BTreeMap::new();
        // Written oldest first, so that new layers keep the order in which the old ones would have left; one whose cost stays
        // is opened again too after a part of its own layer that was, or it would leave before that.
        let mut reopened = None;
        let of_fragments = dealt.chunk_by(|a, b| a.fragment == b.fragment);
        let mut order: Vec<(&Fragment, &[Dealt])> =
            of_fragments.filter_map(|of_it| Some((goods.get(of_it.first()?.fragment)?, of_it))).collect();
        order.sort_by_key(|(fragment, _)| fragments::age(fragment));
        for (fragment, of_it) in order {
            let changed = || of_it.iter().filter(|part| part.amount != Amount::ZERO);
            let follows = matches!(&fragment.whereabouts, Where::Layer(layer) if reopened == Some(layer.seq));
            if changed().next().is_none() && !follows {
                continue;
            }
            let to = match &fragment.whereabouts {
                Where::Layer(layer) => {
                    reopened = Some(layer.seq);
                    self.reopen(layer, of_it)?;
                    Destination::OnHand
                }
                Where::Gone(slice, to) => {
                    let gone = |part: &Dealt| Gone {
                        slice: slice.clone(),
                        to: *to,
                        before: fragment.unit_cost,
                        part: part.clone(),
                    };
                    self.gone.extend(changed().map(gone));
                    *to
                }
            };
            let sum = changed().try_fold(0_i128, |sum, part| sum.checked_add(part.amount.units()));
            let part = parts.entry(to.as_str()).or_insert((to, 0));
            part.1 = sum.and_then(|sum| part.1.checked_add(sum)).ok_or(Undealt::OutOfRange)?;
        }
        Ok(parts.into_values().map(|(to, amount)| (to, Amount::from_units(amount))).collect())
    }

    /// Empties a layer and opens its parts at their new costs, in its place.
    fn reopen(&mut self, layer: &LayerRow, dealt: &[Dealt]) -> Result<(), Undealt> {
        let value = layer.value.map(Amount::units).unwrap_or_default();
        self.entries.push(CostEntryRow {
            quantity: Quantity::from_units(-layer.remaining.units()),
            amount: Some(Amount::from_units(-value)),
            ..self.new_entry(layer)
        });
        for part in dealt {
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
        self.emptied.push(layer.id);
        Ok(())
    }

    /// The row that says what gone goods cost now.
    fn gone_entry(&self, gone: &Gone) -> CostEntryRow {
        let Gone { slice, to, before, part } = gone;
        let sign = if self.way == Way::Correction { -1 } else { 1 };
        let goods = (slice.legal_entity_id, slice.variant_id, slice.product_id);
        CostEntryRow {
            warehouse_id: slice.warehouse_id,
            layer_id: slice.layer_id,
            unit_id: slice.unit_id,
            source_entry_id: Some(slice.id),
            destination: Some(*to),
            quantity: part.quantity,
            unit_cost_before: *before,
            unit_cost: Some(part.unit_cost),
            amount: Some(Amount::from_units(sign * part.amount.units())),
            currency_code: slice.currency_code.clone(),
            document_id: Some(self.document),
            receipt_item_id: slice.receipt_item_id,
            ..blank_entry(goods, self.way.kind(), self.now, today())
        }
    }

    fn new_entry(&self, layer: &LayerRow) -> CostEntryRow {
        CostEntryRow {
            destination: Some(Destination::OnHand),
            document_id: Some(self.document),
            ..new_entry(layer, self.way.kind(), self.now, today())
        }
    }

    /// Writes it step by step, mostly in one; a concurrent reader sees nothing of it before all is committed.
    fn write(self) -> Result<(), Problem> {
        let most = [self.emptied.len(), self.opened.len(), self.entries.len(), self.gone.len()].into_iter().max();
        for step in 0..most.unwrap_or_default().div_ceil(STEP) {
            let gone: Vec<CostEntryRow> = step_of(&self.gone, step).iter().map(|gone| self.gone_entry(gone)).collect();
            let entries = step_of(&self.entries, step);
            let (hold, ..) = run((
                totals::hold(entries.iter().chain(&gone).map(|entry| entry.legal_entity_id)),
                update_all::<LayerRow>(step_of(&self.emptied, step).iter().copied())
                    .set(LayerRow::remaining, &Quantity::ZERO)
                    .set(LayerRow::value, &Some(Amount::ZERO))
                    .set(LayerRow::spent, &true),
                insert(step_of(&self.opened, step)),
                insert(entries),
                insert(&gone),
            ))?;
            totals::follow(&hold.map(|(_, summed)| summed).unwrap_or_default(), entries.iter().chain(&gone))?;
        }
        Ok(())
    }
}

/// The rows of one step.
fn step_of<T>(rows: &[T], step: usize) -> &[T] {
    rows.chunks(STEP).nth(step).unwrap_or_default()
}
