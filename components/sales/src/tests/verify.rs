//! Findings of `verify`.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::Row;
use stoa_sdk::{Id, Instant, Module};
use stoa_trade::JsonList;
use stoa_trade::clients::{books, units};
use stoa_trade::quantity::{Money, Quantity, Tracking};

use crate::Sales;
use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::rules::line::Named;
use crate::work::order::new_order;
use crate::work::references::References;

const ORDER: Id = Id(4, 1);

fn order(status: OrderStatus, total: &str) -> OrderRow {
    script([]);
    let named = Named { entity: Id(3, 1), warehouse: None, customer: Id(3, 4), price_list: Id(3, 3), lines: &[] };
    OrderRow {
        id: ORDER,
        status,
        total: total.parse().unwrap(),
        collectable: true,
        item_count: 1,
        ..new_order(&named, Id(3, 2), &References::default())
    }
}

/// A line of an order at the list's price of 10.
fn line(quantity: &str) -> OrderItemRow {
    let quantity: Quantity = quantity.parse().unwrap();
    OrderItemRow {
        id: Id(7, 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        variant_id: Id(5, 1),
        product_id: Id(9, 9),
        line_no: Some(0),
        sku: "A-1".to_owned(),
        description: "Phone".to_owned(),
        tracking: Tracking::Quantity,
        quantity,
        price_id: Id(6, 1),
        list_price: "10".parse().unwrap(),
        agreed_price: None,
        agreed_origin: None,
        reason: None,
        unit_price: "10".parse().unwrap(),
        line_total: quantity.checked_mul("10".parse::<Money>().unwrap()).unwrap(),
        chosen_units: JsonList::default(),
        billed: Default::default(),
        adjusted_price: None,
        adjustments: None,
    }
}

/// The stock that a line holds, or has taken.
fn allocation(item: Id, nth: u64, quantity: &str, outcome: AllocationOutcome) -> AllocationRow {
    let is_delivered = outcome == AllocationOutcome::Delivered;
    AllocationRow {
        id: Id(10, nth),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        item_id: item,
        reservation_id: Id(8, nth),
        quantity: quantity.parse().unwrap(),
        returned: Default::default(),
        unit_id: None,
        outcome,
        live_slot: (outcome == AllocationOutcome::Reserved).then_some(1),
        movement_id: is_delivered.then_some(Id(9, nth)),
    }
}

/// The invariants of which an order breaks.
fn find_broken(order: &OrderRow, items: &[OrderItemRow], allocations: &[AllocationRow]) -> Vec<String> {
    let all = |row: Vec<Row>| vec![rows(row)];
    books::stand_in_without_books();
    script(vec![
        all(vec![whole(order, 1)]),
        all(items.iter().map(|item| whole(item, 1)).collect()),
        all(allocations.iter().map(|row| whole(row, 1)).collect()),
        all(Vec::new()),
    ]);
    units::service::stand_in::get_many(|_| Vec::new());
    let found = (Sales::MANIFEST.verify)(None);
    assert_eq!(found.next.as_deref(), Some("quotations:"));
    found.findings.into_iter().map(|finding| finding.invariant).collect()
}

#[test]
fn orders_that_break_their_invariants_are_found() {
    let item = line("2");
    let held = allocation(item.id, 1, "2", AllocationOutcome::Reserved);
    let half = AllocationRow { quantity: "1".parse().unwrap(), ..held.clone() };
    let confirmed = order(OrderStatus::Confirmed, "20");
    let unit = AllocationRow { unit_id: Some(Id(1, 1)), ..held.clone() };
    let gone = allocation(item.id, 1, "2", AllocationOutcome::Delivered);
    let billed = OrderItemRow { billed: "1".parse().unwrap(), ..item.clone() };
    for (order, item, allocations, expected) in [
        (confirmed.clone(), &item, vec![held.clone()], vec![]),
        (confirmed.clone(), &item, vec![half], vec!["S1"]),
        (confirmed.clone(), &item, vec![unit], vec!["S3"]),
        (OrderRow { total: "21".parse().unwrap(), ..confirmed.clone() }, &item, vec![held.clone()], vec!["S4"]),
        (OrderRow { item_count: 2, ..confirmed.clone() }, &item, vec![held], vec!["S4"]),
        (OrderRow { status: OrderStatus::Completed, ..confirmed.clone() }, &item, vec![gone], vec!["S10"]),
        (OrderRow { status: OrderStatus::Cancelled, ..confirmed }, &billed, vec![], vec!["S8"]),
    ] {
        assert_eq!(find_broken(&order, std::slice::from_ref(item), &allocations), expected, "{order:?}");
    }
}
