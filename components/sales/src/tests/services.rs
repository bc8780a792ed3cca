//! Calls of other modules to sales.

use stoa_sdk::Id;
use stoa_sdk::scripted::{rows, whole};
use stoa_sdk::store::{Call, Failure, Miss, Reply, Why};
use stoa_trade::Status;
use stoa_trade::quantity::Tracking;

use crate::bindings::exports::commerce::sales::orders::{BillLine, Guest, Sale, SellLine};
use crate::records::order::OrderStatus;
use crate::services::Services;
use crate::tests::shop::{
    CUSTOMER, ENTITY, GOOD, LIST, PHONE, SERVICE, Shop, WAREHOUSE, a_refusal, customer, hold, kinds, line, order,
    refusal,
};

fn sale(lines: Vec<SellLine>) -> Sale {
    Sale {
        invoice_id: (15, 1),
        number: "INV-1".to_owned(),
        customer_id: CUSTOMER.into(),
        legal_entity_id: ENTITY.into(),
        warehouse_id: WAREHOUSE.into(),
        price_list_id: LIST.into(),
        lines,
    }
}

fn sell_line(variant: Id, price: Option<&str>, units: &[u64], nth: usize) -> SellLine {
    SellLine {
        variant_id: variant.into(),
        quantity: "1.000000".to_owned(),
        unit_price: price.map(str::to_owned),
        reason: price.map(|_| "billed".to_owned()),
        unit_ids: units.iter().map(|id| (1, *id)).collect(),
        pointer: format!("/lines/{nth}"),
    }
}

#[test]
fn a_sale_is_written_in_one_round_trip_and_told_three_times() {
    let written = vec![
        Reply::Inserted(vec![true]),
        Reply::Inserted(vec![true; 3]),
        Reply::Inserted(vec![true; 2]),
        Reply::Done,
        Reply::Done,
        Reply::Inserted(vec![true; 3]),
    ];
    let log = Shop::default().open(vec![vec![rows([customer(Status::Active)])], [hold(), written].concat()]);
    let lines = vec![
        sell_line(GOOD, Some("9"), &[], 0),
        sell_line(PHONE, Some("10"), &[1], 1),
        sell_line(SERVICE, None, &[], 2),
    ];
    let sold = Services::sell(sale(lines)).unwrap();
    assert_eq!((sold.number.as_str(), sold.total.as_str(), sold.version), ("INV-1", "29.000000000000", 3));
    let reported: Vec<_> =
        sold.items.iter().map(|item| (item.line_no, item.negotiated, item.allocations.len())).collect();
    assert_eq!(reported, [(1, true, 1), (2, false, 1), (3, false, 0)]);
    assert_eq!(kinds(&log), ["sale.created", "sale.confirmed", "sale.completed"]);
    let log = log.borrow();
    let versions: Vec<_> = log.events.iter().map(|event| event.version).collect();
    assert_eq!((log.runs.len(), versions), (2, vec![Some(1), Some(2), Some(3)]));
}

#[test]
fn refusals_of_a_sale_point_to_the_lines_of_its_invoice() {
    Shop::default().open(vec![vec![rows([customer(Status::Active)])]]);
    let lines = vec![sell_line(GOOD, None, &[], 4), sell_line(GOOD, None, &[], 7)];
    let expected = a_refusal("REFERENCE_INVALID", &["/lines/7/variantId REPEATED"]);
    assert_eq!(refusal(Services::sell(sale(lines))), expected);
    Shop::default().open(vec![vec![rows([customer(Status::Active)])]]);
    let lines = vec![sell_line(GOOD, None, &[], 2), sell_line(PHONE, None, &[], 3)];
    let expected = a_refusal("UNIT_COUNT_MISMATCH", &["/lines/3 UNITS_DIFFER_FROM_QUANTITY"]);
    assert_eq!(refusal(Services::sell(sale(lines))), expected);
}

#[test]
fn s8_nothing_is_billed_twice_nor_of_a_draft() {
    let bill = |quantity: &str| Services::bill(vec![BillLine { item_id: (7, 1), quantity: quantity.to_owned() }]);
    let read = |status| {
        let item = line(0, GOOD, Tracking::Quantity, "2");
        vec![rows([whole(&order(status, "20"), 1)]), rows([whole(&item, 1)])]
    };
    let log = Shop::default().open(vec![read(OrderStatus::Confirmed), vec![Reply::Done]]);
    assert_eq!(bill("2"), Ok(()));
    assert!(matches!(log.borrow().runs[1].as_slice(), [Call::Update(_)]));
    Shop::default().open(vec![read(OrderStatus::Draft)]);
    assert_eq!(refusal(bill("1")), a_refusal("ILLEGAL_STATE", &["/lines/0 ILLEGAL_STATE"]));
    Shop::default().open(vec![read(OrderStatus::Draft), vec![Reply::Done]]);
    assert_eq!(bill("-1"), Ok(()), "what is taken back asks for no state");

    Shop::default();
    let mut replies = vec![read(OrderStatus::Completed)].into_iter();
    stoa_sdk::scripted::answer_with(move |_| {
        let miss = Miss { call: 0, row: 0, why: Why::Check("billed".to_owned()), current: None };
        replies.next().ok_or_else(|| Failure::RefusedChange(vec![miss]))
    });
    assert_eq!(refusal(bill("3")), a_refusal("LIMIT_EXCEEDED", &["/lines/0 BILLED_BEYOND_ORDER"]));
}
