//! Orders and their lines, and what is open between an entity and its suppliers.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, get_all, read};
use stoa_sdk::{Filter, Id, all, set, totals};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Amount;

use crate::bindings::exports::commerce::procurement::orders as service;
use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::services::orders::wire::tracking;

pub fn read_orders(which: service::Selection, for_update: bool) -> Vec<service::Order> {
    let ids = |named: Vec<(u64, u64)>| set(named.into_iter().map(Id::from));
    let (orders, filter) = match which {
        service::Selection::OfOrders(named) => {
            let orders = ids(named);
            (orders.clone(), OrderItemRow::order_id.one_of(orders))
        }
        service::Selection::OfItems(named) => {
            let items = ids(named);
            let rows: Vec<OrderItemRow> = read(get_all(items.iter().copied()));
            (set(rows.into_iter().map(|item| item.order_id)), OrderItemRow::id.one_of(items))
        }
    };
    if orders.is_empty() {
        return Vec::new();
    }
    // The lines are read after the lock, where there is one.
    let rows: Vec<OrderRow> = match for_update {
        true => read(get_all(orders).locked()),
        false => read(get_all(orders)),
    };
    let mut items = read_lines(filter);
    rows.into_iter().map(|row| to_wire(&row, items.remove(&row.id).unwrap_or_default())).collect()
}

/// The lines that meet the filter, by order.
fn read_lines(filter: Filter) -> BTreeMap<Id, Vec<OrderItemRow>> {
    let live = all([filter, OrderItemRow::line_no.not_null()]);
    let mut by_order: BTreeMap<Id, Vec<OrderItemRow>> = BTreeMap::new();
    for item in read_every(&live, |item: &OrderItemRow| item.id) {
        by_order.entry(item.order_id).or_default().push(item);
    }
    by_order
}

fn to_wire(row: &OrderRow, mut items: Vec<OrderItemRow>) -> service::Order {
    items.sort_by_key(|item| item.line_no);
    let item = |item: &OrderItemRow| service::Item {
        id: item.id.into(),
        variant_id: item.variant_id.into(),
        tracking: tracking(item.tracking),
        quantity: item.quantity.to_string(),
        unit_cost: item.unit_cost.to_string(),
        received: item.received.to_string(),
        billed: item.billed.to_string(),
    };
    service::Order {
        id: row.id.into(),
        kind: row.kind.as_str().to_owned(),
        number: row.number.clone(),
        status: row.status.as_str().to_owned(),
        version: row.version,
        supplier_id: row.supplier_id.into(),
        legal_entity_id: row.legal_entity_id.into(),
        warehouse_id: row.warehouse_id.into(),
        currency_code: row.currency_code.clone(),
        items: items.iter().map(item).collect(),
    }
}

totals! { Position of OrderItemRow by [] { received: Amount = sum(received_value), billed: Amount = sum(billed_value) } }

/// Lines of which as much is billed as came are left out: they add as much to one side as to the other. The rows
/// read depend on the open orders and bills of the company, not on its history.
pub fn read_position(entity: Id, currency_code: &str) -> service::OrderPosition {
    let open = all([
        OrderItemRow::legal_entity_id.eq(entity),
        OrderItemRow::settled.eq(false),
        OrderItemRow::currency_code.eq(currency_code),
    ]);
    let sums = read(aggregate::<Position>(open).one());
    service::OrderPosition { received_value: sums.received.to_string(), billed_value: sums.billed.to_string() }
}
