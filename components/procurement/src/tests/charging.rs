//! Charges that come after the goods: what is refused, and the entry by where the goods are.

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::Reply;
use stoa_sdk::{Id, Instant};
use stoa_trade::clients::costs::{self, Destination, Part};
use stoa_trade::document::actor::ActorType;
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking};

use super::shop::{
    ENTITY, ORDER, QUANTITY, SUPPLIER, WAREHOUSE, call, expect_refusal, item_rows, items, open_shop, order, order_rows,
    parse,
};
use crate::records::charge::{ChargeRow, ChargeStatus, ChargeType};
use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::receipt::ReceiptRow;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};

const LINE: Id = Id(5, 1);

fn charge(status: ChargeStatus) -> ChargeRow {
    ChargeRow {
        id: Id(7, 70),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        shipment_id: None,
        kind: ChargeType::Duty,
        description: None,
        amount: parse("10"),
        allocated: Money::ZERO,
        status,
        supplier_id: None,
        reference: None,
    }
}

/// Replies to the reads: the order with its charges, then the line, its receipt and its balance.
fn answer_reads(status: ChargeStatus, receipt_order: Id, tracking: Tracking) -> Vec<Vec<Reply>> {
    let now = Instant(NOW);
    let import = OrderRow { kind: OrderKind::Import, ..order(OrderStatus::Received) };
    let receipt = ReceiptRow {
        id: Id(5, 50),
        created_at: now,
        updated_at: now,
        order_id: receipt_order,
        shipment_id: None,
        supplier_id: SUPPLIER,
        legal_entity_id: ENTITY,
        warehouse_id: WAREHOUSE,
        location_id: None,
        currency_code: "EUR".to_owned(),
        reason: "Came".to_owned(),
        total: Amount::ZERO,
        actor_type: ActorType::User,
        actor_id: "alice".to_owned(),
        request_id: Id(2, 2),
    };
    let line = ReceiptItemRow {
        id: LINE,
        created_at: now,
        updated_at: now,
        receipt_id: receipt.id,
        order_item_id: Id(4, 0),
        variant_id: QUANTITY,
        tracking,
        quantity: parse("3"),
        unit_cost: parse("10"),
        line_total: parse("30"),
    };
    let balance = ReceiptBalanceRow {
        id: Id(5, 51),
        created_at: now,
        updated_at: now,
        receipt_item_id: LINE,
        quantity: parse("3"),
        billed: Quantity::ZERO,
        charge_amount: Money::ZERO,
    };
    vec![
        vec![
            rows([order_rows(&import)]),
            rows(item_rows(&items(OrderStatus::Received))),
            rows([whole(&charge(status), 1)]),
        ],
        vec![rows([whole(&line, 0)]), rows([whole(&receipt, 0)]), rows([whole(&balance, 0)])],
    ]
}

fn body(version: i64, lines: &[(Id, &str)]) -> Json {
    let part = |(line, amount): &(Id, &str)| json!({ "receiptItemId": line, "amount": amount });
    json!({ "expectedVersion": version, "allocations": lines.iter().map(part).collect::<Vec<_>>() })
}

#[test]
fn e123_an_entry_goes_to_where_the_goods_are() {
    let reported = open_shop(true);
    costs::service::stand_in::charge(|_, lines| {
        assert_eq!(lines.iter().map(|line| line.amount.as_str()).collect::<Vec<_>>(), ["10.000000"]);
        let part = |destination, amount: &str| Part { destination, amount: amount.to_owned() };
        Ok(vec![vec![part(Destination::Sold, "3.333334"), part(Destination::OnHand, "6.666666")]])
    });
    let mut replies = answer_reads(ChargeStatus::Estimated, ORDER, Tracking::Quantity);
    replies.push(vec![Reply::Inserted(vec![true]), Reply::Done, Reply::Done, Reply::Done]);
    let log = script(replies);
    let answer = call("allocateCharge", body(1, &[(LINE, "10")])).unwrap();
    assert_eq!((&answer["version"], log.borrow().runs.len()), (&json!(2), 3));
    let reported = reported.borrow();
    assert_eq!(
        reported.legs(0),
        [
            "Debit COST_OF_GOODS_SOLD 3.333334000000",
            "Debit INVENTORY 6.666666000000",
            "Credit IMPORT_CHARGES 10.000000000000",
        ]
    );
    let entry = &reported.entries[0];
    assert_eq!((entry.source_kind.as_str(), entry.purpose.as_str()), ("CHARGE_ALLOCATION", "ALLOCATION"));
}

#[test]
fn what_a_charge_cannot_reach_is_refused() {
    open_shop(false);
    let (open, tracked) = (ChargeStatus::Estimated, Tracking::Quantity);
    let twice = [(LINE, "1"), (LINE, "1")];
    for (found, body, expected) in [
        (vec![], body(1, &twice), expect_refusal("VALIDATION_FAILED", &["/allocations/1/receiptItemId REPEATED"])),
        (answer_reads(open, ORDER, tracked), body(2, &[(LINE, "1")]), expect_refusal("VERSION_CONFLICT", &[])),
        (
            answer_reads(ChargeStatus::Cancelled, ORDER, tracked),
            body(1, &[(LINE, "1")]),
            expect_refusal("ILLEGAL_STATE", &[]),
        ),
        // [E124]
        (
            answer_reads(open, ORDER, tracked),
            body(1, &[(LINE, "10.000001")]),
            expect_refusal("LIMIT_EXCEEDED", &["/allocations/0/amount LIMIT_EXCEEDED"]),
        ),
        // [E127]
        (
            answer_reads(open, Id(3, 77), tracked),
            body(1, &[(LINE, "1")]),
            expect_refusal("REFERENCE_INVALID", &["/allocations/0/receiptItemId OTHER_ORDER"]),
        ),
        (
            answer_reads(open, ORDER, Tracking::None),
            body(1, &[(LINE, "1")]),
            expect_refusal("REFERENCE_INVALID", &["/allocations/0/receiptItemId NOT_TRACKED"]),
        ),
        (
            answer_reads(open, ORDER, tracked),
            body(1, &[(Id(5, 99), "1")]),
            expect_refusal("NOT_FOUND", &["/allocations/0/receiptItemId NOT_FOUND"]),
        ),
    ] {
        script(found);
        assert_eq!(call("allocateCharge", body.clone()), Err(expected), "{body}");
    }
}
