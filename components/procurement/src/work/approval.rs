//! Approving a purchase order: the records that it names are judged again, the books take its currency and its costs,
//! and its goods are expected. From then on currency, lines and costs do not change.

use std::collections::BTreeSet;

use stoa_sdk::store::{run, update_all};
use stoa_sdk::{Problem, emit, item, set};
use stoa_trade::clients::articles;
use stoa_trade::clients::books::{self, Cost};
use stoa_trade::clients::{directory, warehouses};
use stoa_trade::document::actor::Actor;
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::{list_faults, refuse};
use stoa_trade::{Archivable, Status};

use crate::records::order::{ORDER_APPROVED, OrderRow};
use crate::records::order_item::OrderItemRow;
use crate::records::supplier::SupplierRow;
use crate::rules::order_state::OrderVerb;
use crate::work::goods::{expect_goods, tracked_items};
use crate::work::order::{LockedOrder, order_event, update_order};
use crate::work::posting;

/// Approves a draft.
///
/// # Errors
/// ARCHIVED at what was archived since, the codes of accounting, ILLEGAL_STATE.
pub fn approve_order(order: &mut LockedOrder, supplier: Option<&SupplierRow>) -> Result<(), Problem> {
    let after = order.after(OrderVerb::Approve)?;
    check_references(order, supplier)?;
    admit_to_books(order)?;
    expect_goods(order)?;
    let after = OrderRow { approved_at: Some(after.updated_at), approved_by: Some(Actor::current().actor_id), ..after };
    let open = update_all::<OrderItemRow>(tracked_items(&order.items)).set(OrderItemRow::open, &true);
    run((update_order(&after), open))?;
    emit([order_event(&ORDER_APPROVED, &after)]);
    order.row = after;
    order.items.iter_mut().filter(|item| item.is_tracked()).for_each(|item| item.open = true);
    Ok(())
}

/// Refuses an order that names what was archived since it was drafted.
fn check_references(order: &LockedOrder, supplier: Option<&SupplierRow>) -> Result<(), Problem> {
    let row = &order.row;
    let entity = directory::entities(&[row.legal_entity_id]).into_iter().next();
    let warehouse = warehouses::get([row.warehouse_id]).remove(&row.warehouse_id);
    let articles = articles::get(order.items.iter().map(|item| item.variant_id));
    let heads = [
        ("/supplierId", supplier.is_none_or(|supplier| supplier.status() == Status::Archived)),
        ("/warehouseId", warehouse.is_none_or(|warehouse| !warehouse.active)),
        ("/legalEntityId", entity.is_none_or(|entity| !entity.active)),
    ];
    let mut faults = list_faults("ARCHIVED", heads);
    let is_active = |line: &OrderItemRow| articles.get(&line.variant_id).is_some_and(articles::is_active);
    let archived = order.items.iter().filter(|line| !is_active(line));
    faults.extend(archived.map(|line| item(format!("{}/variantId", order.pointer(line.id)), "ARCHIVED")));
    refuse("ARCHIVED", faults)
}

/// Asks the books whether the goods could be received: currency, accounts of the roles, and whether every cost fits.
fn admit_to_books(order: &LockedOrder) -> Result<(), Problem> {
    let row = &order.row;
    let costed = || order.items.iter().filter(|item| !item.line_total.is_zero());
    let roles: BTreeSet<&str> =
        set(costed().flat_map(|item| [debit_role(item.tracking), posting::RECEIVED_NOT_BILLED]));
    let roles: Vec<String> = roles.into_iter().map(str::to_owned).collect();
    if !posting::admit_to_books(row, &roles)? {
        return Ok(());
    }
    let articles = articles::get(order.items.iter().map(|item| item.variant_id));
    let cost = |item: &OrderItemRow| {
        posting::new_cost(item.unit_cost, item.tracking, articles.get(&item.variant_id), &order.pointer(item.id))
    };
    let costs: Vec<Cost> = order.items.iter().map(cost).collect();
    books::admit_costs(row.legal_entity_id, &costs)
}

/// The debit role of a line: for goods in stock, or for goods and services that are used up as they come.
fn debit_role(tracking: Tracking) -> &'static str {
    match tracking {
        Tracking::None => posting::EXPENSE,
        Tracking::Quantity | Tracking::Serialized => posting::INVENTORY,
    }
}
