//! Reading purchase orders: lists of headers, and one order with its lines.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Problem};
use stoa_trade::Caller;

use crate::operations::order_list::ListPurchaseOrders;
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::records::shown_order::{ApiPurchaseOrder, ApiPurchaseOrderHeader, PurchaseOrder, PurchaseOrderHeader};

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListPurchaseOrders>()?.page([])?;
    Caller::current().answer_page(rows, PurchaseOrderHeader::from_row, ApiPurchaseOrderHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let live = select::<OrderItemRow>(OrderItemRow::live_of(id)).whole();
    let (order, mut items) = run((get::<OrderRow>(id), live))?;
    let order = order.ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    let client = || ApiPurchaseOrder::from_row(&order, &items);
    Ok(Caller::current().show(|| PurchaseOrder::from_row(&order, &items), client).resource(id))
}
