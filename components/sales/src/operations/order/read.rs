//! One sales order with its lines: to people with its units, to API clients never.

use stoa_sdk::store::{MOST_ROWS, get, run, select};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, set};
use stoa_trade::Caller;
use stoa_trade::pages::read_rest;

use crate::records::allocation::AllocationRow;
use crate::records::order::{ApiSalesOrder, ApiSalesOrderHeader, OrderRow, SalesOrder, SalesOrderHeader};
use crate::records::order_item::{ApiSalesOrderItem, KnownUnit, OrderItemRow, SalesOrderItem};
use crate::rules::priced_line::PricedLine;
use crate::work::priced_line::{live_lines, sort_lines};
use crate::work::reservation::group_by_item;
use crate::work::units::read_known_units;

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let of_order = AllocationRow::order_id.eq(id);
    let (row, mut items, allocations) = run((
        get::<OrderRow>(id),
        select::<OrderItemRow>(live_lines::<OrderItemRow>(id)).whole(),
        // Exchanges of units leave what was released behind: there may be any number.
        select::<AllocationRow>(of_order.clone()).limit(MOST_ROWS),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    sort_lines(&mut items);
    let allocations = read_rest(allocations, &of_order, |row| row.id)?;
    let by_item = group_by_item(&allocations);
    let mut priced = Vec::new();
    for item in &items {
        let held = by_item.get(&item.id).map(Vec::as_slice).unwrap_or_default();
        priced.push((item, item.price().figures()?, held));
    }
    let reply = match Caller::current() {
        Caller::Person => {
            let known = read_known_units(set(allocations.iter().filter_map(|row| row.unit_id)));
            let known = |unit: Id| known.get(&unit).map(KnownUnit::from_unit);
            let show = |(item, price, held)| SalesOrderItem::from_row(item, price, row.status, held, known);
            let items = priced.into_iter().map(show).collect();
            Reply::json(&SalesOrder { header: SalesOrderHeader::from_row(&row), items })
        }
        Caller::Client => {
            let show = |(item, price, held)| ApiSalesOrderItem::from_row(item, price, held);
            let items = priced.into_iter().map(show).collect();
            Reply::json(&ApiSalesOrder { header: ApiSalesOrderHeader::from_row(&row), items })
        }
    };
    Ok(reply.resource(id))
}
