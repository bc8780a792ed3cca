//! Cancelling a sales order before it is delivered: its holds are released. A payment reaches an order only through
//! its invoice, so that nothing billed covers both (decisions.md G14).

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, item, now};
use stoa_trade::Change;
use stoa_trade::document::version::ReasonedTransition;
use stoa_trade::refusal::refuse;

use crate::records::order::{OrderRow, OrderStatus, SALE_CANCELLED, emit_sale, receipt};
use crate::work::completion::lock_order;
use crate::work::order::require_status;
use crate::work::priced_line::products_of;
use crate::work::reservation::release_goods;

pub fn cancel(call: &Call) -> Answer {
    let body: ReasonedTransition = call.body()?;
    let order = lock_order(call.path_id("id")?)?;
    body.expected_version.check(order.row.version)?;
    require_status(&order.row, &[OrderStatus::Draft, OrderStatus::Confirmed])?;
    let billed = order.items.iter().filter(|row| !row.billed.is_zero());
    refuse("ILLEGAL_STATE", billed.map(|row| item(row.pointer(), "ORDER_BILLED")).collect())?;
    let released = release_goods(order.row.id, &order.allocations, &body.reason)?;
    let after = OrderRow {
        status: OrderStatus::Cancelled,
        cancelled_at: Some(now()),
        cancel_reason: Some(body.reason.into()),
        ..order.row.clone()
    };
    let change = Change::new(&order.row, after)?;
    run((change.update(), released))?;
    emit_sale(&SALE_CANCELLED, change.after());
    Ok(receipt(change.after()).subjects(products_of(&order.items)).changed(change.members()))
}
