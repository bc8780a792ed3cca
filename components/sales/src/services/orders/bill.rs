//! Quantities that invoices bill of orders, guarded: nothing is billed twice (S8).

use stoa_sdk::store::{Failure, get_all, run, select, update_all};
use stoa_sdk::{Id, Problem, has, item, map};
use stoa_trade::arguments::parse;
use stoa_trade::quantity::Quantity;
use stoa_trade::refusal::refuse;

use crate::bindings::exports::commerce::sales::orders::BillLine;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;

/// Counts signed quantities on items, under the locks of their orders.
///
/// # Errors
/// NOT_FOUND, ILLEGAL_STATE, LIMIT_EXCEEDED at `/lines/0`.
pub fn bill(lines: &[BillLine]) -> Result<(), Problem> {
    if lines.is_empty() {
        return Ok(());
    }
    let changes: Vec<(Id, Quantity)> =
        lines.iter().map(|line| (Id::from(line.item_id), parse::<Quantity>(&line.quantity))).collect();
    let named = || changes.iter().map(|(item, _)| *item);
    let of_items = has::<OrderItemRow, _, _>(OrderRow::id, OrderItemRow::order_id, OrderItemRow::id.one_of(named()));
    let (orders, items) = run((select::<OrderRow>(of_items).locked().whole(), get_all::<OrderItemRow>(named())))?;
    let orders = map(orders.into_iter().map(|order| (order.id, order.status)));
    let items = map(items.into_iter().map(|item| (item.id, item.order_id)));
    let line_fault = |nth: usize, code: &str| item(format!("/lines/{nth}"), code);
    let missing = changes.iter().enumerate().filter(|(_, (item, _))| !items.contains_key(item));
    refuse("NOT_FOUND", missing.map(|(nth, _)| line_fault(nth, "NOT_FOUND")).collect())?;
    let can_be_billed = |item: &Id| {
        let status = items.get(item).and_then(|order| orders.get(order));
        matches!(status, Some(OrderStatus::Confirmed | OrderStatus::Completed))
    };
    let early = changes.iter().enumerate();
    let early = early.filter(|(_, (item, quantity))| *quantity > Quantity::ZERO && !can_be_billed(item));
    refuse("ILLEGAL_STATE", early.map(|(nth, _)| line_fault(nth, "ILLEGAL_STATE")).collect())?;
    let billed = update_all::<OrderItemRow>(named())
        .add_each(OrderItemRow::billed, changes.iter().map(|(_, quantity)| *quantity));
    run(billed).map_err(|failure| match failure {
        Failure::RefusedChange(misses) => {
            let beyond = misses.iter().map(|miss| line_fault(miss.row as usize, "BILLED_BEYOND_ORDER"));
            Problem { code: "LIMIT_EXCEEDED".to_owned(), errors: beyond.collect() }
        }
        other => other.into(),
    })
}
