//! Reports to inventory about an order's goods: how many more are expected, and how many no longer.

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::stock::IncomingLine;
use stoa_trade::clients::stock::service as stock;
use stoa_trade::quantity::Quantity;

use crate::records::order_item::OrderItemRow;
use crate::work::order::LockedOrder;

/// Expects all goods of an order; ARCHIVED at the warehouse, where it was archived meanwhile.
pub fn expect_goods(order: &LockedOrder) -> Result<(), Problem> {
    change_incoming(order, |item| item.quantity.units())
}

/// Expects no more of what is outstanding of an order.
pub fn expect_no_goods(order: &LockedOrder) -> Result<(), Problem> {
    change_incoming(order, |item| -item.left_to_receive().units())
}

fn change_incoming(order: &LockedOrder, delta: impl Fn(&OrderItemRow) -> i128) -> Result<(), Problem> {
    let line = |item: &OrderItemRow| IncomingLine {
        variant_id: item.variant_id.into(),
        warehouse_id: order.row.warehouse_id.into(),
        delta: Quantity::from_units(delta(item)).to_string(),
    };
    let lines: Vec<IncomingLine> =
        order.items.iter().filter(|item| item.is_tracked() && delta(item) != 0).map(line).collect();
    if lines.is_empty() { Ok(()) } else { stock::change_incoming(&lines).map_err(warehouse_refusal) }
}

/// Inventory's problem, as ARCHIVED where the warehouse was archived since the order named it.
pub fn warehouse_refusal(problem: Problem) -> Problem {
    let is_warehouse = problem.errors.iter().any(|error| error.pointer.ends_with("/warehouseId"));
    if problem.code == "REFERENCE_INVALID" && is_warehouse { Problem::at("ARCHIVED", "/warehouseId") } else { problem }
}

/// The lines of which goods are expected.
pub fn tracked_items(items: &[OrderItemRow]) -> impl Iterator<Item = Id> {
    items.iter().filter(|item| item.is_tracked()).map(|item| item.id)
}
