//! Where the goods of a receipt's line are now, and what they cost there: open layers, and slices that went. Their quantities
//! always add up to the line's.

use std::collections::BTreeMap;

use stoa_sdk::{Id, map};
use stoa_trade::quantity::{Quantity, UnitCost};

use crate::records::cost::{CostEntryRow, CostKind, Destination, LayerRow};

/// Goods of a line that are in one place at one cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    pub at: Where,
    pub unit: Option<Id>,
    pub quantity: Quantity,
    /// None where it is not known.
    pub unit_cost: Option<UnitCost>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Where {
    /// On hand, in this open layer.
    Layer(Box<LayerRow>),
    /// Gone, by this entry.
    Gone(Box<CostEntryRow>, Destination),
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

/// What is left of slices that went, at what it costs now: less what came back, as re-costed since. `entries`: the slices and
/// every row that names one of them, in any order.
pub fn gone_fragments(entries: &[CostEntryRow]) -> Vec<Fragment> {
    let slices = entries.iter().filter_map(|entry| Some((entry.id, (entry, destination(entry.kind)?))));
    let sources = map(slices);
    let mut parts: BTreeMap<Id, BTreeMap<Option<UnitCost>, i128>> = BTreeMap::new();
    let mut add = |slice: Id, cost: Option<UnitCost>, quantity: i128| {
        *parts.entry(slice).or_default().entry(cost).or_default() += quantity;
    };
    for entry in entries {
        let quantity = entry.quantity.units();
        match (entry.kind, entry.source_entry_id) {
            (CostKind::Back, Some(slice)) => add(slice, entry.unit_cost, -quantity),
            (CostKind::Charge | CostKind::Correction, Some(slice)) => {
                add(slice, entry.unit_cost_before, -quantity);
                add(slice, entry.unit_cost, quantity);
            }
            (kind, _) if destination(kind).is_some() => add(entry.id, entry.unit_cost, -quantity),
            _ => {}
        }
    }
    let mut fragments = Vec::new();
    for (slice, parts) in parts {
        let Some(&(entry, destination)) = sources.get(&slice) else { continue };
        for (unit_cost, quantity) in parts.into_iter().filter(|(_, quantity)| *quantity > 0) {
            fragments.push(Fragment {
                at: Where::Gone(Box::new(entry.clone()), destination),
                unit: entry.unit_id,
                quantity: Quantity::from_units(quantity),
                unit_cost,
            });
        }
    }
    fragments
}

/// What is on hand, of layers that are open.
pub fn layer_fragments(layers: &[LayerRow]) -> Vec<Fragment> {
    let fragment = |layer: &LayerRow| Fragment {
        unit: layer.unit_id,
        quantity: layer.remaining,
        unit_cost: layer.unit_cost,
        at: Where::Layer(Box::new(layer.clone())),
    };
    layers.iter().filter(|layer| !layer.spent).map(fragment).collect()
}

/// In the order in which an amount is dealt: dearest first, then gone before on hand, then oldest.
pub fn sort_for_dealing(fragments: &mut [Fragment]) {
    fragments.sort_by(|a, b| b.unit_cost.cmp(&a.unit_cost).then_with(|| age(a).cmp(&age(b))));
}

/// Gone before on hand, then oldest.
pub fn age(fragment: &Fragment) -> (bool, i64, Id) {
    match &fragment.at {
        Where::Gone(entry, _) => (false, 0, entry.id),
        Where::Layer(layer) => (true, layer.seq, layer.id),
    }
}
