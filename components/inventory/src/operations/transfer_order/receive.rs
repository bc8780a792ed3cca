//! Receiving a transfer order: each quantity and each unit that was sent ends once, received, lost or returned.

use std::collections::BTreeSet;

use stoa_sdk::store::{get, get_all, lock_shared, run, update_all};
use stoa_sdk::{Answer, Bounds, Call, Id, Problem, set};
use stoa_trade::Caller;
use stoa_trade::clients::books;
use stoa_trade::quantity::{Quantity, Tracking, scale_fault};
use stoa_trade::refusal;

use crate::operations::transfer_order::input::{self, ReceiveItem, ReceiveTransferOrder};
use crate::records::location::{LocationRow, location_gate};
use crate::records::transfer_order::{TransferItemRow, TransferStatus, UnitOutcome, receipt};
use crate::rules::{place, unit_count};
use crate::work::transfers::arrive::{Part, end_journey};
use crate::work::transfers::order::{self, Order};
use crate::work::units::changes::ONE;

pub fn receive(call: &Call) -> Answer {
    let body: ReceiveTransferOrder = call.body()?;
    input::check_receipt(&body, Caller::current())?;
    let order = order::lock_order(call.path_id("id")?)?;
    let others: BTreeSet<Id> = set(body.items.iter().map(|line| line.item_id));
    let others = others.into_iter().filter(|id| !order.items.iter().any(|item| item.id == *id));
    let (others, location) = run((get_all::<TransferItemRow>(others), body.to_location_id.map(get::<LocationRow>)))?;
    let is_known = |id: Id| order.items.iter().chain(&others).any(|item| item.id == id);
    if let Some(index) = body.items.iter().position(|line| !is_known(line.item_id)) {
        return Err(Problem::reference_missing(format!("/items/{index}/itemId")));
    }
    if body.to_location_id.is_some() && location.flatten().is_none() {
        return Err(Problem::reference_missing("/toLocationId"));
    }
    body.expected_version.check(order.row.version)?;
    if !matches!(order.row.status, TransferStatus::InTransit | TransferStatus::PartiallyReceived) {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let parts: Vec<Part> =
        body.items.iter().enumerate().map(|(index, line)| read_part(&order, line, index)).collect::<Result<_, _>>()?;
    let is_lost = parts.iter().any(|part| part.lost > Quantity::ZERO);
    let terms = if is_lost { books::admit(order.row.legal_entity_id)? } else { None };
    let warehouses = order.enter()?;
    let route = order.route(&warehouses)?;
    if let Some(id) = body.to_location_id {
        let (_, location) = run((lock_shared(location_gate(id)), get::<LocationRow>(id)))?;
        place::check_open(&route.to, "/toWarehouseId", location.as_ref(), "/toLocationId")?;
    }
    let held = end_journey(&order, &route, &parts, body.to_location_id, body.reason.as_deref())?;
    let left = order.items.iter().try_fold(0_i128, |left, item| {
        let settled =
            parts.iter().filter(|part| part.item.id == item.id).map(|part| part.total().units()).sum::<i128>();
        Some(left + item.left_to_receive()?.units() - settled)
    });
    let is_whole = left == Some(0);
    let status = if is_whole { TransferStatus::Received } else { TransferStatus::PartiallyReceived };
    let change = order.change(order.after(status))?;
    let items = update_all::<TransferItemRow>(parts.iter().map(|part| part.item.id))
        .add_each(TransferItemRow::received, parts.iter().map(|part| part.received))
        .add_each(TransferItemRow::lost, parts.iter().map(|part| part.lost))
        .add_each(TransferItemRow::returned, parts.iter().map(|part| part.returned));
    run((items, change.update()))?;
    let text = body.reason.as_deref().unwrap_or(&order.row.number);
    held.post(terms.as_ref(), order.row.legal_entity_id, text)?;
    Ok(receipt(change.after()).subjects(order.products()).changed(vec!["status", "items"]))
}

/// Reads a line of the body against the order.
fn read_part(order: &Order, line: &ReceiveItem, index: usize) -> Result<Part, Problem> {
    let item = order.items.iter().find(|item| item.id == line.item_id);
    let item = item.ok_or_else(|| refusal::unusable(format!("/items/{index}/itemId"), "OTHER_ORDER"))?;
    let sum = line.quantity.checked_add(line.lost_quantity).and_then(|sum| sum.checked_add(line.returned_quantity));
    let outstanding = item.left_to_receive().unwrap_or(Quantity::ZERO);
    if sum.is_none_or(|sum| sum > outstanding) {
        return Err(Problem::beyond(format!("/items/{index}"), Bounds::maximum(outstanding)));
    }
    Ok(Part {
        item: item.clone(),
        received: line.quantity,
        lost: line.lost_quantity,
        returned: line.returned_quantity,
        units: read_units(order, item, line, index, outstanding)?,
    })
}

/// The units of a line and what becomes of each: those that are named, or all where one outcome takes all that is outstanding.
fn read_units(
    order: &Order,
    item: &TransferItemRow,
    line: &ReceiveItem,
    index: usize,
    outstanding: Quantity,
) -> Result<Vec<(Id, Id, UnitOutcome)>, Problem> {
    let lists = [
        ("unitIds", line.quantity, &line.unit_ids, UnitOutcome::Received),
        ("lostUnitIds", line.lost_quantity, &line.lost_unit_ids, UnitOutcome::Lost),
        ("returnedUnitIds", line.returned_quantity, &line.returned_unit_ids, UnitOutcome::Returned),
    ];
    let travelling = || order.of_line(item.id).filter(|unit| unit.outcome == Some(UnitOutcome::InTransit));
    let is_named = lists.iter().any(|(_, _, ids, _)| !ids.is_empty());
    let whole = lists.iter().find(|(_, quantity, ..)| *quantity == outstanding);
    if let (Tracking::Serialized, false, Some((.., outcome))) = (item.tracking, is_named, whole) {
        return Ok(travelling().map(|unit| (unit.id, unit.unit_id, *outcome)).collect());
    }
    let mut units = Vec::new();
    for (member, quantity, ids, outcome) in lists {
        let pointer = format!("/items/{index}/{member}");
        let required = match item.tracking {
            Tracking::Serialized if quantity.units() % ONE.units() != 0 => {
                return Err(Problem::invalid(vec![scale_fault(format!("/items/{index}"), item.tracking, 0)]));
            }
            Tracking::Serialized => usize::try_from(quantity.units() / ONE.units()).unwrap_or(usize::MAX),
            _ => 0,
        };
        if ids.len() != required {
            return Err(unit_count::mismatch(&pointer, required, ids.len()));
        }
        for (nth, id) in ids.iter().enumerate() {
            let unit = travelling().find(|unit| unit.unit_id == *id);
            let unit = unit.ok_or_else(|| refusal::unusable(format!("{pointer}/{nth}"), "NOT_OUTSTANDING"))?;
            units.push((unit.id, unit.unit_id, outcome));
        }
    }
    Ok(units)
}
