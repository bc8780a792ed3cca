//! Where the goods of a receipt's line are now, and what they cost there: open layers, and slices that went. Their quantities
//! always add up to the line's.

use std::collections::BTreeMap;
use std::rc::Rc;

use stoa_sdk::Id;
use stoa_trade::quantity::{Quantity, UnitCost};

use crate::records::cost::{CostKind, Destination, EntryOfGoods, LayerRow};

/// Goods of a line that are in one place at one cost.
#[derive(Debug, Clone)]
pub struct Fragment {
    pub whereabouts: Where,
    pub unit: Option<Id>,
    pub quantity: Quantity,
    /// None where it is not known.
    pub unit_cost: Option<UnitCost>,
}

#[derive(Debug, Clone)]
pub enum Where {
    /// On hand, in this open layer.
    Layer(Rc<LayerRow>),
    /// Gone, by this entry.
    Gone(Rc<EntryOfGoods>, Destination),
}

/// Where goods go by an entry of this kind; none for those by which none go.
pub fn destination(kind: CostKind) -> Option<Destination> {
    match kind {
        CostKind::Sold => Some(Destination::Sold),
        CostKind::AdjustedOut => Some(Destination::AdjustedOut),
        CostKind::Damaged => Some(Destination::Damaged),
        CostKind::Lost => Some(Destination::Lost),
        CostKind::Returned => Some(Destination::Returned),
        CostKind::Received
        | CostKind::AdjustedIn
        | CostKind::Back
        | CostKind::Charge
        | CostKind::Correction
        | CostKind::Assigned => None,
    }
}

/// Slices that went and every row that names one of them, taken in one by one and in any order, so that no caller keeps all rows.
#[derive(Default)]
pub struct GoneGoods {
    slices: BTreeMap<Id, GoneSlice>,
}

/// A slice, and how much of it costs what now.
#[derive(Default)]
struct GoneSlice {
    entry: Option<(Rc<EntryOfGoods>, Destination)>,
    parts: Vec<(Option<UnitCost>, i128)>,
}

impl GoneSlice {
    fn add(&mut self, cost: Option<UnitCost>, quantity: i128) {
        match self.parts.iter_mut().find(|(unit_cost, _)| *unit_cost == cost) {
            Some((_, sum)) => *sum += quantity,
            None => self.parts.push((cost, quantity)),
        }
        self.parts.retain(|(_, sum)| *sum != 0);
    }
}

impl GoneGoods {
    pub fn add(&mut self, entry: EntryOfGoods) {
        let quantity = entry.quantity.units();
        match (entry.kind, entry.source_entry_id) {
            (CostKind::Back, Some(slice)) => self.slice(slice).add(entry.unit_cost, -quantity),
            (CostKind::Charge | CostKind::Correction, Some(slice)) => {
                let slice = self.slice(slice);
                slice.add(entry.unit_cost_before, -quantity);
                slice.add(entry.unit_cost, quantity);
            }
            (kind, _) => {
                if let Some(destination) = destination(kind) {
                    let slice = self.slice(entry.id);
                    slice.add(entry.unit_cost, -quantity);
                    slice.entry = Some((Rc::new(entry), destination));
                }
            }
        }
    }

    fn slice(&mut self, id: Id) -> &mut GoneSlice {
        self.slices.entry(id).or_default()
    }

    /// The rest of the slices, at its present cost: less the goods that came back, as re-costed since.
    pub fn into_fragments(self) -> Vec<Fragment> {
        let mut fragments = Vec::new();
        for GoneSlice { entry, parts } in self.slices.into_values() {
            let Some((entry, destination)) = entry else { continue };
            for (unit_cost, quantity) in parts.into_iter().filter(|(_, quantity)| *quantity > 0) {
                fragments.push(Fragment {
                    unit: entry.unit_id,
                    quantity: Quantity::from_units(quantity),
                    unit_cost,
                    whereabouts: Where::Gone(entry.clone(), destination),
                });
            }
        }
        fragments
    }
}

/// The goods on hand of a layer; none if it is spent.
pub fn layer_fragment(layer: LayerRow) -> Option<Fragment> {
    let (unit, quantity, unit_cost) = (layer.unit_id, layer.remaining, layer.unit_cost);
    (!layer.spent).then(|| Fragment { whereabouts: Where::Layer(Rc::new(layer)), unit, quantity, unit_cost })
}

/// In the order in which an amount is dealt: dearest first, then gone before on hand, then oldest.
pub fn sort_for_dealing(fragments: &mut [Fragment]) {
    fragments.sort_by(|a, b| b.unit_cost.cmp(&a.unit_cost).then_with(|| age(a).cmp(&age(b))));
}

/// Gone before on hand, then oldest.
pub fn age(fragment: &Fragment) -> (bool, i64, Id) {
    match &fragment.whereabouts {
        Where::Gone(entry, _) => (false, 0, entry.id),
        Where::Layer(layer) => (true, layer.seq, layer.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(
        id: u64,
        kind: CostKind,
        source: Option<u64>,
        quantity: i128,
        costs: (Option<i128>, i128),
    ) -> EntryOfGoods {
        EntryOfGoods {
            id: Id(1, id),
            legal_entity_id: Id(2, 0),
            variant_id: Id(3, 0),
            product_id: Id(4, 0),
            warehouse_id: None,
            layer_id: None,
            unit_id: None,
            movement_id: None,
            source_entry_id: source.map(|id| Id(1, id)),
            kind,
            quantity: Quantity::from_units(quantity),
            unit_cost_before: costs.0.map(UnitCost::from_units),
            unit_cost: Some(UnitCost::from_units(costs.1)),
            amount: None,
            currency_code: None,
            receipt_item_id: None,
        }
    }

    #[test]
    fn slices_are_folded_in_any_order() {
        let rows = [
            entry(1, CostKind::Received, None, 9, (None, 5)),
            entry(2, CostKind::Sold, None, -4, (None, 5)),
            // Three of the four cost less, one of these came back, and the other two cost more again.
            entry(3, CostKind::Correction, Some(2), 3, (Some(5), 2)),
            entry(4, CostKind::Back, Some(2), 1, (None, 2)),
            entry(5, CostKind::Charge, Some(2), 2, (Some(2), 7)),
            entry(6, CostKind::Lost, None, -1, (None, 5)),
        ];
        for first in 0..rows.len() {
            let mut gone = GoneGoods::default();
            rows.iter().cycle().skip(first).take(rows.len()).for_each(|row| gone.add(row.clone()));
            let mut parts = gone.into_fragments();
            sort_for_dealing(&mut parts);
            let part = |part: &Fragment| {
                let cost = part.unit_cost.map(UnitCost::units);
                let to = match &part.whereabouts {
                    Where::Gone(entry, to) => (entry.id.1, *to),
                    Where::Layer(_) => unreachable!("nothing is on hand"),
                };
                (cost, part.quantity.units(), to)
            };
            let expected = [
                (Some(7), 2, (2, Destination::Sold)),
                (Some(5), 1, (2, Destination::Sold)),
                (Some(5), 1, (6, Destination::Lost)),
            ];
            assert_eq!(parts.iter().map(part).collect::<Vec<_>>(), expected, "from the row {first} on");
        }
    }
}
