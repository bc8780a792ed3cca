//! Goods that are reserved for an order: which units, how many, and by which reservations.

use std::collections::BTreeMap;

use stoa_sdk::store::{Update, update_all};
use stoa_sdk::{Id, Problem, new_ids};
use stoa_trade::clients::keys;
use stoa_trade::clients::stock::{self, ReserveLine, Reserved, SalesOrder};
use stoa_trade::new_record;
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::refuse;

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::work::references::unit_count_fault;

/// A line whose goods are reserved.
pub struct ReservedLine<'a> {
    pub item: &'a OrderItemRow,
    /// As many as a serialized line's quantity; none on others.
    pub units: &'a [Id],
    /// The position of the line, for rejections.
    pub pointer: String,
    /// The position of its units.
    pub units_pointer: String,
}

impl<'a> ReservedLine<'a> {
    /// The line as it is in the record, with the units that were chosen in the draft.
    pub fn from_row(item: &'a OrderItemRow) -> ReservedLine<'a> {
        let pointer = item.pointer();
        ReservedLine { item, units: &item.chosen_units.0, units_pointer: format!("{pointer}/chosenUnitIds"), pointer }
    }
}

/// Refuses with UNIT_COUNT_MISMATCH lines without as many units as their quantity: the service never picks units.
pub fn check_choice(lines: &[ReservedLine<'_>]) -> Result<(), Problem> {
    let wrong = lines.iter().filter(|line| line.units.len() != line.item.unit_count());
    let faults = wrong.map(|line| unit_count_fault(line.pointer.clone(), line.item.unit_count(), line.units.len()));
    refuse("UNIT_COUNT_MISMATCH", faults.collect())
}

/// The order's identity for inventory.
pub fn document(order: &OrderRow) -> SalesOrder {
    SalesOrder { id: order.id.into(), number: order.number.clone() }
}

/// Reserves all that is tracked, or nothing. Inventory is not called where all lines are untracked.
///
/// # Errors
/// INSUFFICIENT_STOCK, UNIT_UNAVAILABLE, CUSTODY_CONFLICT, at the lines' places.
pub fn reserve_goods(order: &OrderRow, lines: &[ReservedLine<'_>]) -> Result<Vec<AllocationRow>, Problem> {
    let tracked: Vec<&ReservedLine<'_>> = lines.iter().filter(|line| line.item.tracking != Tracking::None).collect();
    if tracked.is_empty() {
        return Ok(Vec::new());
    }
    let to_wire = |line: &&ReservedLine<'_>| ReserveLine {
        line: line.item.id.into(),
        variant_id: line.item.variant_id.into(),
        quantity: line.item.quantity.to_string(),
        unit_ids: keys(line.units.iter().copied()),
    };
    let wire: Vec<ReserveLine> = tracked.iter().map(to_wire).collect();
    let reserved = stock::service::reserve(&document(order), order.warehouse_id.into(), &wire);
    let reserved = reserved.map_err(|refusal| move_refusal(refusal, &tracked))?;
    Ok(allocate(order, reserved))
}

/// Inventory's rejection of its lines, at their places here.
fn move_refusal(refusal: Problem, lines: &[&ReservedLine<'_>]) -> Problem {
    let mut refusal = refusal.moved("/warehouse", "/warehouseId");
    for (nth, line) in lines.iter().enumerate() {
        refusal = refusal.moved(&format!("/lines/{nth}/unitIds"), &line.units_pointer);
    }
    let places: Vec<&str> = lines.iter().map(|line| line.pointer.as_str()).collect();
    refusal.moved_each("/lines", &places)
}

/// A row for each reservation.
fn allocate(order: &OrderRow, reserved: Vec<Reserved>) -> Vec<AllocationRow> {
    let ids = new_ids(u32::try_from(reserved.len()).unwrap_or(u32::MAX));
    let row = |(id, reservation): (Id, Reserved)| {
        new_record!(AllocationRow {
            id,
            order_id: order.id,
            item_id: reservation.line.into(),
            reservation_id: reservation.reservation_id.into(),
            // The digits of the requested quantity.
            quantity: reservation.quantity.parse().unwrap_or_default(),
            returned: Default::default(),
            unit_id: reservation.unit_id.map(Id::from),
            outcome: AllocationOutcome::Reserved,
            live_slot: Some(1),
            movement_id: None,
        })
    };
    ids.into_iter().zip(reserved).map(row).collect()
}

/// Releases what is reserved for the order, and draws the change of the rows. Inventory is not asked where nothing is.
pub fn release_goods(order: Id, held: &[AllocationRow], reason: &str) -> Result<Update<AllocationRow>, Problem> {
    if !held.is_empty() {
        let reservations = keys(held.iter().map(|row| row.reservation_id));
        stock::service::release(order.into(), &reservations, reason)?;
    }
    let released = update_all::<AllocationRow>(held.iter().map(|row| row.id));
    let released = released.set(AllocationRow::outcome, &AllocationOutcome::Released);
    Ok(released.set(AllocationRow::live_slot, &None))
}

/// Allocations by their line.
pub fn group_by_item(allocations: &[AllocationRow]) -> BTreeMap<Id, Vec<&AllocationRow>> {
    let mut groups: BTreeMap<Id, Vec<&AllocationRow>> = BTreeMap::new();
    allocations.iter().for_each(|row| groups.entry(row.item_id).or_default().push(row));
    groups
}
