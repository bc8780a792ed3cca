//! Cancelling a purchase order: outstanding goods are expected no longer, received goods stay.

use stoa_sdk::store::{MOST_ROWS, run, select, update_all};
use stoa_sdk::{Answer, Call, Problem, all, emit, holds, now, today};
use stoa_trade::document::version::ReasonedTransition;
use stoa_trade::{Caller, JsonList};

use crate::records::order::{ORDER_CANCELLED, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::permission::{APPROVE, CREATE};
use crate::records::shipment::{ShipmentRow, ShipmentStage, ShipmentStep};
use crate::rules::order_state::OrderVerb;
use crate::work::goods::expect_no_goods;
use crate::work::order::{LockedOrder, lock_order_with, order_event, update_order};

pub fn cancel(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ReasonedTransition = call.body()?;
    let ended = [ShipmentStage::Received, ShipmentStage::Cancelled];
    let under_way =
        all([ShipmentRow::order_id.eq(id), ShipmentRow::stage.ne(ended[0]), ShipmentRow::stage.ne(ended[1])]);
    let (order, shipments) = lock_order_with(id, select::<ShipmentRow>(under_way).limit(MOST_ROWS))?;
    let caller = Caller::current();
    if !caller.is_client() {
        check_permission(order.row.status)?;
    }
    order.check(body.expected_version, OrderVerb::Cancel)?;
    // An API client cannot cancel an order that was approved.
    if caller.is_client() && order.row.status != OrderStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    if order.items.iter().any(|item| item.billed > item.received) {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let after = order.after(OrderVerb::Cancel)?;
    let after = OrderRow { cancelled_at: Some(after.updated_at), cancel_reason: Some(body.reason.into()), ..after };
    end_order(&order, &after, &shipments.items)?;
    emit([order_event(&ORDER_CANCELLED, &after)]);
    Ok(order.show(&after, &["status", "cancelledAt", "cancelReason"]))
}

/// A draft is cancelled by who may create orders, what was approved by who may approve them.
fn check_permission(status: OrderStatus) -> Result<(), Problem> {
    let needed = if status == OrderStatus::Draft { CREATE } else { APPROVE };
    let may_cancel = needed.iter().all(|permission| holds(permission));
    if may_cancel { Ok(()) } else { Err(Problem::new("PERMISSION_DENIED")) }
}

fn end_order(order: &LockedOrder, after: &OrderRow, shipments: &[ShipmentRow]) -> Result<(), Problem> {
    if order.row.status.is_open() {
        expect_no_goods(order)?;
    }
    let closed = order.items.iter().filter(|item| item.open).map(|item| item.id);
    let closed = update_all::<OrderItemRow>(closed).set(OrderItemRow::open, &false);
    let step = || ShipmentStep { stage: ShipmentStage::Cancelled, occurred_on: today(), note: None, at: now() };
    let histories = shipments.iter().map(|row| row.history.0.iter().cloned().chain([step()]).collect::<JsonList<_>>());
    let shipments = update_all::<ShipmentRow>(shipments.iter().map(|row| row.id))
        .set_each(ShipmentRow::history, histories)
        .set(ShipmentRow::stage, &ShipmentStage::Cancelled);
    run((update_order(after), closed, shipments))?;
    Ok(())
}
