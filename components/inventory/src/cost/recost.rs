//! Corrections and charges: an amount is dealt over the goods of a receipt's line, wherever they are now. Layers on hand are
//! emptied and opened anew at the new cost; what is gone gets rows of its own. Nothing in a ledger changes.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{Failure, Rows, find, insert, run, select, update_all};
use stoa_sdk::{Field, Id, Instant, Problem, all, facts, item, map, new_id, set};

use super::deal::{self, Group, Refused, Share};
use super::exact;
use super::fragments::{self, Fragment, Where};
use super::row::{CostEntryRow, CostKind, Destination, LayerRow, PoolRow};
use crate::articles::{self, Tracking};
use crate::books;
use crate::terms::{Amount, Quantity, UnitCost, unusable};

/// An amount for the goods of a receipt's line, or for one unit of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub receipt_item: Id,
    pub unit: Option<Id>,
    pub amount: Quantity,
}

/// What became of a line's amount, by destination.
pub type Parts = Vec<(Destination, Amount)>;

/// Which way an amount goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A supplier's credit lowers the cost.
    Correction,
    /// An import charge raises it.
    Charge,
}

impl Way {
    fn kind(self) -> CostKind {
        match self {
            Way::Correction => CostKind::Correction,
            Way::Charge => CostKind::Charge,
        }
    }
}

/// Rows of a line's history that are looked at.
const MOST: u32 = 2_000;

/// Deals the amounts; the parts of each line add up to its amount.
///
/// # Errors
/// REFERENCE_INVALID at a line whose goods were never received, or that stands twice; LIMIT_EXCEEDED with EXCEEDS_COST where a
/// correction is more than the goods cost; ACCOUNTING_AMOUNT_PRECISION where a cost has no exact share.
pub fn recost(way: Way, document: Id, lines: &[Line]) -> Result<Vec<Parts>, Problem> {
    let received = received(lines)?;
    let known = articles::by_variant(received.values().map(|entry| entry.variant_id));
    let entities = set(received.values().map(|entry| entry.legal_entity_id));
    let mut grains = BTreeMap::new();
    for entity in entities {
        // With books amounts are dealt in millionths, without them as finely as costs are kept.
        grains.insert(entity, if books::admit(entity)?.is_some() { 1_000_000 } else { 1 });
    }
    let items = set(lines.iter().map(|line| line.receipt_item));
    let (layers, entries) = history(&items, &received)?;

    let mut written = Written::new(way, document);
    let mut all_parts = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/receiptItemId");
        let missing = || unusable(&pointer, "NOT_RECEIVED");
        let entry = received.get(&line.receipt_item).ok_or_else(missing)?;
        let article = articles::known(&known, entry.variant_id, &pointer)?;
        let places = if article.tracking == Tracking::Serialized { 0 } else { u32::from(article.decimal_places) };
        let of_line = |item: Option<Id>, unit: Option<Id>| {
            item == Some(line.receipt_item) && (line.unit.is_none() || unit == line.unit)
        };
        let own_layers: Vec<LayerRow> =
            layers.iter().filter(|layer| of_line(layer.receipt_item_id, layer.unit_id)).cloned().collect();
        let own_entries: Vec<CostEntryRow> =
            entries.iter().filter(|entry| of_line(entry.receipt_item_id, entry.unit_id)).cloned().collect();
        let mut goods = fragments::gone(&own_entries);
        goods.extend(fragments::on_hand(&own_layers));
        if goods.is_empty() {
            return Err(missing());
        }
        fragments::in_order(&mut goods);
        let grain = grains.get(&entry.legal_entity_id).copied().unwrap_or(1);
        all_parts.push(written.deal(line, &goods, places, grain).map_err(|refused| refused.at(nth))?);
    }
    written.write()?;
    Ok(all_parts)
}

