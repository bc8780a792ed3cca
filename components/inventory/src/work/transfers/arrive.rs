//! The end of a journey: each quantity and each unit that was sent ends once, received, lost or returned.

use std::collections::BTreeSet;

use stoa_sdk::{Id, Problem, set};
use stoa_trade::quantity::{Quantity, Tracking};

use crate::records::cost::CostKind;
use crate::records::movement::MovementType;
use crate::records::transfer_order::{TransferItemRow, UnitOutcome};
use crate::records::unit::{UnitRow, UnitStatus};
use crate::rules::delta::Delta;
use crate::rules::unit_state;
use crate::work::goods::{Goods, Outflow, Place, Settled};
use crate::work::transfers::order::{self, Order, Route};
use crate::work::units::changes::{Changes, Why};
use crate::work::units::effects;
use crate::work::units::worth::Worth;

/// The part of a line that a request settles.
pub struct Part {
    pub item: TransferItemRow,
    pub received: Quantity,
    pub lost: Quantity,
    pub returned: Quantity,
    /// For a serialized line: each unit's row here, its id and its outcome.
    pub units: Vec<(Id, Id, UnitOutcome)>,
}

impl Part {
    /// All that it settles.
    pub fn total(&self) -> Quantity {
        // Not above what is outstanding.
        Quantity::from_units(self.received.units() + self.lost.units() + self.returned.units())
    }
}

/// Ends the journey of these parts and writes it, but for the lines and the order itself.
pub fn end_journey(
    order: &Order,
    route: &Route,
    parts: &[Part],
    location: Option<Id>,
    reason: Option<&str>,
) -> Result<Settled, Problem> {
    let named: BTreeSet<Id> = set(parts.iter().flat_map(|part| part.units.iter().map(|(row, ..)| *row)));
    let mut units = order.lock_units(|unit| named.contains(&unit.id))?;
    let (mut goods, mut changes) = (Goods::default(), Changes::new(units.len()));
    let moves = order.why(MovementType::Transfer, reason);
    let loses = order.why(MovementType::Loss, reason);
    let to = Place::from_row(&route.to);
    let mut outcomes = Vec::new();
    for part in parts {
        let sku = route.sku(&part.item)?;
        goods.change(&to, &sku, Delta::of_incoming(-part.total().units()), "");
        if part.item.tracking == Tracking::Quantity {
            end_quantity(&mut goods, route, &to, part, location, &moves, &loses)?;
            continue;
        }
        for (row, id, outcome) in &part.units {
            let unit = units.remove(id).ok_or_else(|| unit_state::unavailable(None))?;
            let (after, why) = match outcome {
                UnitOutcome::Lost => (unit.without_place(UnitStatus::Lost), &loses),
                UnitOutcome::Returned => (unit.in_place(UnitStatus::Available, route.from.warehouse, None), &moves),
                _ => (unit.in_place(unit_state::status_in(route.to.kind), route.to.id, location), &moves),
            };
            changes.record_move(unit, UnitRow { transfer_order_id: None, ..after }, why, Worth::default());
            outcomes.push((*row, *outcome));
        }
    }
    effects::write(&changes, goods, &route.known, order::update_outcomes(&outcomes))
}

fn end_quantity(
    goods: &mut Goods,
    route: &Route,
    to: &Place,
    part: &Part,
    location: Option<Id>,
    moves: &Why,
    loses: &Why,
) -> Result<(), Problem> {
    let sku = route.sku(&part.item)?;
    let through = route.transit.warehouse;
    goods.change(&route.transit, &sku, Delta::in_transit(-part.total().units()), "");
    if part.received > Quantity::ZERO {
        goods.change(to, &sku, Delta::on_hand(part.received.units()), "");
        order::record_movement(goods, moves, &sku, part.received, through, Some((to.warehouse, location)));
    }
    if part.returned > Quantity::ZERO {
        goods.change(&route.from, &sku, Delta::on_hand(part.returned.units()), "");
        order::record_movement(goods, moves, &sku, part.returned, through, Some((route.from.warehouse, None)));
    }
    if part.lost > Quantity::ZERO {
        let movement = order::record_movement(goods, loses, &sku, part.lost, through, None);
        let outflow = Outflow::new(movement, route.transit, sku, part.lost, CostKind::Lost);
        goods.draw(Outflow { document: loses.document, ..outflow });
    }
    Ok(())
}

/// All that is outstanding, by line: it comes back.
pub fn return_outstanding(order: &Order) -> Vec<Part> {
    let part = |item: &TransferItemRow| {
        let travelling = order.of_line(item.id).filter(|unit| unit.outcome == Some(UnitOutcome::InTransit));
        Part {
            item: item.clone(),
            received: Quantity::ZERO,
            lost: Quantity::ZERO,
            returned: item.left_to_receive().unwrap_or(Quantity::ZERO),
            units: travelling.map(|unit| (unit.id, unit.unit_id, UnitOutcome::Returned)).collect(),
        }
    };
    order.items.iter().map(part).collect()
}
