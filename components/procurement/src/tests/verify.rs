//! Findings of verify in rows that contradict each other.

use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::{Reply, Row};
use stoa_sdk::{Field, Finding, Id, Module};
use stoa_trade::clients::stock::{self, Level, Transferred};
use stoa_trade::quantity::{Amount, Quantity};

use super::shop::{QUANTITY, WAREHOUSE, amount, item_rows, items, order, order_rows, parse};
use crate::Procurement;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;

fn findings(stage: &str) -> Vec<String> {
    let found = (Procurement::MANIFEST.verify)(Some(format!("{stage}:")));
    let word = |finding: &Finding| format!("{} {}", finding.invariant, Id::from(finding.resource.unwrap_or((0, 0))).1);
    found.findings.iter().map(word).collect()
}

/// Received quantity and value of a line, as the sum of its receipts.
fn came(item: u64, quantity: &str, value: &str) -> Row {
    vec![Id(4, item).put(), parse::<Quantity>(quantity).put(), parse::<Amount>(value).put()]
}

/// An order, its lines, and what came of them.
type Found = (OrderRow, Vec<OrderItemRow>, Vec<Row>);

#[test]
fn orders_are_what_their_lines_and_receipts_say() {
    let open = OrderStatus::Approved;
    let right = || (order(open), items(open), Vec::new());
    let cases: Vec<(&str, Found, Vec<&str>)> = vec![
        ("as they should be", right(), vec![]),
        ("another total", (OrderRow { total: amount("241"), ..order(open) }, items(open), vec![]), vec!["J9 4"]),
        ("another key", (OrderRow { number_key: "x".to_owned(), ..order(open) }, items(open), vec![]), vec!["J6 4"]),
        ("goods of no receipt", (order(open), with(|item| item.received = parse("1")), vec![]), vec!["J2 4", "J1 0"]),
        ("a receipt that counts nowhere", (order(open), items(open), vec![came(0, "1", "3.5")]), vec!["J1 0"]),
        ("a line's own total", (order(open), with(|item| item.unit_cost = parse("4")), vec![]), vec!["J9 0"]),
        ("billed without worth", (order(open), with(|item| item.billed = parse("1")), vec![]), vec!["J5 0"]),
        (
            "settled too early",
            (order(open), with(|item| (item.billed, item.billed_value) = (parse("1"), parse("3.5"))), vec![]),
            vec!["settled 0"],
        ),
        ("expected no more", (order(open), with(|item| item.open = false), vec![]), vec!["order-line 0"]),
    ];
    for (what, (order, items, sums), expected) in cases {
        script([vec![rows([order_rows(&order)])], vec![rows(item_rows(&items))], vec![rows(sums)]]);
        assert_eq!(findings("orders"), expected, "{what}");
    }
}

/// The lines, the first of them changed.
fn with(change: impl FnOnce(&mut OrderItemRow)) -> Vec<OrderItemRow> {
    let mut items = items(OrderStatus::Approved);
    change(&mut items[0]);
    items
}

#[test]
fn inventory_expects_what_is_pending_and_what_transfers_bring() {
    let level = |incoming: &str| Level {
        warehouse_id: WAREHOUSE.into(),
        variant_id: QUANTITY.into(),
        on_hand: "0".to_owned(),
        reserved: "0".to_owned(),
        available: "0".to_owned(),
        incoming: incoming.to_owned(),
        damaged: "0".to_owned(),
        quarantined: "0".to_owned(),
        in_transit: "0".to_owned(),
        returned: "0".to_owned(),
    };
    for (incoming, transferred, expected) in
        [("10", None, vec![]), ("12", Some("2"), vec![]), ("12", None, vec!["J3 0"]), ("9", None, vec!["J3 0"])]
    {
        let level = level(incoming);
        stock::service::stand_in::levels(move |_| vec![level.clone()]);
        stock::service::stand_in::transferred_incoming(move |_| {
            let quantity = |quantity: &str| Transferred {
                warehouse_id: WAREHOUSE.into(),
                variant_id: QUANTITY.into(),
                quantity: quantity.to_owned(),
            };
            transferred.map(quantity).into_iter().collect()
        });
        let line = items(OrderStatus::Approved).remove(0);
        let pending: Row = vec![WAREHOUSE.put(), QUANTITY.put(), line.quantity.put(), line.received.put()];
        script([vec![rows([whole(&line, 1)])], vec![rows([pending])] as Vec<Reply>]);
        assert_eq!(findings("incoming"), expected, "{incoming} {transferred:?}");
    }
}
