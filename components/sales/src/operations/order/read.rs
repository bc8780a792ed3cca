//! One sales order with its lines: to people with its units, to API clients never.

use stoa_sdk::store::{MOST_ROWS, get, run, select};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, set};
use stoa_trade::Caller;
use stoa_trade::clients::units;
use stoa_trade::pages::read_rest;
use stoa_trade::places::SalesOrderExtensions;

use crate::records::allocation::AllocationRow;
use crate::records::order::{ApiSalesOrder, OrderRow, SalesOrder};
use crate::records::order_item::{ApiSalesOrderItem, KnownUnit, OrderItemRow, SalesOrderItem};
use crate::rules::priced_line::PricedLine;
use crate::work::priced_line::{live_lines, sort_lines};
use crate::work::reservation::group_by_item;

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
    let held = |item: &OrderItemRow| by_item.get(&item.id).map(Vec::as_slice).unwrap_or_default();
    let priced = items.iter().map(|item| Ok((item, item.price().figures()?, held(item))));
    let priced = priced.collect::<Result<Vec<_>, Problem>>()?;
    let extensions = SalesOrderExtensions::read(id);
    let reply = match Caller::current() {
        Caller::Person => {
            let known = units::read_known(set(allocations.iter().filter_map(|row| row.unit_id)));
            let known = |unit: Id| known.get(&unit).map(KnownUnit::from_row);
            let show = |(item, price, held)| SalesOrderItem::from_row(item, price, row.status, held, known);
            Reply::json(&SalesOrder::from_row(&row, priced.into_iter().map(show).collect(), extensions))
        }
        Caller::Client => {
            let show = |(item, price, held)| ApiSalesOrderItem::from_row(item, price, held);
            Reply::json(&ApiSalesOrder::from_row(&row, priced.into_iter().map(show).collect(), extensions))
        }
    };
    Ok(reply.resource(id))
}
