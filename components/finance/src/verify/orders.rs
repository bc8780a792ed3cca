//! Billed quantities that orders state against the invoices that bill them (FI4).

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{aggregate, read, select};
use stoa_sdk::{Filter, Finding, Id, all, has, map, set, totals};
use stoa_trade::quantity::Quantity;

use crate::records::invoice::{InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::side::Side;
use crate::verify::finding;
use crate::work::ordered::read_orders;

/// Invoices of a batch; each has 100 lines at most.
pub const INVOICES: u32 = 10;
/// Lines of orders that are asked for at once: each may be of an order of its own.
const ITEMS: usize = 100;

totals! { Billed of InvoiceLineRow by [order_item_id: Option<Id>] { quantity: Quantity = sum(quantity) } }

/// The invoices that bill.
pub fn filter_issued() -> Filter {
    InvoiceRow::status.eq(InvoiceStatus::Issued)
}

/// FI4: the billed quantity of an order's line is the one that issued invoices bill.
pub fn check_billed(rows: &[InvoiceRow]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for side in [Side::Sales, Side::Purchases] {
        let ids: Vec<Id> = rows.iter().filter(|row| row.side == side).map(|row| row.id).collect();
        let items: Vec<Id> = read_items(&ids).into_iter().collect();
        findings.extend(items.chunks(ITEMS).flat_map(|some| check_items(side, &set(some.iter().copied()))));
    }
    findings
}

/// The lines of orders that these invoices bill.
fn read_items(invoices: &[Id]) -> BTreeSet<Id> {
    if invoices.is_empty() {
        return BTreeSet::new();
    }
    let of_invoices = InvoiceRow::id.one_of(invoices.iter().copied());
    let standing = has::<InvoiceRow, _, _>(InvoiceLineRow::line_set_id, InvoiceRow::line_set_id, of_invoices);
    set(read(select::<InvoiceLineRow>(standing).whole()).into_iter().filter_map(|line| line.order_item_id))
}

fn check_items(side: Side, items: &BTreeSet<Id>) -> Vec<Finding> {
    let issued = has::<InvoiceRow, _, _>(
        InvoiceLineRow::line_set_id,
        InvoiceRow::line_set_id,
        InvoiceRow::status.eq(InvoiceStatus::Issued),
    );
    let of_items = InvoiceLineRow::order_item_id.one_of(items.iter().copied());
    let billed = read(aggregate::<Billed>(all([of_items, issued])).whole());
    let billed: BTreeMap<Option<Id>, Quantity> =
        map(billed.into_iter().map(|group| (group.order_item_id, group.quantity)));
    let Ok(orders) = read_orders(side, items, &BTreeSet::new()) else { return Vec::new() };
    let differs = |item: &&Id| orders.lines.get(*item).map(|line| line.billed) != billed.get(&Some(**item)).copied();
    let message = "The billed quantity of the order's line differs from that of its issued invoices.";
    items.iter().filter(differs).map(|item| finding("FI4", *item, message)).collect()
}
