//! Drafting orders: what they refuse, what becomes of their lines, and how many round trips they take.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Field, Id};
use stoa_trade::Status;

use super::shop::{
    ARCHIVED, QUANTITY, SERIALIZED, SERVICE, call, expect_refusal, item_rows, items, open_shop, order, order_body,
    order_rows, supplier,
};
use crate::records::order::OrderStatus;
use crate::records::order_item::OrderItemRow;
use crate::records::supplier::SupplierRow;

fn known_supplier() -> Vec<Reply> {
    vec![rows([whole(&supplier(), 1)])]
}

#[test]
fn a_draft_is_as_cheap_with_a_hundred_lines_as_with_one() {
    open_shop(false);
    for count in [1_u64, 80] {
        let lines: Vec<(Id, &str, &str)> = (0..count).map(|nth| (Id(8, 100 + nth), "2", "0.5")).collect();
        let log = script([
            known_supplier(),
            vec![Reply::Number(7)],
            vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true; lines.len()])],
        ]);
        let answer = call("createPurchaseOrder", order_body(&lines)).unwrap();
        assert_eq!((&answer["status"], &answer["version"]), (&json!("DRAFT"), &json!(1)));
        let log = log.borrow();
        assert_eq!(log.runs.len(), 3, "{count} lines");
        let event: Json = serde_json::from_str(&log.events[0].data).unwrap();
        assert_eq!((&event["number"], log.events[0].version), (&json!("PO-000007"), Some(1)));
    }
}

#[test]
fn refusals_of_a_draft_come_in_their_order() {
    open_shop(false);
    let two = |one: Id, other: Id| order_body(&[(one, "1", "1"), (other, "1", "1")]);
    let with = |member: &str, value: Json| {
        let mut body = two(QUANTITY, SERVICE);
        body[member] = value;
        body
    };
    let missing = Id(1, 1);
    let archived = || vec![rows([whole(&SupplierRow { status: Status::Archived, ..supplier() }, 1)])];
    for (body, replies, expected) in [
        // [E85, E93]
        (two(QUANTITY, QUANTITY), vec![], expect_refusal("VALIDATION_FAILED", &["/items/1/variantId REPEATED"])),
        (with("currencyCode", json!("DEM")), vec![], expect_refusal("VALIDATION_FAILED", &["/currencyCode FORMAT"])),
        (
            two(QUANTITY, missing),
            vec![vec![rows([])]],
            expect_refusal("NOT_FOUND", &["/supplierId NOT_FOUND", "/items/1/variantId NOT_FOUND"]),
        ),
        (
            order_body(&[(SERIALIZED, "1.5", "1")]),
            vec![known_supplier()],
            expect_refusal("VALIDATION_FAILED", &["/items/0/quantity QUANTITY_SCALE"]),
        ),
        (
            with("warehouseId", json!(Id(3, 95))),
            vec![known_supplier()],
            expect_refusal("REFERENCE_INVALID", &["/warehouseId ARCHIVED"]),
        ),
        // [E88]
        (
            with("legalEntityId", json!(Id(3, 50))),
            vec![known_supplier()],
            expect_refusal("CUSTODY_CONFLICT", &["/warehouseId CUSTODY_CONFLICT"]),
        ),
        (two(QUANTITY, SERVICE), vec![archived()], expect_refusal("REFERENCE_INVALID", &["/supplierId ARCHIVED"])),
        (
            two(ARCHIVED, SERVICE),
            vec![known_supplier()],
            expect_refusal("REFERENCE_INVALID", &["/items/0/variantId ARCHIVED"]),
        ),
        // [E82]
        (
            with("number", json!("po-000001")),
            vec![known_supplier(), vec![Reply::Inserted(vec![false]), Reply::Inserted(vec![true; 2])]],
            expect_refusal("DUPLICATE", &["/number DUPLICATE"]),
        ),
    ] {
        let log = script(replies.clone());
        assert_eq!(call("createPurchaseOrder", body.clone()), Err(expected), "{body}");
        assert_eq!(log.borrow().runs.len(), replies.len(), "{body}");
    }
}

/// The body of a replacement of the draft with these lines.
fn update_body(version: i64, lines: &[(Id, &str, &str)]) -> Json {
    let mut body = order_body(lines);
    body["number"] = json!("po-000001");
    body["expectedVersion"] = json!(version);
    body
}

fn answer_reads(status: OrderStatus, items: &[OrderItemRow]) -> Vec<Vec<Reply>> {
    vec![vec![rows([order_rows(&order(status))]), rows(item_rows(items))], known_supplier()]
}

#[test]
fn e99_a_line_that_comes_back_keeps_its_id() {
    open_shop(false);
    let mut before = items(OrderStatus::Draft);
    before[1].line_no = None;
    let mut replies = answer_reads(OrderStatus::Draft, &before);
    // The order, lines that stay or return, lines that go, lines that come.
    replies.push(vec![Reply::Done, Reply::Done, Reply::Done, Reply::Inserted(vec![true])]);
    let log = script(replies);
    let lines = [(SERIALIZED, "1", "2"), (Id(8, 200), "3", "1"), (QUANTITY, "10", "3.5")];
    let answer = call("replacePurchaseOrder", update_body(1, &lines)).unwrap();
    assert_eq!(answer["version"], 2);
    let log = log.borrow();
    let [Call::Update(order), Call::Update(stay), Call::Update(gone), Call::Insert(come)] = log.runs[2].as_slice()
    else {
        panic!("{:?}", log.runs[2])
    };
    assert_eq!(order.set, ["total", "edited_by"], "the count stays three");
    let keys = |rows: &[stoa_sdk::bindings::commerce::platform::store::Change]| {
        rows.iter().map(|row| row.key[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&stay.rows), [Id(4, 1).put(), Id(4, 0).put()]);
    assert_eq!(keys(&gone.rows), [Id(4, 2).put()]);
    assert_eq!(come.rows.len(), 1);
}

#[test]
fn what_stands_and_what_is_closed_is_refused() {
    open_shop(false);
    let lines = [(QUANTITY, "10", "3.5")];
    let with = |member: &str, value: Json| {
        let mut body = update_body(1, &lines);
        body[member] = value;
        body
    };
    for (status, body, expected) in [
        (OrderStatus::Draft, update_body(2, &lines), expect_refusal("VERSION_CONFLICT", &[])),
        // [E84]
        (OrderStatus::Approved, update_body(1, &lines), expect_refusal("ILLEGAL_STATE", &[])),
        // [E83]
        (
            OrderStatus::Draft,
            with("number", json!("PO-2")),
            expect_refusal("IMMUTABLE_FIELD", &["/number IMMUTABLE_FIELD"]),
        ),
        (
            OrderStatus::Draft,
            with("legalEntityId", json!(Id(3, 50))),
            expect_refusal("IMMUTABLE_FIELD", &["/legalEntityId IMMUTABLE_FIELD"]),
        ),
    ] {
        script(answer_reads(status, &items(status)));
        assert_eq!(call("replacePurchaseOrder", body), Err(expected));
    }
}
