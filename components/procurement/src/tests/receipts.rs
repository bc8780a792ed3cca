//! Receiving goods: what is refused and where, what is written, what inventory takes in and what the books get.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::JsonList;
use stoa_trade::clients::stock;
use stoa_trade::quantity::Quantity;

use super::shop::{
    ARCHIVED, GONE, ORDER, QUANTITY, SERIALIZED, call, expect_refusal, item, item_rows, items, open_shop, order,
    order_rows, parse,
};
use crate::records::charge::{ChargeRow, ChargeStatus, ChargeType};
use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::shipment::{ShipmentItemRow, ShipmentRow, ShipmentStage};

fn body(items: &[(u64, &str, &[&str])]) -> Json {
    let item = |(id, quantity, serials): &(u64, &str, &[&str])| {
        let units: Vec<Json> = serials.iter().map(|serial| json!({ "serialNumber": serial })).collect();
        json!({ "orderItemId": Id(4, *id), "quantity": quantity, "units": units })
    };
    json!({ "expectedVersion": 1, "reason": "Came", "items": items.iter().map(item).collect::<Vec<_>>() })
}

fn answer_reads(order: &OrderRow, items: &[OrderItemRow]) -> Vec<Reply> {
    vec![rows([order_rows(order)]), rows(item_rows(items))]
}

/// Replies to the writes of this many lines.
fn answer_writes(lines: usize) -> Vec<Reply> {
    vec![
        Reply::Inserted(vec![true]),
        Reply::Inserted(vec![true; lines]),
        Reply::Inserted(vec![true; lines]),
        Reply::Done,
        Reply::Done,
    ]
}

#[test]
fn e114_what_comes_is_taken_in_and_posted_once() {
    let reported = open_shop(true);
    let status = OrderStatus::Approved;
    let log = script([answer_reads(&order(status), &items(status)), answer_writes(3)]);
    let answer = call("createGoodsReceipt", body(&[(2, "1", &[]), (1, "2", &["A", "B"]), (0, "4", &[])])).unwrap();
    assert_eq!((&answer["orderVersion"], &answer["orderId"]), (&json!(2), &json!(ORDER)));
    let reported = reported.borrow();
    let came: Vec<(Id, &str, usize)> = reported.receipts[0]
        .iter()
        .map(|line| (line.variant_id.into(), line.quantity.as_str(), line.units.len()))
        .collect();
    assert_eq!(came, [(SERIALIZED, "2.000000", 2), (QUANTITY, "4.000000", 0)], "[E108]: no service");
    assert_eq!(
        reported.legs(0),
        [
            "Debit INVENTORY 214.000000000000",
            "Debit PURCHASE_EXPENSE 7.000000000000",
            "Credit GOODS_RECEIVED_NOT_INVOICED 221.000000000000",
        ]
    );
    assert_eq!((reported.entries.len(), reported.entries[0].purpose.as_str()), (1, "RECEIPT"));
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    let Some(Call::Update(order)) = log.runs[1].last() else { panic!("{:?}", log.runs[1]) };
    let status = order.set.iter().position(|column| column == "status").expect("the status is written");
    assert_eq!(order.rows[0].set[status], stoa_sdk::Field::put(&OrderStatus::PartiallyReceived));
    let event: Json = serde_json::from_str(&log.events[0].data).unwrap();
    assert_eq!((event["lines"].as_array().map(Vec::len), &event["orderVersion"]), (Some(3), &json!(2)));
}

#[test]
fn a_receipt_of_a_hundred_lines_takes_two_round_trips_of_its_own() {
    let reported = open_shop(false);
    let status = OrderStatus::Approved;
    for count in [1_usize, 70] {
        let lines: Vec<OrderItemRow> =
            (0..count).map(|nth| item(status, nth, Id(8, 100 + nth as u64), "1", "1")).collect();
        let log = script([answer_reads(&order(status), &lines), answer_writes(count)]);
        let came: Vec<(u64, &str, &[&str])> = (0..count as u64).map(|nth| (nth, "1", &[][..])).collect();
        call("createGoodsReceipt", body(&came)).unwrap();
        assert_eq!(log.borrow().runs.len(), 2, "{count} lines");
    }
    assert!(reported.borrow().entries.is_empty(), "no books, no entry");
}

