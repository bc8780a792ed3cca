//! Receiving a transfer order: each quantity and each unit that was sent ends once, received, lost or returned.

use std::collections::BTreeSet;

use stoa_sdk::store::{get, get_all, lock_shared, run, update_all};
use stoa_sdk::{Answer, Call, Id, Problem, set};

use crate::books;
use crate::cost::row::CostKind;
use crate::goods::delta::Delta;
use crate::goods::{Goods, Outflow, Place};
use crate::movement::row::MovementType;
use crate::terms::{Quantity, Tracking, location_gate};
use crate::transfer_order::draft::answer;
use crate::transfer_order::input::{self, ReceiveItem, ReceiveTransferOrder};
use crate::transfer_order::order::{self, Order, Route};
use crate::transfer_order::row::{TransferItemRow, TransferStatus, UnitOutcome};
use crate::unit::change::{Changes, ONE, Why};
use crate::unit::cost::Worth;
use crate::unit::parts::count_mismatch;
use crate::unit::row::{UnitRow, UnitStatus};
use crate::unit::{apply, place, state};
use crate::warehouse::row::LocationRow;

pub fn receive(call: &Call) -> Answer {
    received(call, false)
}

pub fn receive_as_client(call: &Call) -> Answer {
    received(call, true)
}

fn received(call: &Call, by_client: bool) -> Answer {
    let body: ReceiveTransferOrder = call.body()?;
    input::check_receipt(&body, by_client)?;
    let order = order::locked(call.path_id("id")?)?;
    let others: BTreeSet<Id> = set(body.items.iter().map(|line| line.item_id));
    let others = others.into_iter().filter(|id| !order.items.iter().any(|item| item.id == *id));
    let (others, location) = run((get_all::<TransferItemRow>(others), body.to_location_id.map(get::<LocationRow>)))?;
    for (at, line) in body.items.iter().enumerate() {
        let is_of_order = order.items.iter().any(|item| item.id == line.item_id);
        if !is_of_order && !others.iter().any(|item| item.id == line.item_id) {
            return Err(Problem::reference_missing(format!("/items/{at}/itemId")));
        }
    }
    if body.to_location_id.is_some() && location.flatten().is_none() {
        return Err(Problem::reference_missing("/toLocationId"));
    }
    body.expected_version.check(order.row.version)?;
    if !matches!(order.row.status, TransferStatus::InTransit | TransferStatus::PartiallyReceived) {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let parts: Vec<Part> =
        body.items.iter().enumerate().map(|(at, line)| Part::of(&order, line, at)).collect::<Result<_, _>>()?;
    let is_lost = parts.iter().any(|part| part.lost > Quantity::ZERO);
    let terms = if is_lost { books::admit(order.row.legal_entity_id)? } else { None };
    let warehouses = order.enter()?;
    let route = order.route(&warehouses)?;
    if let Some(id) = body.to_location_id {
        let (_, location) = run((lock_shared(location_gate(id)), get::<LocationRow>(id)))?;
        place::open(&route.to, "/toWarehouseId", location.as_ref(), "/toLocationId")?;
    }
    let held = settle(&order, &route, &parts, body.to_location_id, body.reason.as_deref())?;
    let left = order.items.iter().try_fold(0_i128, |left, item| {
        let settled =
            parts.iter().filter(|part| part.item.id == item.id).map(|part| part.settled().units()).sum::<i128>();
        Some(left + item.outstanding()?.units() - settled)
    });
    let is_whole = left == Some(0);
    let after = order.after(if is_whole { TransferStatus::Received } else { TransferStatus::PartiallyReceived });
    let items = update_all::<TransferItemRow>(parts.iter().map(|part| part.item.id))
        .add_each(TransferItemRow::received, parts.iter().map(|part| part.received))
        .add_each(TransferItemRow::lost, parts.iter().map(|part| part.lost))
        .add_each(TransferItemRow::returned, parts.iter().map(|part| part.returned));
    run((items, order::written(&after)))?;
    let text = body.reason.as_deref().unwrap_or(&order.row.number);
    held.post(terms.as_ref(), order.row.legal_entity_id, text)?;
    Ok(answer(&after).changed(vec!["status", "items"]))
}

/// What a request settles of a line.
pub struct Part {
    pub item: TransferItemRow,
    pub received: Quantity,
    pub lost: Quantity,
    pub returned: Quantity,
    /// Of a serialized line: the row here of every unit and what becomes of it.
    pub units: Vec<(Id, Id, UnitOutcome)>,
}

impl Part {
    /// Reads a line of the body against the order.
    fn of(order: &Order, line: &ReceiveItem, at: usize) -> Result<Part, Problem> {
        let item = order.items.iter().find(|item| item.id == line.item_id);
        let item = item.ok_or_else(|| place::unusable(&format!("/items/{at}/itemId"), "OTHER_ORDER"))?;
        let sum = line.quantity.checked_add(line.lost_quantity).and_then(|sum| sum.checked_add(line.returned_quantity));
        let outstanding = item.outstanding().unwrap_or(Quantity::ZERO);
        if sum.is_none_or(|sum| sum > outstanding) {
            return Err(Problem::at("LIMIT_EXCEEDED", format!("/items/{at}")));
        }
        let mut part = Part {
            item: item.clone(),
            received: line.quantity,
            lost: line.lost_quantity,
            returned: line.returned_quantity,
            units: Vec::new(),
        };
        part.name_units(order, line, at, outstanding)?;
        Ok(part)
    }

    fn name_units(
        &mut self,
        order: &Order,
        line: &ReceiveItem,
        at: usize,
        outstanding: Quantity,
    ) -> Result<(), Problem> {
        let lists = [
            ("unitIds", line.quantity, &line.unit_ids, UnitOutcome::Received),
            ("lostUnitIds", line.lost_quantity, &line.lost_unit_ids, UnitOutcome::Lost),
            ("returnedUnitIds", line.returned_quantity, &line.returned_unit_ids, UnitOutcome::Returned),
        ];
        let travelling = || order.of_line(self.item.id).filter(|unit| unit.outcome == Some(UnitOutcome::InTransit));
        let named = lists.iter().any(|(_, _, ids, _)| !ids.is_empty());
        let whole = lists.iter().find(|(_, quantity, ..)| *quantity == outstanding);
        if let (Tracking::Serialized, false, Some((.., outcome))) = (self.item.tracking, named, whole) {
            self.units = travelling().map(|unit| (unit.id, unit.unit_id, *outcome)).collect();
            return Ok(());
        }
        let mut units = Vec::new();
        for (member, quantity, ids, outcome) in lists {
            let pointer = format!("/items/{at}/{member}");
            let required = match self.item.tracking {
                Tracking::Serialized if quantity.units() % ONE.units() != 0 => {
                    return Err(Problem::invalid(vec![stoa_sdk::item(format!("/items/{at}"), "QUANTITY_SCALE")]));
                }
                Tracking::Serialized => usize::try_from(quantity.units() / ONE.units()).unwrap_or(usize::MAX),
                _ => 0,
            };
            if ids.len() != required {
                return Err(count_mismatch(&pointer, required, ids.len()));
            }
            for (nth, id) in ids.iter().enumerate() {
                let unit = travelling().find(|unit| unit.unit_id == *id);
                let unit = unit.ok_or_else(|| place::unusable(&format!("{pointer}/{nth}"), "NOT_OUTSTANDING"))?;
                units.push((unit.id, unit.unit_id, outcome));
            }
        }
        self.units = units;
        Ok(())
    }

    fn settled(&self) -> Quantity {
        // Not above what is outstanding.
        Quantity::from_units(self.received.units() + self.lost.units() + self.returned.units())
    }
}

/// Ends the journey of these parts and writes it, but for the lines and the order itself.
///
/// # Errors
/// What the goods do not allow.
pub fn settle(
    order: &Order,
    route: &Route,
    parts: &[Part],
    location: Option<Id>,
    reason: Option<&str>,
) -> Result<crate::goods::Held, Problem> {
    let named: BTreeSet<Id> = set(parts.iter().flat_map(|part| part.units.iter().map(|(row, ..)| *row)));
    let mut units = order.lock_units(|unit| named.contains(&unit.id))?;
    let (mut goods, mut changes) = (Goods::default(), Changes::of(units.len()));
    let moves = order.why(MovementType::Transfer, reason);
    let loses = order.why(MovementType::Loss, reason);
    let to = Place::of(&route.to);
    let mut outcomes = Vec::new();
    for part in parts {
        let sku = route.sku(&part.item)?;
        goods.change(&to, &sku, Delta::incoming(-part.settled().units()), "");
        if part.item.tracking == Tracking::Quantity {
            quantity(&mut goods, route, &to, part, location, &moves, &loses)?;
            continue;
        }
        for (row, id, outcome) in &part.units {
            let unit = units.remove(id).ok_or_else(|| state::unavailable(None))?;
            let (after, why) = match outcome {
                UnitOutcome::Lost => (unit.gone(UnitStatus::Lost), &loses),
                UnitOutcome::Returned => (unit.at(UnitStatus::Available, route.from.warehouse, None), &moves),
                _ => (unit.at(state::derived(route.to.kind), route.to.id, location), &moves),
            };
            changes.moved(unit, UnitRow { transfer_order_id: None, ..after }, why, Worth::default())?;
            outcomes.push((*row, *outcome));
        }
    }
    apply::put(&changes.all, &mut goods, &route.known)?;
    let held = apply::hold(goods)?;
    held.write((apply::rows(&changes.all, None), order::outcomes(&outcomes)))?;
    Ok(held)
}

fn quantity(
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
    goods.change(&route.transit, &sku, Delta::in_transit(-part.settled().units()), "");
    if part.received > Quantity::ZERO {
        goods.change(to, &sku, Delta::on_hand(part.received.units()), "");
        order::movement(goods, moves, &sku, part.received, through, Some((to.warehouse, location)));
    }
    if part.returned > Quantity::ZERO {
        goods.change(&route.from, &sku, Delta::on_hand(part.returned.units()), "");
        order::movement(goods, moves, &sku, part.returned, through, Some((route.from.warehouse, None)));
    }
    if part.lost > Quantity::ZERO {
        let movement = order::movement(goods, loses, &sku, part.lost, through, None);
        goods.take(Outflow {
            movement,
            place: route.transit,
            sku,
            unit: None,
            quantity: part.lost,
            kind: CostKind::Lost,
            document: loses.document,
        });
    }
    Ok(())
}

/// All that is outstanding, by line, with one outcome.
pub fn whole(order: &Order, outcome: UnitOutcome) -> Vec<Part> {
    let part = |item: &TransferItemRow| {
        let left = item.outstanding().unwrap_or(Quantity::ZERO);
        let zero = Quantity::ZERO;
        let travelling = order.of_line(item.id).filter(|unit| unit.outcome == Some(UnitOutcome::InTransit));
        Part {
            item: item.clone(),
            received: if outcome == UnitOutcome::Received { left } else { zero },
            lost: if outcome == UnitOutcome::Lost { left } else { zero },
            returned: if outcome == UnitOutcome::Returned { left } else { zero },
            units: travelling.map(|unit| (unit.id, unit.unit_id, outcome)).collect(),
        }
    };
    order.items.iter().map(part).collect()
}
