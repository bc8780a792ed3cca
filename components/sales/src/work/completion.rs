//! The completion of an order, whoever asks for it: a person, an API client, the register, finance (sales-pos.md 5.4).

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Id, Problem, all, now};
use stoa_trade::Change;

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderRow, OrderStatus, SALE_COMPLETED, emit_sale};
use crate::records::order_item::OrderItemRow;
use crate::work::delivery::deliver_goods;
use crate::work::month_totals::write_deliveries;
use crate::work::order::require_status;
use crate::work::priced_line::{live_lines, sort_lines};

/// An order under its lock, with its lines in order and what is reserved for it.
pub struct LockedOrder {
    pub row: OrderRow,
    pub items: Vec<OrderItemRow>,
    /// RESERVED allocations, the oldest first.
    pub reserved: Vec<AllocationRow>,
}

/// Locks an order and reads it.
///
/// # Errors
/// NOT_FOUND.
pub fn lock_order(id: Id) -> Result<LockedOrder, Problem> {
    let of_order = all([AllocationRow::order_id.eq(id), AllocationRow::outcome.eq(AllocationOutcome::Reserved)]);
    let (row, mut items, reserved) = run((
        get::<OrderRow>(id).locked(),
        select::<OrderItemRow>(live_lines::<OrderItemRow>(id)).whole(),
        select::<AllocationRow>(of_order).whole(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    sort_lines(&mut items);
    Ok(LockedOrder { row, items, reserved })
}

/// A completed order.
pub struct CompletedOrder {
    pub row: OrderRow,
    pub items: Vec<OrderItemRow>,
    pub allocations: Vec<AllocationRow>,
}

/// Delivers a confirmed order, and says so. `receipt`: the receipt of the register that collects it.
///
/// # Errors
/// VERSION_CONFLICT, ILLEGAL_STATE, and what inventory and the ledger refuse.
pub fn complete_order(
    order: LockedOrder,
    expected_version: i64,
    receipt: Option<Id>,
) -> Result<CompletedOrder, Problem> {
    if order.row.version != expected_version {
        return Err(Problem::new("VERSION_CONFLICT"));
    }
    require_status(&order.row, &[OrderStatus::Confirmed])?;
    let delivery = deliver_goods(&order.row, &order.items, &order.reserved)?;
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
    Ok(CompletedOrder { row: change.into_after(), items: order.items, allocations: delivery.allocations })
}
