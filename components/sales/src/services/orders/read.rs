//! Orders that other documents are about, held against other writers where they say so.

use stoa_sdk::store::{GetAll, MOST_ROWS, get_all, run, select};
use stoa_sdk::{Id, Problem, all, map, set};
use stoa_trade::pages::read_rest;

use crate::bindings::exports::commerce::sales::orders as service;
use crate::records::allocation::AllocationRow;
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::services::orders::wire::order_to_wire;
use crate::work::priced_line::sort_lines;

/// Orders of one question.
const MOST_ORDERS: usize = 100;

/// The orders of these ids and those of these items, in the order of their ids, where one answer holds them.
pub fn read_orders(orders: &[Id], items: &[Id], for_update: bool) -> Result<Vec<service::Order>, Problem> {
    let mut ids = set(orders.iter().copied());
    if !items.is_empty() {
        let of_items: Vec<OrderItemRow> = run(get_all(items.iter().copied()))?;
        ids.extend(of_items.into_iter().map(|item| item.order_id));
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    if ids.len() > MOST_ORDERS {
        return Err(Problem::limit_exceeded("", MOST_ORDERS, "ORDERS"));
    }
    let rows: GetAll<OrderRow> = get_all(ids.iter().copied());
    let rows = if for_update { rows.locked() } else { rows };
    let live = all([OrderItemRow::order_id.one_of(ids.iter().copied()), OrderItemRow::line_no.not_null()]);
    let theirs = AllocationRow::order_id.one_of(ids.iter().copied());
    let (rows, items, allocations) = run((
        rows,
        select::<OrderItemRow>(live.clone()).limit(MOST_ROWS),
        select::<AllocationRow>(theirs.clone()).limit(MOST_ROWS),
    ))?;
    let items = read_rest(items, &live, |row| row.id)?;
    let allocations = read_rest(allocations, &theirs, |row| row.id)?;
    let rows = map(rows.into_iter().map(|row| (row.id, row)));
    let order = |row: &OrderRow| {
        let mut lines: Vec<OrderItemRow> = items.iter().filter(|item| item.order_id == row.id).cloned().collect();
        sort_lines(&mut lines);
        let held: Vec<AllocationRow> =
            allocations.iter().filter(|allocation| allocation.order_id == row.id).cloned().collect();
        order_to_wire(row, &lines, &held)
    };
    rows.values().map(order).collect()
}
