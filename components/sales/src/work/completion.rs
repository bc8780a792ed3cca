//! The completion of an order, for each of its callers: a user, an API client, the register, finance (sales-pos.md 5.4).

use stoa_sdk::store::select;
use stoa_sdk::{Id, Problem, all, now};
use stoa_trade::Change;
use stoa_trade::document::version::ExpectedVersion;

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderRow, OrderStatus, SALE_COMPLETED, emit_sale};
use crate::records::order_item::OrderItemRow;
use crate::work::delivery::deliver_goods;
use crate::work::month_totals::write_deliveries;
use crate::work::order::require_status;
use crate::work::priced_line::lock_with;

/// An order under its lock, with its lines in order and its goods.
pub struct LockedOrder {
    pub row: OrderRow,
    pub items: Vec<OrderItemRow>,
    /// The RESERVED ones, the oldest first; once the order is completed, those that were delivered.
    pub allocations: Vec<AllocationRow>,
}

/// Locks an order and reads it; NOT_FOUND where there is none.
pub fn lock_order(id: Id) -> Result<LockedOrder, Problem> {
    let of_order = all([AllocationRow::order_id.eq(id), AllocationRow::outcome.eq(AllocationOutcome::Reserved)]);
    let (row, items, allocations) = lock_with(id, select::<AllocationRow>(of_order).whole())?;
    Ok(LockedOrder { row, items, allocations })
}

/// Delivers a confirmed order, and says so. `receipt`: the receipt of the register that collects it.
///
/// # Errors
/// VERSION_CONFLICT, ILLEGAL_STATE, and what inventory and the ledger refuse.
pub fn complete_order(
    order: LockedOrder,
    expected_version: ExpectedVersion,
    receipt: Option<Id>,
) -> Result<LockedOrder, Problem> {
    expected_version.check(order.row.version)?;
    require_status(&order.row, &[OrderStatus::Confirmed])?;
    let delivery = deliver_goods(&order.row, &order.items, &order.allocations)?;
    let after = OrderRow {
        status: OrderStatus::Completed,
        completed_at: Some(now()),
        pos_receipt_id: receipt,
        ..order.row.clone()
    };
    let change = Change::new(&order.row, after)?;
    let entity = order.row.legal_entity_id;
    write_deliveries(entity, (change.update(), delivery.update_allocations()), &delivery.lines)?;
    delivery.post(&order.row)?;
    emit_sale(&SALE_COMPLETED, change.after());
    Ok(LockedOrder { row: change.into_after(), items: order.items, allocations: delivery.allocations })
}
