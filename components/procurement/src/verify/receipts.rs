//! Receipts against their lines, their units, the charges that reached them, and the books: J5, J7 and J8.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, find, get_all, read};
use stoa_sdk::{Field, Filter, Finding, Id, map, set, totals};
use stoa_trade::clients::books::{self, Posted};
use stoa_trade::clients::{keys, units};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::{self, Amount, Money, Tracking};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::charge::AllocationRow;
use crate::records::order::OrderRow;
use crate::records::receipt::ReceiptRow;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};
use crate::work::posting;

/// Receipts of a batch: with their lines they stay below what one call answers.
const BATCH: u32 = 8;

totals! { Charged of AllocationRow by [receipt_item_id: Id] { amount: Money = sum(amount) } }

/// Records that belong to the receipts of a batch.
struct Found {
    orders: BTreeMap<Id, OrderRow>,
    items: Vec<ReceiptItemRow>,
    balances: BTreeMap<Id, ReceiptBalanceRow>,
    /// The amount that was allocated to each line.
    charged: BTreeMap<Id, Money>,
    /// Allocations of the lines.
    allocations: Vec<AllocationRow>,
    /// How many units came with a line.
    units: BTreeMap<Id, usize>,
    entries: Vec<Posted>,
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<ReceiptRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let found = find_all(&page.rows);
    let mut findings = Vec::new();
    for receipt in &page.rows {
        let lines: Vec<&ReceiptItemRow> = found.items.iter().filter(|item| item.receipt_id == receipt.id).collect();
        judge_receipt(receipt, &lines, &found, &mut findings);
        lines.iter().for_each(|item| judge_item(item, &found, &mut findings));
    }
    (findings, page.last)
}

fn find_all(receipts: &[ReceiptRow]) -> Found {
    let ids: Vec<Id> = receipts.iter().map(|receipt| receipt.id).collect();
    let of_receipts = ReceiptItemRow::receipt_id.one_of(ids.iter().copied());
    let items = read_every(&of_receipts, |item: &ReceiptItemRow| item.id);
    let of_items = || AllocationRow::receipt_item_id.one_of(items.iter().map(|item| item.id));
    let keys_of = items.iter().map(|item| vec![item.id.put()]);
    let (orders, balances, charged) = read((
        get_all::<OrderRow>(set(receipts.iter().map(|receipt| receipt.order_id))),
        (!items.is_empty()).then(|| find::<ReceiptBalanceRow>("item", keys_of)),
        (!items.is_empty()).then(|| aggregate::<Charged>(of_items()).whole()),
    ));
    let allocations = if items.is_empty() { Vec::new() } else { read_every(&of_items(), |row: &AllocationRow| row.id) };
    let serialized = items.iter().filter(|item| item.tracking == Tracking::Serialized).map(|item| item.id);
    let serialized = keys(serialized);
    let of_lines = if serialized.is_empty() { Vec::new() } else { units::service::of_receipt_items(&serialized) };
    let (kind, purpose) = posting::RECEIPT;
    let mut entries = books::entries(kind, &ids);
    entries.retain(|entry| entry.purpose == purpose);
    Found {
        orders: map(orders.into_iter().map(|order| (order.id, order))),
        balances: map(balances.unwrap_or_default().into_iter().map(|balance| (balance.receipt_item_id, balance))),
        charged: map(charged.unwrap_or_default().into_iter().map(|sum| (sum.receipt_item_id, sum.amount))),
        allocations,
        units: map(of_lines.into_iter().map(|line| (line.id.into(), line.unit_ids.len()))),
        entries,
        items,
    }
}

fn judge_receipt(receipt: &ReceiptRow, items: &[&ReceiptItemRow], found: &Found, findings: &mut Vec<Finding>) {
    if quantity::sum(items.iter().map(|item| item.line_total)).ok() != Some(receipt.total) || items.is_empty() {
        findings.push(finding("receipt-total", receipt.id, "The receipt's total is not that of its lines."));
    }
    let is_its_orders = found.orders.get(&receipt.order_id).is_some_and(|order| {
        order.supplier_id == receipt.supplier_id
            && order.legal_entity_id == receipt.legal_entity_id
            && order.warehouse_id == receipt.warehouse_id
            && order.currency_code == receipt.currency_code
    });
    if !is_its_orders {
        findings.push(finding("receipt-order", receipt.id, "The receipt does not say what its order says."));
    }
    // Charges that came with the goods are of the receipt's own instant, later ones have entries of their own.
    let is_own = |row: &&AllocationRow| {
        row.created_at == receipt.created_at && items.iter().any(|item| item.id == row.receipt_item_id)
    };
    let charges = found.allocations.iter().filter(is_own).map(|row| quantity::widen(row.amount));
    let worth: Option<Amount> = quantity::sum([receipt.total].into_iter().chain(charges)).ok();
    let entries = found.entries.iter().filter(|entry| Id::from(entry.source_id) == receipt.id);
    let totals: Vec<Option<Amount>> = entries.map(|entry| entry.total.parse().ok()).collect();
    if totals.len() > 1 {
        findings.push(finding("entry-once", receipt.id, "The receipt has several entries in the books."));
    }
    if totals.first().is_some_and(|total| *total != worth) {
        findings.push(finding("entry-total", receipt.id, "The books' entry is not what came and its charges."));
    }
}

fn judge_item(item: &ReceiptItemRow, found: &Found, findings: &mut Vec<Finding>) {
    let came = found.units.get(&item.id).copied().unwrap_or(0);
    let wanted = if item.tracking == Tracking::Serialized { quantity::pieces(item.quantity) } else { Some(0) };
    if wanted != Some(came) {
        findings.push(finding("J7", item.id, "The number of units that came with the line differs from its quantity."));
    }
    let Some(balance) = found.balances.get(&item.id) else {
        findings.push(finding("receipt-balance", item.id, "The line has no balance."));
        return;
    };
    if balance.quantity != item.quantity || balance.billed.is_negative() || balance.billed > item.quantity {
        findings.push(finding("J5", item.id, "More of the receipt's line is billed than came."));
    }
    if balance.charge_amount != found.charged.get(&item.id).copied().unwrap_or(Money::ZERO) {
        findings.push(finding("J8", item.id, "The line's charges differ from the allocations to it."));
    }
}
