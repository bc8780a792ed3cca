//! Orders against their lines and receipts: J1, J2, J5, J6 and J9.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Filter, Finding, Id, all, map, totals};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{self, Amount, Quantity};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};
use stoa_trade::text::key;

use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::receipt_item::ReceiptItemRow;

/// Orders of a batch: with their lines, and the sums of these, they stay below what one call answers.
const BATCH: u32 = 10;

totals! {
    Came of ReceiptItemRow by [order_item_id: Id] { quantity: Quantity = sum(quantity), value: Amount = sum(line_total) }
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<OrderRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let ids = || page.rows.iter().map(|order| order.id);
    let live = all([OrderItemRow::order_id.one_of(ids()), OrderItemRow::line_no.not_null()]);
    let items = read_every(&live, |item: &OrderItemRow| item.id);
    let came = (!items.is_empty()).then(|| {
        let of_items = ReceiptItemRow::order_item_id.one_of(items.iter().map(|item| item.id));
        aggregate::<Came>(of_items).whole()
    });
    let came = map(read(came).unwrap_or_default().into_iter().map(|sum| (sum.order_item_id, sum)));
    let mut findings = Vec::new();
    for order in &page.rows {
        let lines: Vec<&OrderItemRow> = items.iter().filter(|item| item.order_id == order.id).collect();
        judge_order(order, &lines, &mut findings);
        lines.iter().for_each(|item| judge_item(order, item, &came, &mut findings));
    }
    (findings, page.last)
}

fn judge_order(order: &OrderRow, items: &[&OrderItemRow], findings: &mut Vec<Finding>) {
    if order.number_key != key(&order.number) {
        findings.push(finding("J6", order.id, "The order's key is not that of its number."));
    }
    let total = quantity::sum(items.iter().map(|item| item.line_total));
    if total.ok() != Some(order.total) || usize::try_from(order.item_count) != Ok(items.len()) {
        findings.push(finding("J9", order.id, "The order's total or count is not that of its lines."));
    }
    let (is_whole, is_untouched) =
        (items.iter().all(|item| item.left_to_receive().is_zero()), items.iter().all(|item| item.received.is_zero()));
    let is_right = match order.status {
        OrderStatus::Draft | OrderStatus::Approved => is_untouched,
        OrderStatus::PartiallyReceived => !is_untouched && !is_whole,
        OrderStatus::Received => is_whole,
        OrderStatus::Cancelled => true,
    };
    let is_dated = (order.status == OrderStatus::Cancelled) == order.cancelled_at.is_some()
        && (order.status != OrderStatus::Draft || order.approved_at.is_none())
        && (!order.status.is_open() || order.approved_at.is_some());
    if !is_right || !is_dated {
        findings.push(finding("J2", order.id, "The order's status contradicts its lines."));
    }
}

fn judge_item(order: &OrderRow, item: &OrderItemRow, came: &BTreeMap<Id, Came>, findings: &mut Vec<Finding>) {
    let (quantity, value) = came.get(&item.id).map_or_else(Default::default, |sum| (sum.quantity, sum.value));
    if item.received != quantity || item.received_value != value || item.received > item.quantity {
        findings.push(finding(
            "J1",
            item.id,
            "The received quantity of the line differs from the sum of its receipts.",
        ));
    }
    let most = if order.status == OrderStatus::Cancelled { item.received } else { item.quantity };
    let billed = quantity::multiply(item.billed, item.unit_cost).ok();
    if item.billed.is_negative() || item.billed > most || billed != Some(item.billed_value) {
        findings.push(finding("J5", item.id, "More of the line is billed than is allowed, or at another value."));
    }
    if quantity::multiply(item.quantity, item.unit_cost).ok() != Some(item.line_total) {
        findings.push(finding("J9", item.id, "The line's total is not its quantity at its cost."));
    }
    let is_open = item.is_tracked() && !item.still_to_come(order.status).is_zero();
    let is_its_orders = item.legal_entity_id == order.legal_entity_id
        && item.warehouse_id == order.warehouse_id
        && item.currency_code == order.currency_code;
    if item.open != is_open || !is_its_orders {
        findings.push(finding("order-line", item.id, "The line does not say what its order says."));
    }
    // One that is settled and does not say so yet is only read in vain: a version before wrote it.
    if item.settled && !item.is_settled(Amount::ZERO, Amount::ZERO) {
        findings.push(finding("settled", item.id, "The line is settled, but not as much of it is billed as came."));
    }
}
