//! S1, S2, S4, S8 to S11: orders against their lines, what they hold and have taken, the ledger of deliveries and the books.

use std::collections::BTreeMap;

use stoa_sdk::{Filter, Finding, Id, all, map};
use stoa_trade::clients::books::{self, Posted};
use stoa_trade::clients::units;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{Amount, Quantity, Tracking, sum};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::delivery::{DeliveryKind, DeliveryLineRow};
use crate::records::order::{OrderRow, OrderStatus, SALES_ORDER};
use crate::records::order_item::OrderItemRow;
use crate::rules::priced_line::PricedLine;
use crate::rules::total::is_collectable;
use crate::verify::DOCUMENTS;
use crate::work::delivery::DELIVERY;

/// An order with all that is checked against it.
struct Checked<'a> {
    order: &'a OrderRow,
    items: Vec<&'a OrderItemRow>,
    allocations: Vec<&'a AllocationRow>,
    lines: Vec<&'a DeliveryLineRow>,
    entries: Vec<&'a Posted>,
    findings: Vec<Finding>,
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<OrderRow>(Filter::default(), after, DOCUMENTS) else { return NOTHING_LEFT };
    let ids: Vec<Id> = page.rows.iter().map(|order| order.id).collect();
    let named = || ids.iter().copied();
    let live = all([OrderItemRow::order_id.one_of(named()), OrderItemRow::line_no.not_null()]);
    let items = read_every(&live, |row: &OrderItemRow| row.id);
    let allocations = read_every(&AllocationRow::order_id.one_of(named()), |row: &AllocationRow| row.id);
    let lines = read_every(&DeliveryLineRow::order_id.one_of(named()), |row: &DeliveryLineRow| row.id);
    let entries = books::entries(SALES_ORDER, &ids);
    let held = read_unit_states(&allocations);
    let mut findings = Vec::new();
    for order in &page.rows {
        let mut checked = Checked {
            order,
            items: items.iter().filter(|item| item.order_id == order.id).collect(),
            allocations: allocations.iter().filter(|row| row.order_id == order.id).collect(),
            lines: lines.iter().filter(|line| line.order_id == order.id).collect(),
            entries: entries.iter().filter(|entry| Id::from(entry.source_id) == order.id).collect(),
            findings: Vec::new(),
        };
        checked.check_totals();
        checked.check_goods(&held);
        checked.check_deliveries();
        checked.check_entry();
        findings.extend(checked.findings);
    }
    (findings, page.last)
}

/// The states of units that are held.
fn read_unit_states(allocations: &[AllocationRow]) -> BTreeMap<Id, String> {
    let held = allocations.iter().filter(|row| row.outcome == AllocationOutcome::Reserved);
    map(units::get_by_id(held.filter_map(|row| row.unit_id)).into_iter().map(|(id, unit)| (id, unit.status)))
}

