//! Findings of `verify`.

use stoa_sdk::Module;
use stoa_sdk::scripted::{rows, whole};
use stoa_sdk::store::Row;
use stoa_trade::clients::units;
use stoa_trade::quantity::Tracking;

use crate::Sales;
use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::tests::shop::{GOOD, Shop, allocation, line, order};

/// The invariants of which an order breaks.
fn find_broken(order: &OrderRow, items: &[OrderItemRow], allocations: &[AllocationRow]) -> Vec<String> {
    let all = |row: Vec<Row>| vec![rows(row)];
    Shop::default().open(vec![
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
    let item = line(0, GOOD, Tracking::Quantity, "2");
    let held = allocation(item.id, 1, "2", AllocationOutcome::Reserved);
    let half = AllocationRow { quantity: "1".parse().unwrap(), ..held.clone() };
    let confirmed = order(OrderStatus::Confirmed, "20");
    let unit = AllocationRow { unit_id: Some(stoa_sdk::Id(1, 1)), ..held.clone() };
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
