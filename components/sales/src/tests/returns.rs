//! Customer returns: what may come back, and what it costs.

use serde_json::json;
use stoa_sdk::scripted::{NOW, rows, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Id, Instant};
use stoa_trade::JsonList;
use stoa_trade::clients::books;
use stoa_trade::clients::stock::{self, Returned};
use stoa_trade::quantity::Tracking;

use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::customer_return::{ReturnDisposition, ReturnStatus, SalesReturnItemRow, SalesReturnRow};
use crate::records::order::OrderStatus;
use crate::tests::shop::{
    CUSTOMER, ENTITY, GOOD, ORDER, PHONE, SERVICE, Shop, WAREHOUSE, a_refusal, allocation, call, hold, line, order,
    refusal,
};

const RETURN: Id = Id(13, 1);

fn row(status: ReturnStatus) -> SalesReturnRow {
    SalesReturnRow {
        id: RETURN,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        customer_id: CUSTOMER,
        legal_entity_id: ENTITY,
        warehouse_id: WAREHOUSE,
        location_id: None,
        reason: "too small".to_owned(),
        status,
        received_at: None,
    }
}

fn item(tracking: Tracking, quantity: &str, disposition: ReturnDisposition, units: &[u64]) -> SalesReturnItemRow {
    SalesReturnItemRow {
        id: Id(14, 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        return_id: RETURN,
        line_no: Some(0),
        item_id: Id(7, 1),
        variant_id: GOOD,
        product_id: Id(9, 9),
        tracking,
        quantity: quantity.parse().unwrap(),
        disposition,
        units: units.iter().map(|id| Id(1, *id)).collect(),
    }
}

/// A return of this line under the locks, of an order with these deliveries.
fn lock_replies(item: &SalesReturnItemRow, delivered: &[AllocationRow]) -> Vec<Vec<Reply>> {
    let coming = || rows([whole(&row(ReturnStatus::Draft), 1)]);
    let read = vec![
        rows([whole(&order(OrderStatus::Completed, "20"), 3)]),
        coming(),
        rows([whole(item, 1)]),
        rows(delivered.iter().map(|row| whole(row, 1))),
    ];
    let written = vec![Reply::Done, Reply::Done, Reply::Done, Reply::Inserted(vec![true])];
    vec![vec![coming()], read, [hold(), written].concat()]
}

fn unit_of(nth: u64) -> AllocationRow {
    AllocationRow { unit_id: Some(Id(1, nth)), ..allocation(Id(7, 1), nth, "1", AllocationOutcome::Delivered) }
}

fn receive() -> Result<serde_json::Value, stoa_sdk::Problem> {
    stock::service::stand_in::return_from_customer(|_, lines| {
        let back = |line: &stock::ReturnLine| Returned {
            movement_id: line.movement_id,
            unit_id: line.unit_id,
            cost: Some("4.000000000000".to_owned()),
            currency_code: Some("EUR".to_owned()),
        };
        Ok(lines.iter().map(back).collect())
    });
    call("receiveSalesReturn", RETURN, json!({ "expectedVersion": 1 }))
}

#[test]
fn e273_no_more_comes_back_than_was_delivered() {
    let gone = allocation(Id(7, 1), 1, "2", AllocationOutcome::Delivered);
    let partly = AllocationRow { returned: "1".parse().unwrap(), ..gone.clone() };
    let beyond = a_refusal("LIMIT_EXCEEDED", &["/items/0/quantity BEYOND_DELIVERED"]);
    for (quantity, delivered) in [("3", gone.clone()), ("2", partly)] {
        let item = item(Tracking::Quantity, quantity, ReturnDisposition::Restock, &[]);
        Shop::default().open(lock_replies(&item, &[delivered]));
        assert_eq!(refusal(receive()), beyond);
    }
    let item = item(Tracking::Quantity, "2", ReturnDisposition::Restock, &[]);
    Shop::default().open(lock_replies(&item, &[gone]));
    assert_eq!(receive().unwrap()["status"], "RECEIVED");
}

#[test]
fn e274_a_unit_comes_back_by_the_line_that_delivered_it_once() {
    let back = AllocationRow { returned: "1".parse().unwrap(), ..unit_of(2) };
    for (units, expected) in [
        (&[9][..], a_refusal("UNIT_UNAVAILABLE", &["/items/0/unitIds/0 UNIT_UNAVAILABLE"])),
        (&[2], a_refusal("UNIT_UNAVAILABLE", &["/items/0/unitIds/0 UNIT_UNAVAILABLE"])),
        (&[1, 2], a_refusal("UNIT_COUNT_MISMATCH", &["/items/0 UNITS_DIFFER_FROM_QUANTITY"])),
    ] {
        let item = item(Tracking::Serialized, "1", ReturnDisposition::Inspect, units);
        Shop::default().open(lock_replies(&item, &[unit_of(1), back.clone()]));
        assert_eq!(refusal(receive()), expected, "{units:?}");
    }
}

#[test]
fn a_line_without_named_units_takes_all_that_was_delivered_and_not_returned() {
    let units = [unit_of(1), unit_of(2)];
    let item_of = |quantity: &str| item(Tracking::Serialized, quantity, ReturnDisposition::Inspect, &[]);
    let mut replies = lock_replies(&item_of("2"), &units);
    replies[2][5] = Reply::Inserted(vec![true]);
    let log = Shop::default().open(replies);
    assert!(receive().is_ok());
    let log = log.borrow();
    let Call::Update(items) = &log.runs[2][4] else { panic!("{:?}", log.runs[2]) };
    let named: JsonList<Id> = [Id(1, 1), Id(1, 2)].into_iter().collect();
    assert_eq!(items.rows[0].set, vec![stoa_sdk::Field::put(&named)], "the record says which came");
    Shop::default().open(lock_replies(&item_of("1"), &units));
    let (code, _) = refusal(receive());
    assert_eq!(code, "UNIT_COUNT_MISMATCH", "which of the two is nobody's to guess");
}

#[test]
fn what_comes_back_damaged_leaves_its_cost_with_the_sale() {
    for (disposition, expected) in [(ReturnDisposition::Inspect, "4"), (ReturnDisposition::Damaged, "0")] {
        let item = item(Tracking::Serialized, "1", disposition, &[1]);
        Shop::default().open(lock_replies(&item, &[unit_of(1)]));
        books::service::stand_in::post(move |posting| {
            assert_eq!((posting.source_kind.as_str(), posting.purpose.as_str()), ("CUSTOMER_RETURN", "RECEIPT"));
            let expected: stoa_trade::quantity::Amount = expected.parse().unwrap();
            assert!(posting.legs.iter().all(|leg| leg.amount == expected.to_string()));
            Ok(None)
        });
        assert!(receive().is_ok());
    }
}

#[test]
fn e276_e279_only_tracked_lines_of_completed_orders_are_drafted() {
    let lines = [
        line(0, SERVICE, Tracking::None, "1"),
        line(1, GOOD, Tracking::Quantity, "2"),
        line(2, PHONE, Tracking::Serialized, "1"),
    ];
    let asked = |items: serde_json::Value| json!({ "orderId": ORDER, "reason": "no", "items": items });
    for (status, items, expected) in [
        (
            OrderStatus::Confirmed,
            json!([{ "itemId": Id(7, 2), "quantity": "1" }]),
            a_refusal("ILLEGAL_STATE", &["/orderId ILLEGAL_STATE"]),
        ),
        (
            OrderStatus::Completed,
            json!([{ "itemId": Id(7, 1), "quantity": "1" }]),
            a_refusal("ILLEGAL_STATE", &["/items/0/itemId ILLEGAL_STATE"]),
        ),
        (
            OrderStatus::Completed,
            json!([{ "itemId": Id(7, 9), "quantity": "1" }]),
            a_refusal("NOT_FOUND", &["/items/0/itemId NOT_FOUND"]),
        ),
        (
            OrderStatus::Completed,
            json!([{ "itemId": Id(7, 2), "quantity": "1", "disposition": "DAMAGED" }]),
            a_refusal("ILLEGAL_STATE", &["/items/0/disposition NOT_ALLOWED"]),
        ),
        (
            OrderStatus::Completed,
            json!([{ "itemId": Id(7, 3), "quantity": "1" },
                { "itemId": Id(7, 3), "quantity": "1", "disposition": "INSPECT" }]),
            a_refusal("VALIDATION_FAILED", &["/items/1/itemId REPEATED"]),
        ),
        (
            OrderStatus::Completed,
            json!([{ "itemId": Id(7, 2), "quantity": "0.5" }]),
            a_refusal("VALIDATION_FAILED", &["/items/0/quantity QUANTITY_SCALE"]),
        ),
    ] {
        let read = vec![rows([whole(&order(status, "20"), 1)]), rows(lines.iter().map(|line| whole(line, 1)))];
        Shop::default().open(vec![read]);
        assert_eq!(refusal(call("createSalesReturn", RETURN, asked(items.clone()))), expected, "{items}");
    }
}