/// The entries by which the lines' goods came in.
fn received(lines: &[Line]) -> Result<BTreeMap<Id, CostEntryRow>, Problem> {
    let mut seen = BTreeSet::new();
    for (nth, line) in lines.iter().enumerate() {
        // A line for all of an item's goods and one for a unit of it would deal over each other.
        let whole = seen.contains(&(line.receipt_item, None));
        let part = line.unit.is_none() && seen.iter().any(|(item, _)| *item == line.receipt_item);
        if whole || part || !seen.insert((line.receipt_item, line.unit)) {
            return Err(unusable(&format!("/lines/{nth}/receiptItemId"), "REPEATED"));
        }
    }
    let items = set(lines.iter().map(|line| line.receipt_item));
    let came = [CostEntryRow::receipt_item_id.one_of(items), CostEntryRow::kind.eq(CostKind::Received)];
    let rows = run(select::<CostEntryRow>(all(came)))?;
    Ok(map(rows.items.into_iter().filter_map(|entry| Some((entry.receipt_item_id?, entry)))))
}

/// Open layers and the whole ledger of the items, under the locks of their pools.
fn history(
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
    let (_, layers, entries): (_, Rows<LayerRow>, Rows<CostEntryRow>) = run((
        (!pools.is_empty()).then(|| find::<PoolRow>("pool", keys).locked()),
        select(all(open)).limit(MOST),
        select(CostEntryRow::receipt_item_id.one_of(of_items())).limit(MOST),
    ))
    .map_err(|failure| match failure {
        Failure::Limit(_) => Problem::limit_exceeded(),
        other => other.into(),
    })?;
    if layers.more || entries.more {
        return Err(Problem::limit_exceeded());
    }
    Ok((layers.items, entries.items))
}

/// Why a line cannot be dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undealt {
    ExceedsCost,
    /// A share of a cost finer than costs are kept.
    Inexact,
    OutOfRange,
    /// Goods whose cost is not known.
    Uncosted,
}

impl Undealt {
    fn at(self, line: usize) -> Problem {
        let pointer = format!("/lines/{line}/amount");
        match self {
            Undealt::ExceedsCost => {
                Problem { code: "LIMIT_EXCEEDED".to_owned(), errors: vec![item(pointer, "EXCEEDS_COST")] }
            }
            Undealt::Inexact => Problem::at("ACCOUNTING_AMOUNT_PRECISION", pointer),
            Undealt::OutOfRange => Problem::at("LIMIT_EXCEEDED", pointer),
            Undealt::Uncosted => unusable(&pointer, "UNCOSTED"),
        }
    }
}

/// One part of a fragment after the deal.
#[derive(Debug, Clone, PartialEq)]
pub struct Dealt {
    pub fragment: usize,
    pub quantity: Quantity,
    pub unit_cost: UnitCost,
    /// Of all of it, never below zero.
    pub amount: Amount,
}

/// Deals an amount over fragments in their order; `places`: digits after the point of their unit.
fn deal(way: Way, goods: &[Fragment], amount: Quantity, places: u32, grain: i128) -> Result<Vec<Dealt>, Undealt> {
    let (step, per_step) = (10_i128.pow(6_u32.saturating_sub(places)), 10_i128.pow(places));
    let mut groups = Vec::new();
    for fragment in goods {
        let quantity = fragment.quantity.units();
        let cost = fragment.unit_cost.ok_or(Undealt::Uncosted)?.units();
        if quantity % step != 0 || cost % per_step != 0 {
            return Err(Undealt::Inexact);
        }
        groups.push(Group { steps: quantity / step, step_cost: cost / per_step });
    }
    let amount = exact::cost(amount).units();
    let shares = match way {
        Way::Correction => deal::lower(&groups, amount, grain),
        Way::Charge => deal::raise(&groups, amount, grain),
    };
    let shares = shares.map_err(|refused| match refused {
        Refused::ExceedsCost => Undealt::ExceedsCost,
        Refused::OutOfRange => Undealt::OutOfRange,
    })?;
    let part = |share: Share| {
        let fragment = goods.get(share.group).ok_or(Undealt::OutOfRange)?;
        let per_unit = share.amount.checked_mul(per_step).ok_or(Undealt::OutOfRange)?;
        let per_unit = if way == Way::Correction { -per_unit } else { per_unit };
        let before = fragment.unit_cost.ok_or(Undealt::Uncosted)?.units();
        let cost = before.checked_add(per_unit).ok_or(Undealt::OutOfRange)?;
        let amount = share.steps.checked_mul(share.amount).ok_or(Undealt::OutOfRange)?;
        Ok(Dealt {
            fragment: share.group,
            quantity: Quantity::from_units(share.steps * step),
            unit_cost: UnitCost::from_units(cost),
            amount: Amount::from_units(amount),
        })
    };
    shares.into_iter().map(part).collect()
}

