//! The service that counts what is billed: J5.

use stoa_sdk::scripted::{NOW, rows, script, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Field, Id, Instant, Module};
use stoa_trade::quantity::{Money, Tracking};

use super::shop::{QUANTITY, Refusal, expect_refusal, items, order, order_rows, parse, refusal};
use crate::Procurement;
use crate::bindings::exports::commerce::procurement::orders::{BillLine, Guest};
use crate::records::order::OrderStatus;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};
use crate::services::Services;

fn line(order_item: u64, receipt_item: Option<u64>, quantity: &str) -> BillLine {
    BillLine {
        order_item_id: (4, order_item),
        receipt_item_id: receipt_item.map(|id| (5, id)),
        quantity: quantity.to_owned(),
    }
}

/// Bills of the order in this state, of whose first line four of ten came and three are billed, one of them of its receipt.
fn bill(status: OrderStatus, lines: Vec<BillLine>) -> (Result<(), Refusal>, Vec<Call>) {
    let mut ordered = items(status);
    (ordered[0].received, ordered[0].billed) = (parse("4"), parse("3"));
    (ordered[0].received_value, ordered[0].billed_value) = (parse("14"), parse("10.5"));
    ordered[0].settled = false;
    let now = Instant(NOW);
    let came = ReceiptItemRow {
        id: Id(5, 1),
        created_at: now,
        updated_at: now,
        receipt_id: Id(5, 50),
        order_item_id: Id(4, 0),
        variant_id: QUANTITY,
        tracking: Tracking::Quantity,
        quantity: parse("4"),
        unit_cost: parse("3.5"),
        line_total: parse("14"),
    };
    let balance = ReceiptBalanceRow {
        id: Id(5, 51),
        created_at: now,
        updated_at: now,
        receipt_item_id: came.id,
        quantity: came.quantity,
        billed: parse("1"),
        charge_amount: Money::ZERO,
    };
    let named = |id: Id| lines.iter().any(|line| Id::from(line.order_item_id) == id);
    let items = || rows(ordered.iter().filter(|item| named(item.id)).map(|item| whole(item, 1)));
    let of_receipt = lines.iter().any(|line| line.receipt_item_id == Some((5, 1)));
    let mut first = vec![items()];
    let mut second = vec![rows([order_rows(&order(status))]), items()];
    if lines.iter().any(|line| line.receipt_item_id.is_some()) {
        first.push(rows(of_receipt.then(|| whole(&came, 0))));
    }
    second.extend(of_receipt.then(|| rows([whole(&balance, 0)])));
    let log = script([first, second, vec![Reply::Done, Reply::Done]]);
    let billed = <Services as Guest>::bill(lines).map_err(refusal);
    let written = log.borrow().runs.get(2).cloned().unwrap_or_default();
    (billed, written)
}

#[test]
fn no_more_is_billed_than_may_be() {
    let beyond = |nth: u32| expect_refusal("LIMIT_EXCEEDED", &[&format!("/lines/{nth}/quantity BILLED_BEYOND_ORDER")]);
    for (status, lines, expected) in [
        (OrderStatus::Approved, vec![line(0, None, "7")], Ok(())),
        (OrderStatus::Approved, vec![line(0, None, "7.000001")], Err(beyond(0))),
        (OrderStatus::Approved, vec![line(0, None, "4"), line(0, None, "4")], Err(beyond(1))),
        (OrderStatus::Approved, vec![line(0, None, "-3")], Ok(())),
        (OrderStatus::Approved, vec![line(0, None, "-4")], Err(beyond(0))),
        // On a cancelled order, no more than came.
        (OrderStatus::Cancelled, vec![line(0, None, "1")], Ok(())),
        (OrderStatus::Cancelled, vec![line(0, None, "2")], Err(beyond(0))),
        (
            OrderStatus::Draft,
            vec![line(0, None, "1")],
            Err(expect_refusal("ILLEGAL_STATE", &["/lines/0/orderItemId DRAFT"])),
        ),
        // On a receipt's line, no more than came with it.
        (OrderStatus::Approved, vec![line(0, Some(1), "3")], Ok(())),
        (OrderStatus::Approved, vec![line(0, Some(1), "4")], Err(beyond(0))),
        (
            OrderStatus::Approved,
            vec![line(1, Some(1), "1")],
            Err(expect_refusal("REFERENCE_INVALID", &["/lines/0/receiptItemId OTHER_LINE"])),
        ),
        (
            OrderStatus::Approved,
            vec![line(0, Some(9), "1")],
            Err(expect_refusal("NOT_FOUND", &["/lines/0/receiptItemId NOT_FOUND"])),
        ),
    ] {
        assert_eq!(bill(status, lines.clone()).0, expected, "{status:?} {lines:?}");
    }
}

#[test]
fn what_is_billed_is_counted_with_its_worth() {
    let (billed, written) = bill(OrderStatus::Approved, vec![line(0, Some(1), "1"), line(0, Some(1), "0.5")]);
    assert_eq!(billed, Ok(()));
    let [Call::Update(items), Call::Update(balances)] = written.as_slice() else { panic!("{written:?}") };
    assert_eq!(items.add, ["billed", "billed_value"]);
    assert_eq!(items.rows[0].add, ["1.500000", "5.250000000000"]);
    assert_eq!(balances.rows[0].add, ["1.500000"]);
}

#[test]
fn a_line_is_settled_once_what_came_is_billed() {
    for (quantity, settled) in [("0.5", false), ("1", true), ("2", false), ("-3", false)] {
        let (billed, written) = bill(OrderStatus::Approved, vec![line(0, None, quantity)]);
        assert_eq!(billed, Ok(()));
        let Some(Call::Update(items)) = written.first() else { panic!("{written:?}") };
        assert_eq!((items.set.as_slice(), &items.rows[0].set), (&["settled".to_owned()][..], &vec![settled.put()]));
    }
}

#[test]
fn older_lines_come_to_say_whether_they_are_settled() {
    let mut ordered = items(OrderStatus::Approved);
    ordered.iter_mut().for_each(|item| item.settled = false);
    ordered[1].received_value = parse("100");
    let read = || rows(ordered.iter().map(|item| whole(item, 1)));
    let orders = rows([order_rows(&order(OrderStatus::Approved))]);
    let log = script([vec![read()], vec![orders, read()], vec![Reply::Done]]);
    assert_eq!(Procurement::upgrade("0.1.0", None), Ok(None));
    let runs = &log.borrow().runs;
    let [Call::Update(settled)] = runs[2].as_slice() else { panic!("{runs:?}") };
    let ids: Vec<_> = settled.rows.iter().map(|row| (row.key.clone(), row.set.clone())).collect();
    assert_eq!(ids, [ordered[0].id, ordered[2].id].map(|id| (vec![id.put()], vec![true.put()])));
}