impl Checked<'_> {
    fn find(&mut self, invariant: &str, message: &str) {
        self.findings.push(finding(invariant, self.order.id, message));
    }

    fn check_totals(&mut self) {
        let fits = |item: &&OrderItemRow| {
            let figures = item.price().figures();
            figures.is_ok_and(|figures| figures.unit_price == item.unit_price && figures.line_total == item.line_total)
        };
        let sum = sum(self.items.iter().map(|item| item.line_total));
        let is_sum = sum.is_ok_and(|sum| sum == self.order.total);
        if !self.items.iter().all(fits) || !is_sum || self.order.collectable != is_collectable(self.order.total) {
            self.find("S4", "The total is not the sum of quantity times price over the lines.");
        }
        if usize::try_from(self.order.item_count) != Ok(self.items.len()) {
            self.find("S4", "The order's count of lines differs from its lines.");
        }
        let is_cancelled = self.order.status == OrderStatus::Cancelled;
        let wrong = |item: &&OrderItemRow| {
            item.billed.is_negative() || item.billed > item.quantity || (is_cancelled && !item.billed.is_zero())
        };
        if self.items.iter().any(wrong) {
            self.find("S8", "More is billed of a line than was ordered, or something of a cancelled order.");
        }
    }

    /// Quantity of a line with this outcome.
    fn sum_of(&self, item: &OrderItemRow, outcome: AllocationOutcome) -> i128 {
        let of_line = self.allocations.iter().filter(|row| row.item_id == item.id && row.outcome == outcome);
        of_line.map(|row| row.quantity.units()).sum()
    }

    fn check_goods(&mut self, held: &BTreeMap<Id, String>) {
        let expects = |status: OrderStatus, item: &OrderItemRow| {
            let is_of = self.order.status == status && item.tracking != Tracking::None;
            if is_of { item.quantity.units() } else { 0 }
        };
        let is_held = |item: &&OrderItemRow| {
            self.sum_of(item, AllocationOutcome::Reserved) == expects(OrderStatus::Confirmed, item)
        };
        let is_gone = |item: &&OrderItemRow| {
            self.sum_of(item, AllocationOutcome::Delivered) == expects(OrderStatus::Completed, item)
        };
        let (all_held, all_gone) = (self.items.iter().all(is_held), self.items.iter().all(is_gone));
        let marks = |row: &&AllocationRow| {
            (row.movement_id.is_some() == (row.outcome == AllocationOutcome::Delivered))
                && (row.live_slot.is_some() == (row.outcome == AllocationOutcome::Reserved))
        };
        let all_marked = self.allocations.iter().all(marks);
        let free = |row: &&&AllocationRow| {
            row.outcome == AllocationOutcome::Reserved
                && row.unit_id.is_some_and(|unit| held.get(&unit).is_none_or(|status| status != "RESERVED"))
        };
        let any_free = self.allocations.iter().any(|row| free(&row));
        if !all_held {
            self.find("S1", "The allocations of the order differ from those of a confirmed order with these lines.");
        }
        if !all_gone || !all_marked {
            self.find("S2", "The deliveries of the order differ from those of a completed order with these lines.");
        }
        if any_free {
            self.find("S3", "A unit that the order holds is not reserved.");
        }
    }

    fn check_deliveries(&mut self) {
        let is_completed = self.order.status == OrderStatus::Completed;
        let of_kind = |kind: DeliveryKind| self.lines.iter().filter(move |line| line.kind == kind);
        let delivered = |item: &&OrderItemRow| {
            let deliveries: Vec<_> = of_kind(DeliveryKind::Delivery).filter(|line| line.source_id == item.id).collect();
            match deliveries.as_slice() {
                [] => !is_completed,
                [line] => {
                    is_completed && line.revenue == item.line_total && line.quantity.units() == item.quantity.units()
                }
                _ => false,
            }
        };
        let is_whole = of_kind(DeliveryKind::Delivery).count() == if is_completed { self.items.len() } else { 0 };
        let documents: i64 = self.lines.iter().map(|line| line.document_count).sum();
        let is_delivered = self.items.iter().all(delivered) && is_whole && documents == i64::from(is_completed);
        let came_back = |item: &&OrderItemRow| {
            let allocations = self.allocations.iter().filter(|row| row.item_id == item.id);
            let counted: i128 = allocations.map(|row| row.returned.units()).sum();
            let reported = of_kind(DeliveryKind::Return).filter(|line| line.item_id == item.id);
            counted == -reported.map(|line| line.quantity.units()).sum::<i128>()
        };
        let in_range = |row: &&AllocationRow| row.returned >= Quantity::ZERO && row.returned <= row.quantity;
        let is_returned = self.items.iter().all(came_back) && self.allocations.iter().all(in_range);
        if !is_delivered {
            self.find("S10", "The ledger of deliveries differs from the deliveries of the order.");
        }
        if !is_returned {
            self.find("S9", "The returned quantity differs from the ledger, or is more than was delivered.");
        }
    }

    fn check_entry(&mut self) {
        let entries = self.entries.iter().filter(|entry| entry.purpose == DELIVERY);
        let totals: Vec<Option<Amount>> = entries.map(|entry| entry.total.parse().ok()).collect();
        let delivered = self.lines.iter().filter(|line| line.kind == DeliveryKind::Delivery);
        let worth: i128 = delivered.map(|line| line.revenue.units() + line.cost.unwrap_or(Amount::ZERO).units()).sum();
        let fits = match totals.as_slice() {
            // The entity kept no books then, or there was nothing to post.
            [] => true,
            [total] => self.order.status == OrderStatus::Completed && *total == Some(Amount::from_units(worth)),
            _ => false,
        };
        if !fits {
            self.find("S11", "The entry of the books differs from the deliveries of the order, or there are several.");
        }
    }
}
