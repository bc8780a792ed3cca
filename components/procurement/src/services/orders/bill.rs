//! Billing: how much of a line is on invoices, of its order and of the receipts that brought it. The counters are
//! procurement's, the invoices another module's.

use std::collections::BTreeMap;

use stoa_sdk::store::{find, get_all, run, update_all};
use stoa_sdk::{Field, Id, Problem, item, map, set};
use stoa_trade::arguments::parse;
use stoa_trade::quantity::{self, Amount, Quantity};
use stoa_trade::refusal::{illegal, refuse, unusable};

use crate::bindings::exports::commerce::procurement::orders as service;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};

/// The quantity that a line counts as billed.
struct Line {
    order_item: Id,
    receipt_item: Option<Id>,
    quantity: Quantity,
}

/// The records that the lines name, under the locks of their orders.
struct Named {
    orders: BTreeMap<Id, OrderRow>,
    items: BTreeMap<Id, OrderItemRow>,
    receipt_items: BTreeMap<Id, ReceiptItemRow>,
    balances: BTreeMap<Id, ReceiptBalanceRow>,
}

pub fn bill(lines: &[service::BillLine]) -> Result<(), Problem> {
    let line = |line: &service::BillLine| Line {
        order_item: line.order_item_id.into(),
        receipt_item: line.receipt_item_id.map(Id::from),
        quantity: parse(&line.quantity),
    };
    let lines: Vec<Line> = lines.iter().map(line).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let named = lock_named(&lines)?;
    let (mut billed, mut billed_of_receipts) = (BTreeMap::new(), BTreeMap::new());
    for (nth, line) in lines.iter().enumerate() {
        let pointer = |member: &str| format!("/lines/{nth}/{member}");
        let order_item =
            named.items.get(&line.order_item).ok_or_else(|| Problem::reference_missing(pointer("orderItemId")))?;
        let order =
            named.orders.get(&order_item.order_id).ok_or_else(|| Problem::reference_missing(pointer("orderItemId")))?;
        if order.status == OrderStatus::Draft {
            return Err(illegal(pointer("orderItemId"), "DRAFT"));
        }
        let most = if order.status == OrderStatus::Cancelled { order_item.received } else { order_item.quantity };
        // No counts: the order's own record shows them.
        let beyond = || Problem {
            code: "LIMIT_EXCEEDED".to_owned(),
            errors: vec![item(pointer("quantity"), "BILLED_BEYOND_ORDER")],
        };
        let after = add(&mut billed, order_item.id, order_item.billed, line.quantity).ok_or_else(beyond)?;
        if after.is_negative() || after > most {
            return Err(beyond());
        }
        let Some(receipt_item) = line.receipt_item else { continue };
        let balance = named
            .balances
            .get(&receipt_item)
            .filter(|_| named.receipt_items.get(&receipt_item).is_some_and(|came| came.order_item_id == order_item.id));
        let balance = balance.ok_or_else(|| unusable(pointer("receiptItemId"), "OTHER_LINE"))?;
        let after = add(&mut billed_of_receipts, balance.id, balance.billed, line.quantity).ok_or_else(beyond)?;
        if after.is_negative() || after > balance.quantity {
            return Err(beyond());
        }
    }
    write(&named, &billed, &billed_of_receipts)
}

/// Adds to what is counted of a row; returns the sum with the existing count.
fn add(counted: &mut BTreeMap<Id, Quantity>, id: Id, stands: Quantity, quantity: Quantity) -> Option<Quantity> {
    let sum = counted.entry(id).or_insert(Quantity::ZERO);
    *sum = sum.checked_add(quantity)?;
    stands.checked_add(*sum)
}

/// Holds the orders in the order of their ids, and reads under their locks what may change.
fn lock_named(lines: &[Line]) -> Result<Named, Problem> {
    let ids = || set(lines.iter().map(|line| line.order_item));
    let receipt_items = || set(lines.iter().filter_map(|line| line.receipt_item));
    let (before, came): (Vec<OrderItemRow>, Vec<ReceiptItemRow>) = run((get_all(ids()), get_all(receipt_items())))?;
    let came = map(came.into_iter().map(|came| (came.id, came)));
    let absent = |line: &Line| line.receipt_item.is_some_and(|id| !came.contains_key(&id));
    let missing = lines.iter().enumerate().filter(|(_, line)| absent(line));
    refuse("NOT_FOUND", missing.map(|(nth, _)| item(format!("/lines/{nth}/receiptItemId"), "NOT_FOUND")).collect())?;
    let keys = receipt_items().into_iter().map(|id| vec![id.put()]);
    let (orders, items, balances) = run((
        get_all::<OrderRow>(set(before.iter().map(|line| line.order_id))).locked(),
        get_all::<OrderItemRow>(ids()),
        (!came.is_empty()).then(|| find::<ReceiptBalanceRow>("item", keys)),
    ))?;
    let live = items.into_iter().filter(|line| line.line_no.is_some());
    Ok(Named {
        orders: map(orders.into_iter().map(|order| (order.id, order))),
        items: map(live.map(|line| (line.id, line))),
        receipt_items: came,
        balances: map(balances.unwrap_or_default().into_iter().map(|balance| (balance.receipt_item_id, balance))),
    })
}

fn write(
    named: &Named,
    billed: &BTreeMap<Id, Quantity>,
    billed_of_receipts: &BTreeMap<Id, Quantity>,
) -> Result<(), Problem> {
    let (mut values, mut settled) = (Vec::new(), Vec::new());
    for (id, quantity) in billed {
        let line = named.items.get(id).ok_or_else(Problem::not_found)?;
        let value: Amount = quantity::multiply(*quantity, line.unit_cost)?;
        settled.push(line.is_settled(Amount::ZERO, value));
        values.push(value);
    }
    let items = update_all::<OrderItemRow>(billed.keys().copied())
        .set_each(OrderItemRow::settled, settled)
        .add_each(OrderItemRow::billed, billed.values())
        .add_each(OrderItemRow::billed_value, values);
    let balances = update_all::<ReceiptBalanceRow>(billed_of_receipts.keys().copied())
        .add_each(ReceiptBalanceRow::billed, billed_of_receipts.values());
    run((items, balances))?;
    Ok(())
}