/// What a recosting writes.
struct Written {
    way: Way,
    document: Id,
    now: Instant,
    emptied: Vec<LayerRow>,
    opened: Vec<LayerRow>,
    entries: Vec<CostEntryRow>,
}

impl Written {
    fn new(way: Way, document: Id) -> Written {
        let now = Instant(facts().now);
        Written { way, document, now, emptied: Vec::new(), opened: Vec::new(), entries: Vec::new() }
    }

    fn deal(&mut self, line: &Line, goods: &[Fragment], places: u32, grain: i128) -> Result<Parts, Undealt> {
        let dealt = deal(self.way, goods, line.amount, places, grain)?;
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
                    self.reopen(layer, fragment, &dealt, nth)?;
                    Destination::OnHand
                }
                Where::Gone(entry, to) => {
                    own.iter().for_each(|part| self.gone(entry, *to, fragment, part));
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
    fn reopen(&mut self, layer: &LayerRow, fragment: &Fragment, dealt: &[Dealt], nth: usize) -> Result<(), Undealt> {
        let value = layer.value.map(Amount::units).unwrap_or_default();
        self.entries.push(CostEntryRow {
            layer_id: Some(layer.id),
            destination: Some(Destination::OnHand),
            quantity: Quantity::from_units(-layer.remaining.units()),
            unit_cost: fragment.unit_cost,
            amount: Some(Amount::from_units(-value)),
            ..self.entry(layer)
        });
        for part in dealt.iter().filter(|part| part.fragment == nth) {
            let value = exact::value(part.quantity, part.unit_cost).ok_or(Undealt::Inexact)?;
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
                layer_id: Some(new.id),
                destination: Some(Destination::OnHand),
                quantity: part.quantity,
                unit_cost_before: fragment.unit_cost,
                unit_cost: Some(part.unit_cost),
                amount: Some(value),
                ..self.entry(layer)
            });
            self.opened.push(new);
        }
        self.emptied.push(layer.clone());
        Ok(())
    }

    /// Says what gone goods cost now.
    fn gone(&mut self, slice: &CostEntryRow, to: Destination, fragment: &Fragment, part: &Dealt) {
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
            entry_date: books::today(),
            document_type: None,
            document_id: Some(self.document),
            ..slice.clone()
        };
        self.entries.push(row);
    }

    fn entry(&self, layer: &LayerRow) -> CostEntryRow {
        CostEntryRow {
            id: new_id(),
            created_at: self.now,
            updated_at: self.now,
            legal_entity_id: layer.legal_entity_id,
            variant_id: layer.variant_id,
            product_id: layer.product_id,
            warehouse_id: None,
            layer_id: None,
            unit_id: layer.unit_id,
            movement_id: None,
            source_entry_id: None,
            kind: self.way.kind(),
            destination: None,
            quantity: Quantity::ZERO,
            unit_cost_before: None,
            unit_cost: None,
            amount: None,
            currency_code: layer.currency_code.clone(),
            entry_date: books::today(),
            document_type: None,
            document_id: Some(self.document),
            receipt_item_id: layer.receipt_item_id,
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