#[test]
fn each_rule_of_a_receipt_has_its_place() {
    open_shop(false);
    let with = |member: &str, value: Json| {
        let mut body = body(&[(0, "1", &[])]);
        body[member] = value;
        body
    };
    let open = OrderStatus::Approved;
    for (status, body, expected) in [
        // [E100]
        (OrderStatus::Draft, body(&[(0, "1", &[])]), expect_refusal("ILLEGAL_STATE", &[])),
        (OrderStatus::Received, body(&[(0, "1", &[])]), expect_refusal("ILLEGAL_STATE", &[])),
        (open, with("expectedVersion", json!(2)), expect_refusal("VERSION_CONFLICT", &[])),
        // [E101]
        (open, body(&[(0, "11", &[])]), expect_refusal("LIMIT_EXCEEDED", &["/items/0/quantity LIMIT_EXCEEDED"])),
        (open, body(&[(0, "0.5", &[])]), expect_refusal("VALIDATION_FAILED", &["/items/0/quantity QUANTITY_SCALE"])),
        // [E102]
        (
            open,
            body(&[(0, "1", &["A"]), (1, "2", &["B"])]),
            expect_refusal(
                "UNIT_COUNT_MISMATCH",
                &["/items/0/units UNITS_DIFFER_FROM_QUANTITY", "/items/1/units UNITS_DIFFER_FROM_QUANTITY"],
            ),
        ),
        (
            open,
            body(&[(0, "1", &[]), (0, "1", &[])]),
            expect_refusal("VALIDATION_FAILED", &["/items/1/orderItemId REPEATED"]),
        ),
        (open, with("shipmentId", json!(Id(6, 1))), expect_refusal("VALIDATION_FAILED", &["/shipmentId NOT_ALLOWED"])),
        (
            open,
            with("warehouseLocationId", json!(Id(1, 1))),
            expect_refusal("NOT_FOUND", &["/warehouseLocationId NOT_FOUND"]),
        ),
        // [E112]
        (
            open,
            with("warehouseLocationId", json!(Id(6, 8))),
            expect_refusal("REFERENCE_INVALID", &["/warehouseLocationId OTHER_WAREHOUSE"]),
        ),
        (
            open,
            with("warehouseLocationId", json!(Id(6, 9))),
            expect_refusal("REFERENCE_INVALID", &["/warehouseLocationId ARCHIVED"]),
        ),
    ] {
        let mut read = answer_reads(&order(status), &items(status));
        // A shipment that is named is read with the order.
        if body.get("shipmentId").is_some() {
            read.extend([rows([]), rows([])]);
        }
        script([read]);
        assert_eq!(call("createGoodsReceipt", body.clone()), Err(expected), "{status:?} {body}");
    }
}

#[test]
fn a_product_that_is_archived_takes_nothing_in() {
    open_shop(false);
    let status = OrderStatus::Approved;
    // An archived variant of an active product is received: the approved order is a commitment.
    let lines = [item(status, 0, ARCHIVED, "1", "1"), item(status, 1, GONE, "1", "1")];
    script([answer_reads(&order(status), &lines), answer_writes(1)]);
    assert!(call("createGoodsReceipt", body(&[(0, "1", &[])])).is_ok());
    script([answer_reads(&order(status), &lines)]);
    let answer = call("createGoodsReceipt", body(&[(1, "1", &[])]));
    assert_eq!(answer, Err(expect_refusal("ARCHIVED", &["/items/1/variantId ARCHIVED"])));
}

#[test]
fn a_line_of_another_order_is_invalid_and_one_of_none_is_missing() {
    open_shop(false);
    let status = OrderStatus::Approved;
    let other = OrderItemRow { id: Id(4, 77), order_id: Id(3, 77), ..item(status, 0, QUANTITY, "1", "1") };
    for (others, expected) in [
        (vec![whole(&other, 1)], expect_refusal("REFERENCE_INVALID", &["/items/0/orderItemId OTHER_ORDER"])),
        (vec![], expect_refusal("NOT_FOUND", &["/items/0/orderItemId NOT_FOUND"])),
    ] {
        script([answer_reads(&order(status), &items(status)), vec![rows(others)]]);
        assert_eq!(call("createGoodsReceipt", body(&[(77, "1", &[])])), Err(expected));
    }
}

#[test]
fn what_inventory_refuses_points_into_the_request() {
    open_shop(false);
    stock::service::stand_in::receive(|_, lines| {
        assert_eq!(lines.len(), 1, "the service is none of inventory's");
        Err(Problem::at("DUPLICATE", "/lines/0/units/1"))
    });
    let status = OrderStatus::Approved;
    script([answer_reads(&order(status), &items(status)), answer_writes(2)]);
    let answer = call("createGoodsReceipt", body(&[(2, "1", &[]), (1, "2", &["A", "B"])]));
    assert_eq!(answer, Err(expect_refusal("DUPLICATE", &["/items/1/units/1 DUPLICATE"])));
}

const SHIPMENT: Id = Id(6, 60);
const CHARGE: Id = Id(7, 70);

fn shipment(stage: ShipmentStage) -> ShipmentRow {
    ShipmentRow {
        id: SHIPMENT,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        number: "S-1".to_owned(),
        number_key: "s-1".to_owned(),
        stage,
        reference: None,
        carrier: None,
        containers: JsonList::default(),
        departs_on: None,
        arrives_on: None,
        history: JsonList::default(),
    }
}

fn shipment_line(order_item: u64, quantity: &str) -> ShipmentItemRow {
    ShipmentItemRow {
        id: Id(6, 600 + order_item),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        shipment_id: SHIPMENT,
        order_item_id: Id(4, order_item),
        line_no: Some(0),
        quantity: parse(quantity),
        received: Quantity::ZERO,
    }
}

