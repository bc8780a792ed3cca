//! T3, T4 and T8: receipts against their payments and the orders that they collected.

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::{Filter, Id, map};
use stoa_trade::clients::sales::{self, Order, Status};
use stoa_trade::pages::read_every;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::{Amount, widen};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::payment::PaymentRow;
use crate::records::receipt::ReceiptRow;
use crate::verify::BATCH;

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<ReceiptRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let receipts = page.rows;
    let of_receipts = PaymentRow::receipt_id.one_of(receipts.iter().map(|receipt| receipt.id));
    let payments = read_every(&of_receipts, |row: &PaymentRow| row.id);
    let orders: Vec<Id> = receipts.iter().map(|receipt| receipt.order_id).collect();
    let orders = sales::read_orders(&orders, &[])
        .unwrap_or_else(|problem| fault(&format!("orders cannot be read: {}", problem.code)));
    let orders: BTreeMap<Id, Order> = map(orders.into_iter().map(|order| (Id::from(order.id), order)));
    let mut findings = Vec::new();
    for receipt in &receipts {
        let receipt_payments: Vec<&PaymentRow> = payments.iter().filter(|row| row.receipt_id == receipt.id).collect();
        if !is_paid(receipt, &receipt_payments) {
            findings.push(finding("T3", receipt.id, "The total is not the sum of the payments, or not what was kept."));
        }
        let order = orders.get(&receipt.order_id);
        if !order.is_some_and(|order| has_collected(receipt, order)) {
            findings.push(finding("T8", receipt.id, "The order was not delivered with this receipt at this total."));
        }
    }
    (findings, page.last)
}

/// The total is the sum of the payments and what was tendered less the change; cash is what stayed, in the lines 1, 2 and so on.
fn is_paid(receipt: &ReceiptRow, payments: &[&PaymentRow]) -> bool {
    let total = receipt.total.units();
    let sum: i128 = payments.iter().map(|row| row.amount.units()).sum();
    let cash: i128 = payments.iter().filter(|row| row.method.is_cash()).map(|row| row.amount.units()).sum();
    let is_flagged = |method: Method| {
        let (_, flag) = ReceiptRow::method_flag(method);
        flag(receipt) == payments.iter().any(|row| row.method == method)
    };
    let mut lines: Vec<i64> = payments.iter().map(|row| row.line_no).collect();
    lines.sort_unstable();
    sum == total
        && receipt.tendered.units() - receipt.change.units() == total
        && receipt.cash_amount.is_none_or(|kept| kept.units() == cash)
        && Method::ALL.into_iter().all(is_flagged)
        && lines.into_iter().eq((1..).take(payments.len()))
}

fn has_collected(receipt: &ReceiptRow, order: &Order) -> bool {
    order.status == Status::Completed
        && order.receipt_id.map(Id::from) == Some(receipt.id)
        && order.currency_code == receipt.currency_code
        && order.total.parse::<Amount>() == Ok(widen(receipt.total))
}
