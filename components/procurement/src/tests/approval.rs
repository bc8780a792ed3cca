//! Approving and cancelling: who may, what is judged again, and what the other modules are told.

use serde_json::json;
use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, Reply, Row};
use stoa_sdk::{Id, Instant};
use stoa_trade::Status;
use stoa_trade::quantity::Quantity;

use super::shop::{
    ARCHIVED, QUANTITY, SERIALIZED, WAREHOUSE, call, expect_refusal, item, item_rows, items, open_shop, order,
    order_rows, parse, supplier,
};
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::settings::{KEY, SettingsRow};
use crate::records::supplier::SupplierRow;

fn settings(require_second_approver: bool) -> Row {
    let row = SettingsRow {
        id: Id(2, 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        key: KEY.to_owned(),
        require_second_approver,
    };
    whole(&row, 1)
}

/// Replies to the first reads of an approval.
fn answer_reads(order: &OrderRow, items: &[OrderItemRow], supplier: &SupplierRow, second: bool) -> Vec<Reply> {
    vec![rows([order_rows(order)]), rows(item_rows(items)), rows([whole(supplier, 1)]), rows([settings(second)])]
}

fn list_incoming(reported: &super::shop::ShopCalls) -> Vec<(Id, Id, String)> {
    let line = |line: &stoa_trade::clients::stock::IncomingLine| {
        (line.variant_id.into(), line.warehouse_id.into(), line.delta.clone())
    };
    reported.incoming.iter().map(line).collect()
}

#[test]
fn e90_what_is_approved_is_expected() {
    let reported = open_shop(true);
    let status = OrderStatus::Draft;
    let log =
        script([answer_reads(&order(status), &items(status), &supplier(), false), vec![Reply::Done, Reply::Done]]);
    let answer = call("approvePurchaseOrder", json!({ "expectedVersion": 1 })).unwrap();
    assert_eq!((&answer["status"], &answer["version"]), (&json!("APPROVED"), &json!(2)));
    let reported = reported.borrow();
    let expected = [(QUANTITY, WAREHOUSE, "10.000000".to_owned()), (SERIALIZED, WAREHOUSE, "2.000000".to_owned())];
    assert_eq!(list_incoming(&reported), expected, "and nothing of the service");
    assert_eq!(reported.roles, ["GOODS_RECEIVED_NOT_INVOICED", "INVENTORY", "PURCHASE_EXPENSE"]);
    let log = log.borrow();
    assert_eq!(log.runs.len(), 2);
    let [Call::Update(_), Call::Update(open)] = log.runs[1].as_slice() else { panic!("{:?}", log.runs[1]) };
    assert_eq!((open.rows.len(), &open.set), (2, &vec!["open".to_owned()]), "tracked lines alone");
}

#[test]
fn e97_a_second_approver_is_asked_for_before_version_and_state() {
    open_shop(false);
    // The scripted caller is alice.
    let by = |created: &str, edited: &str| OrderRow {
        created_by: created.to_owned(),
        edited_by: edited.to_owned(),
        ..order(OrderStatus::Received)
    };
    for (order, second, code) in [
        (by("alice", "bob"), true, "PERMISSION_DENIED"),
        (by("bob", "alice"), true, "PERMISSION_DENIED"),
        (by("bob", "bob"), true, "VERSION_CONFLICT"),
        (by("alice", "alice"), false, "VERSION_CONFLICT"),
    ] {
        script([answer_reads(&order, &items(OrderStatus::Draft), &supplier(), second)]);
        let answer = call("approvePurchaseOrder", json!({ "expectedVersion": 9 }));
        assert_eq!(answer, Err(expect_refusal(code, &[])), "{} {} {second}", order.created_by, order.edited_by);
    }
}

#[test]
fn e89_all_that_was_archived_since_is_told() {
    open_shop(false);
    let status = OrderStatus::Draft;
    let lines = [item(status, 0, QUANTITY, "1", "1"), item(status, 1, ARCHIVED, "1", "1")];
    let gone = SupplierRow { status: Status::Archived, ..supplier() };
    let order = OrderRow { warehouse_id: Id(3, 95), ..order(status) };
    script([answer_reads(&order, &lines, &gone, false)]);
    let expected = ["/supplierId ARCHIVED", "/warehouseId ARCHIVED", "/items/1/variantId ARCHIVED"];
    assert_eq!(
        call("approvePurchaseOrder", json!({ "expectedVersion": 1 })),
        Err(expect_refusal("ARCHIVED", &expected))
    );
}

#[test]
fn e96_a_currency_that_the_books_do_not_take_is_not_approved() {
    let reported = open_shop(true);
    let order = OrderRow { currency_code: "USD".to_owned(), ..order(OrderStatus::Draft) };
    script([answer_reads(&order, &items(OrderStatus::Draft), &supplier(), false)]);
    let answer = call("approvePurchaseOrder", json!({ "expectedVersion": 1 }));
    let expected = ["/currencyCode ACCOUNTING_CURRENCY_UNSUPPORTED"];
    assert_eq!(answer, Err(expect_refusal("ACCOUNTING_CURRENCY_UNSUPPORTED", &expected)));
    assert!(reported.borrow().incoming.is_empty());
}

/// A body that cancels.
fn reason() -> serde_json::Value {
    json!({ "expectedVersion": 1, "reason": "Too dear" })
}

#[test]
fn e94_a_person_without_the_right_of_the_state_is_refused_first() {
    open_shop(false);
    // The scripted caller holds nothing.
    for status in [OrderStatus::Draft, OrderStatus::Approved, OrderStatus::Received] {
        script([vec![rows([order_rows(&order(status))]), rows(item_rows(&items(status))), rows([])]]);
        assert_eq!(call("cancelPurchaseOrder", reason()), Err(expect_refusal("PERMISSION_DENIED", &[])), "{status:?}");
    }
}

#[test]
fn clients_cancel_drafts_alone() {
    let reported = open_shop(false);
    for (status, expected) in [
        (OrderStatus::Draft, Ok("CANCELLED")),
        (OrderStatus::Approved, Err("ILLEGAL_STATE")),
        (OrderStatus::Cancelled, Err("ILLEGAL_STATE")),
    ] {
        let read = vec![rows([order_rows(&order(status))]), rows(item_rows(&items(status))), rows([])];
        script([read, vec![Reply::Done]]);
        let answer = call("apiCancelPurchaseOrder", reason());
        let answer = answer.map(|body| body["status"].clone());
        assert_eq!(
            answer,
            expected.map(|status| json!(status)).map_err(|code| expect_refusal(code, &[])),
            "{status:?}"
        );
    }
    assert!(reported.borrow().incoming.is_empty(), "a draft expects nothing");
}

#[test]
fn what_is_billed_and_did_not_come_holds_an_order() {
    // [E91]
    open_shop(false);
    let mut billed = items(OrderStatus::Draft);
    billed[0].billed = parse::<Quantity>("1");
    script([vec![rows([order_rows(&order(OrderStatus::Draft))]), rows(item_rows(&billed)), rows([])]]);
    assert_eq!(call("apiCancelPurchaseOrder", reason()), Err(expect_refusal("ILLEGAL_STATE", &[])));
}