fn charge() -> ChargeRow {
    ChargeRow {
        id: CHARGE,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        shipment_id: Some(SHIPMENT),
        kind: ChargeType::Freight,
        description: None,
        amount: parse("10"),
        allocated: parse("4"),
        status: ChargeStatus::PartiallyAllocated,
        supplier_id: None,
        reference: None,
    }
}

fn import_body(quantity: &str, allocations: &[(u64, &str)]) -> Json {
    let mut body = body(&[(0, quantity, &[])]);
    body["shipmentId"] = json!(SHIPMENT);
    let part = |(item, amount): &(u64, &str)| json!({ "orderItemId": Id(4, *item), "amount": amount });
    if !allocations.is_empty() {
        let allocations: Vec<Json> = allocations.iter().map(part).collect();
        body["charges"] = json!([{ "chargeId": CHARGE, "allocations": allocations }]);
    }
    body
}

/// Replies to the reads of an import order, for a receipt with this shipment.
fn found_import(stage: ShipmentStage, with_charge: bool) -> Vec<Reply> {
    let order = OrderRow { kind: OrderKind::Import, ..order(OrderStatus::Approved) };
    let mut read = answer_reads(&order, &items(OrderStatus::Approved));
    read.extend([rows([whole(&shipment(stage), 1)]), rows([whole(&shipment_line(0, "3"), 1)])]);
    read.extend(with_charge.then(|| rows([whole(&charge(), 1)])));
    read
}

#[test]
fn goods_of_an_import_come_with_a_cleared_shipment() {
    open_shop(false);
    // [E118]
    let import = OrderRow { kind: OrderKind::Import, ..order(OrderStatus::Approved) };
    script([answer_reads(&import, &items(OrderStatus::Approved))]);
    let answer = call("createGoodsReceipt", body(&[(0, "1", &[])]));
    assert_eq!(answer, Err(expect_refusal("VALIDATION_FAILED", &["/shipmentId REQUIRED"])));
    for (stage, quantity, expected) in [
        (ShipmentStage::Customs, "1", expect_refusal("ILLEGAL_STATE", &["/shipmentId ILLEGAL_STATE"])),
        (ShipmentStage::Cleared, "4", expect_refusal("LIMIT_EXCEEDED", &["/items/0/quantity LIMIT_EXCEEDED"])),
    ] {
        script([found_import(stage, false)]);
        assert_eq!(call("createGoodsReceipt", import_body(quantity, &[])), Err(expected));
    }
}

#[test]
fn e129_charges_that_come_with_the_goods_are_in_one_entry() {
    let reported = open_shop(true);
    let mut written = answer_writes(1);
    // The charge, its allocation, the shipment's line and the shipment.
    written.extend([Reply::Done, Reply::Inserted(vec![true]), Reply::Done, Reply::Done]);
    let log = script([found_import(ShipmentStage::Cleared, true), written]);
    call("createGoodsReceipt", import_body("3", &[(0, "6")])).unwrap();
    let reported = reported.borrow();
    assert_eq!(reported.receipts[0][0].charge.as_deref(), Some("6.000000"));
    assert_eq!(
        reported.legs(0),
        [
            "Debit INVENTORY 16.500000000000",
            "Credit GOODS_RECEIVED_NOT_INVOICED 10.500000000000",
            "Credit IMPORT_CHARGES 6.000000000000",
        ]
    );
    let log = log.borrow();
    let [.., Call::Update(charge), Call::Insert(_), Call::Update(_), Call::Update(shipment)] = log.runs[1].as_slice()
    else {
        panic!("{:?}", log.runs[1])
    };
    assert_eq!(charge.rows[0].set, [stoa_sdk::Field::put(&ChargeStatus::Allocated)]);
    assert_eq!(shipment.rows[0].set[0], stoa_sdk::Field::put(&ShipmentStage::Received), "all of it is here");
}

#[test]
fn a_charge_reaches_only_what_came_and_no_further_than_its_rest() {
    open_shop(false);
    for (allocations, expected) in [
        (&[(0, "6.000001")][..], expect_refusal("LIMIT_EXCEEDED", &["/charges/0/allocations/0/amount LIMIT_EXCEEDED"])),
        (
            &[(0, "1"), (1, "1")],
            expect_refusal("REFERENCE_INVALID", &["/charges/0/allocations/1/orderItemId NOT_RECEIVED"]),
        ),
        (
            &[(0, "1"), (0, "1")],
            expect_refusal("VALIDATION_FAILED", &["/charges/0/allocations/1/orderItemId REPEATED"]),
        ),
    ] {
        script([found_import(ShipmentStage::Cleared, true)]);
        assert_eq!(call("createGoodsReceipt", import_body("1", allocations)), Err(expected), "{allocations:?}");
    }
}
