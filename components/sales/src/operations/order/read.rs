//! One sales order with its lines: to people with its units, to API clients never.

use stoa_sdk::store::{MOST_ROWS, get, run, select};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, set};
use stoa_trade::pages::read_rest;

use crate::records::allocation::AllocationRow;
use crate::records::order::{ApiSalesOrder, ApiSalesOrderHeader, OrderRow, SalesOrder, SalesOrderHeader};
use crate::records::order_item::{ApiSalesOrderItem, KnownUnit, OrderItemRow, SalesOrderItem};
use crate::rules::price::LinePrice;
use crate::work::order::{live_items, sort_items};
use crate::work::reservation::group_by_item;
use crate::work::units::read_known_units;

/// An order with all that is read of it.
struct WholeOrder {
    row: OrderRow,
    items: Vec<OrderItemRow>,
    allocations: Vec<AllocationRow>,
}

fn read_order(id: Id) -> Result<WholeOrder, Problem> {
    let of_order = AllocationRow::order_id.eq(id);
    let (row, mut items, allocations) = run((
        get::<OrderRow>(id),
        select::<OrderItemRow>(live_items(id)).whole(),
        // Exchanges of units leave what was released behind: there may be any number.
        select::<AllocationRow>(of_order.clone()).limit(MOST_ROWS),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    sort_items(&mut items);
    Ok(WholeOrder { row, items, allocations: read_rest(allocations, &of_order, |row| row.id)? })
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let order = read_order(id)?;
    let by_item = group_by_item(&order.allocations);
    let ids = set(order.allocations.iter().filter_map(|row| row.unit_id));
    let known = read_known_units(ids);
    let item = |row: &OrderItemRow| {
        let figures = LinePrice::of_order(row).figures()?;
        let of_line = by_item.get(&row.id).map(Vec::as_slice).unwrap_or_default();
        Ok(SalesOrderItem::from_row(row, figures, order.row.status, of_line, |unit| {
            known.get(&unit).map(KnownUnit::from_unit)
        }))
    };
    let items = order.items.iter().map(item).collect::<Result<_, Problem>>()?;
    Ok(Reply::json(&SalesOrder { header: SalesOrderHeader::from_row(&order.row), items }).resource(id))
}

pub fn read_as_client(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let order = read_order(id)?;
    let by_item = group_by_item(&order.allocations);
    let item = |row: &OrderItemRow| {
        let figures = LinePrice::of_order(row).figures()?;
        let of_line = by_item.get(&row.id).map(Vec::as_slice).unwrap_or_default();
        Ok(ApiSalesOrderItem::from_row(row, figures, of_line))
    };
    let items = order.items.iter().map(item).collect::<Result<_, Problem>>()?;
    Ok(Reply::json(&ApiSalesOrder { header: ApiSalesOrderHeader::from_row(&order.row), items }).resource(id))
}
