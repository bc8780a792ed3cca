//! An invoice under its lock, with the orders that it bills, held before it (`sales-pos.md` 14), and the records behind
//! its lines.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::store::{find, get, run, select};
use stoa_sdk::{Field, Filter, Id, Problem, has, map, set};
use stoa_trade::clients::purchases::{self, ReceiptItem};
use stoa_trade::clients::sales::Outcome;
use stoa_trade::document::version::ExpectedVersion;

use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::side::Side;
use crate::records::unit_claim::UnitClaimRow;
use crate::rules::billed_units::{BilledLine, Fulfilment};
use crate::work::invoice::claim::find_claims;
use crate::work::ordered::{Orders, lock_orders, read_received_line};

/// An invoice that is about to change, and all that the change depends on.
pub struct LockedInvoice {
    pub row: InvoiceRow,
    /// In their order.
    pub lines: Vec<InvoiceLineRow>,
    /// The balance of a posted invoice.
    pub paid: Option<InvoiceBalanceRow>,
    /// Those that it bills.
    pub orders: Orders,
    /// Claims of units that its lines may bill, by their keys, and those that it has.
    pub claims: BTreeMap<Id, UnitClaimRow>,
}

/// The lines of an invoice, of the set that is valid.
pub fn lines_of(invoice: Id) -> Filter {
    let of_invoice = InvoiceRow::id.eq(invoice);
    has::<InvoiceRow, _, _>(InvoiceLineRow::line_set_id, InvoiceRow::line_set_id, of_invoice)
}

/// Holds the orders of an invoice, then the invoice. A stale version is pointed at: bodies that confirm state the order's too.
///
/// # Errors
/// NOT_FOUND, also of the other side's; VERSION_CONFLICT.
pub fn lock_invoice(side: Side, id: Id, expected: ExpectedVersion) -> Result<LockedInvoice, Problem> {
    let (row, lines) = run((get::<InvoiceRow>(id), select::<InvoiceLineRow>(lines_of(id)).whole()))?;
    let first = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    expected.check_at(first.version, "/expectedVersion")?;
    let orders = lock_orders_of(side, &lines)?;
    let keys = claim_keys(side, &orders);
    let (row, mut lines, paid, there, invoice_claims) = run((
        get::<InvoiceRow>(id).locked(),
        select::<InvoiceLineRow>(lines_of(id)).whole(),
        find::<InvoiceBalanceRow>("invoice", [vec![id.put()]]).locked(),
        find_claims(side, &keys),
        select::<UnitClaimRow>(UnitClaimRow::invoice_id.eq(id)).whole(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    // The version under the lock must equal the one read before it.
    expected.check_at(row.version, "/expectedVersion")?;
    lines.sort_by_key(|line| line.line_no);
    let claims = there.into_iter().flatten().chain(invoice_claims);
    Ok(LockedInvoice {
        row,
        lines,
        paid: paid.into_iter().next(),
        orders,
        claims: map(claims.map(|claim| (claim.claim_key, claim))),
    })
}

fn lock_orders_of(side: Side, lines: &[InvoiceLineRow]) -> Result<Orders, Problem> {
    let items: BTreeSet<Id> = set(lines.iter().filter_map(|line| line.order_item_id));
    if items.is_empty() {
        return Ok(Orders::default());
    }
    let received = set(lines.iter().filter_map(|line| line.receipt_item_id));
    let mut orders = lock_orders(side, &items, &received)?;
    if side == Side::Purchases && lines.iter().any(|line| line.is_serialized() && line.order_id.is_some()) {
        let ids: Vec<Id> = set(lines.iter().filter_map(|line| line.order_id)).into_iter().collect();
        // All that came of the lines' orders, the oldest first.
        let all: Vec<ReceiptItem> = purchases::read_received(&ids);
        orders.received = map(all.iter().map(|line| (Id::from(line.id), read_received_line(line))));
    }
    Ok(orders)
}

/// The keys by which units of these orders are claimed.
fn claim_keys(side: Side, orders: &Orders) -> Vec<Id> {
    let keys = match side {
        Side::Sales => set(orders.units.values().flatten().map(|unit| unit.allocation)),
        Side::Purchases => set(orders.received.values().flat_map(|line| line.units.iter().copied())),
    };
    keys.into_iter().collect()
}

impl LockedInvoice {
    /// # Errors
    /// ILLEGAL_STATE unless it is a draft.
    pub fn require_draft(&self) -> Result<(), Problem> {
        if self.row.status == InvoiceStatus::Draft { Ok(()) } else { Err(Problem::new("ILLEGAL_STATE")) }
    }

    /// Its lines with the records behind them.
    pub fn billed_lines(&self) -> Vec<BilledLine<'_>> {
        self.lines.iter().map(|line| (line, self.fulfilment(line))).collect()
    }

    /// Fulfilment of a line; `None`: the line has no order.
    fn fulfilment(&self, line: &InvoiceLineRow) -> Option<Fulfilment> {
        let item = line.order_item_id?;
        let order = line.order_id?;
        let state = self.orders.states.get(&order);
        let is_free = |claim: &Id| self.claims.get(claim).is_none_or(|row| row.invoice_id.is_none());
        let units = self.orders.units.get(&item).map(Vec::as_slice).unwrap_or_default();
        let of_outcome = |outcome: Outcome| {
            let these = units.iter().filter(move |unit| unit.outcome == outcome && is_free(&unit.allocation));
            these.map(|unit| unit.unit).collect::<Vec<Id>>()
        };
        match self.row.side {
            Side::Sales => Some(Fulfilment {
                is_delivered: state.is_some_and(|state| state.is_delivered),
                linked: of_outcome(Outcome::Delivered),
                held: of_outcome(Outcome::Reserved),
            }),
            Side::Purchases => {
                let received = self.orders.received.values();
                let came = received.filter(|received_line| match line.receipt_item_id {
                    Some(id) => received_line.id == id,
                    None => received_line.order_item == item,
                });
                let linked = came
                    .flat_map(|received_line| received_line.units.iter().copied())
                    .filter(|unit| is_free(unit))
                    .collect();
                Some(Fulfilment { is_delivered: false, linked, held: Vec::new() })
            }
        }
    }
}
