//! J8: the allocated amount of a charge is the sum of its allocations, each the sum of its destinations; and the entries
//! of those that came late.

use std::collections::BTreeMap;

use stoa_sdk::store::{get_all, read};
use stoa_sdk::{Filter, Finding, Id, Instant, map, set};
use stoa_trade::clients::books;
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{self, Amount, Money};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::charge::{AllocationRow, ChargeRow, ChargeStatus};
use crate::records::receipt::ReceiptRow;
use crate::records::receipt_item::ReceiptItemRow;
use crate::work::posting;

/// Charges of a batch.
const BATCH: u32 = 20;

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<ChargeRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let of_charges = AllocationRow::charge_id.one_of(page.rows.iter().map(|charge| charge.id));
    let allocations = read_every(&of_charges, |row: &AllocationRow| row.id);
    let orders = read_orders(&allocations);
    let mut findings = Vec::new();
    for charge in &page.rows {
        let own_allocations: Vec<&AllocationRow> =
            allocations.iter().filter(|row| row.charge_id == charge.id).collect();
        judge_charge(charge, &own_allocations, &orders, &mut findings);
    }
    findings.extend(judge_entries(&allocations));
    (findings, page.last)
}

/// The order of each receipt's line.
fn read_orders(allocations: &[AllocationRow]) -> BTreeMap<Id, Id> {
    let lines: Vec<Id> = set(allocations.iter().map(|row| row.receipt_item_id)).into_iter().collect();
    let items = lines.chunks(500).flat_map(|ids| read(get_all::<ReceiptItemRow>(ids.iter().copied())));
    let items: Vec<ReceiptItemRow> = items.collect();
    let receipts: Vec<Id> = set(items.iter().map(|item| item.receipt_id)).into_iter().collect();
    let receipts = receipts.chunks(500).flat_map(|ids| read(get_all::<ReceiptRow>(ids.iter().copied())));
    let receipts = map(receipts.map(|receipt| (receipt.id, receipt.order_id)));
    map(items.iter().filter_map(|item| Some((item.id, *receipts.get(&item.receipt_id)?))))
}

fn judge_charge(
    charge: &ChargeRow,
    allocations: &[&AllocationRow],
    orders: &BTreeMap<Id, Id>,
    findings: &mut Vec<Finding>,
) {
    let sum: Option<Money> = quantity::sum(allocations.iter().map(|row| row.amount)).ok();
    if sum != Some(charge.allocated) || charge.allocated > charge.amount {
        findings.push(finding(
            "J8",
            charge.id,
            "The allocated amount of the charge differs from the sum of its allocations.",
        ));
    }
    let status = ChargeRow::status_when(charge.amount, charge.allocated);
    let is_cancelled = charge.status == ChargeStatus::Cancelled && charge.allocated.is_zero();
    if charge.status != status && !is_cancelled {
        findings.push(finding("charge-status", charge.id, "The charge's status is not what is allocated of it."));
    }
    for row in allocations {
        let parts: Option<Amount> = quantity::sum(row.destinations.0.iter().map(|part| part.amount)).ok();
        if parts != Some(quantity::widen(row.amount)) {
            findings.push(finding("J8", row.id, "The allocation is not the sum of its destinations."));
        }
        if orders.get(&row.receipt_item_id) != Some(&charge.order_id) {
            findings.push(finding("charge-order", row.id, "The charge is allocated to goods of another order."));
        }
    }
}

/// Allocations of one request have one entry, that of the first.
fn judge_entries(allocations: &[AllocationRow]) -> Vec<Finding> {
    let mut requests: BTreeMap<(Id, Instant), Vec<&AllocationRow>> = BTreeMap::new();
    for row in allocations {
        requests.entry((row.charge_id, row.created_at)).or_default().push(row);
    }
    let (kind, purpose) = posting::ALLOCATION;
    let ids: Vec<Id> = allocations.iter().map(|row| row.id).collect();
    let entries = books::entries(kind, &ids).into_iter().filter(|entry| entry.purpose == purpose);
    let entries = map(entries.map(|entry| (Id::from(entry.source_id), entry)));
    let mut findings = Vec::new();
    for rows in requests.values() {
        let worth: Option<Amount> = quantity::sum(rows.iter().map(|row| quantity::widen(row.amount))).ok();
        for (nth, row) in rows.iter().enumerate() {
            let Some(entry) = entries.get(&row.id) else { continue };
            if nth > 0 || entry.total.parse().ok() != worth {
                findings.push(finding("entry-total", row.id, "The books' entry is not what was allocated."));
            }
        }
    }
    findings
}
