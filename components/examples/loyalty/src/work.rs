//! Earning, redeeming and expiring points, and the points of a receipt.

use std::collections::BTreeMap;

use serde_json::json;
use stoa_sdk::host::fault;
use stoa_sdk::store::{Failure, aggregate, find, get_all, insert, read, run, select, update_by};
use stoa_sdk::{Bounds, Date, Entity, Field, Id, Json, Problem, Received, View, Window, all, item, map, new_id, today};
use stoa_trade::clients::sales::read_orders;
use stoa_trade::extension::payment_acceptance::{Order, Payment};
use stoa_trade::new_row;
use stoa_trade::quantity::{Amount, Money};

use crate::records::{BalanceRow, EarnedTotal, EntryKind, EntryRow, LoyaltyReceipt, ProgramRow};
use crate::rules::{count_needed, count_points};

/// The problem of an amount that is not a whole number of points.
pub const NOT_WHOLE: &str = "LOYALTY_AMOUNT_NOT_WHOLE";
/// The problem of more points than there are.
pub const INSUFFICIENT: &str = "LOYALTY_POINTS_INSUFFICIENT";
/// The code of the one program.
pub const PROGRAM: &str = "PROGRAM";

/// The company's program, if it has one.
pub fn read_program() -> Result<Option<ProgramRow>, Problem> {
    let rows: Vec<ProgramRow> = run(find("code", [vec![PROGRAM.to_owned().put()]]))?;
    Ok(rows.into_iter().next())
}

/// Adds the points of a completed sale to its customer. An order earns once.
///
/// # Errors
/// LIMIT_EXCEEDED where the points are beyond what a balance holds.
pub fn earn(event: &Received) -> Result<(), Problem> {
    let Some(program) = read_program()? else { return Ok(()) };
    let orders = read_orders(&[event.resource], &[])?;
    let Some(order) = orders.iter().find(|order| order.currency_code == program.currency_code) else { return Ok(()) };
    let total: Amount = order.total.parse().unwrap_or_else(|_| fault("the total of an order is no amount"));
    let points = count_points(total, program.points_per_amount).ok_or_else(|| Problem::new("LIMIT_EXCEEDED"))?;
    let (customer, receipt) = (Id::from(order.customer_id), order.receipt_id.map(Id::from));
    let entry = new_entry(customer, EntryKind::Earn, points, order.id.into(), receipt);
    if points > 0 && run(insert([&entry]).unless_taken())? == [true] {
        let balance = update_by::<BalanceRow>("customer", [vec![customer.put()]]).add(BalanceRow::points, points);
        run(balance.or_insert(&[], [Some(Vec::new())]))?;
    }
    Ok(())
}

fn new_entry(customer_id: Id, kind: EntryKind, points: i64, source_id: Id, receipt_id: Option<Id>) -> EntryRow {
    new_row!(EntryRow { id: new_id(), customer_id, kind, points, source_id, receipt_id, on_date: today() })
}

/// Takes the payments with points, which are of the method `OTHER` with the reference `loyalty`, from the customer's balance.
///
/// # Errors
/// LOYALTY_AMOUNT_NOT_WHOLE and LOYALTY_POINTS_INSUFFICIENT at the payment. Without a program in the order's currency points are
/// worth nothing.
pub fn redeem(receipt: Id, order: &Order, payments: &[Payment]) -> Result<(), Problem> {
    let with_points = |payment: &&Payment| payment.method == "OTHER" && payment.reference.as_deref() == Some("loyalty");
    let payments: Vec<&Payment> = payments.iter().filter(with_points).collect();
    let Some(first) = payments.first() else { return Ok(()) };
    let program = read_program()?.filter(|program| program.currency_code == order.currency_code);
    let program = program.ok_or_else(|| Problem::at(INSUFFICIENT, format!("{}/amount", first.pointer)))?;
    let mut points: i64 = 0;
    for payment in &payments {
        let amount: Money = payment.amount.parse().unwrap_or_else(|_| fault("the amount of a payment is no amount"));
        let taken = count_needed(amount, program.point_value).and_then(|needed| points.checked_add(needed));
        points = taken.ok_or_else(|| Problem::at(NOT_WHOLE, format!("{}/amount", payment.pointer)))?;
    }
    let customer = Id::from(order.customer_id);
    let balance = update_by::<BalanceRow>("customer", [vec![customer.put()]]).add(BalanceRow::points, -points);
    let balance = balance.answer::<BalanceRow>();
    run(balance).map_err(|failure| or_insufficient(failure, &first.pointer, program.point_value))?;
    run(insert([&new_entry(customer, EntryKind::Redeem, -points, receipt, Some(receipt))]))?;
    Ok(())
}

/// The problem of a balance that was not changed: it has fewer points, or there is none.
fn or_insufficient(failure: Failure, pointer: &str, point_value: Money) -> Problem {
    let Failure::RefusedChange(misses) = failure else { return failure.into() };
    let balance = misses.into_iter().next().and_then(|miss| miss.current).and_then(BalanceRow::read);
    let points = i128::from(balance.map_or(0, |balance| balance.points));
    let most = Money::from_units(points.saturating_mul(point_value.units()));
    let fault = item(format!("{pointer}/amount"), INSUFFICIENT).with_bounds(Bounds::maximum(most));
    Problem { code: INSUFFICIENT.to_owned(), errors: vec![fault] }
}

/// Lets points expire, customer by customer. Payments take the oldest points first, so that what is above all that was earned
/// since the day of expiry is too old. A batch that runs twice finds nothing more. 100 customers at once.
pub fn expire(_window: &Window, cursor: Option<String>) -> Result<Option<String>, Problem> {
    let days = read_program()?.and_then(|program| program.expire_days);
    let Some(begin) = days.and_then(|days| Date::from_days(today().days().checked_sub(days)?)) else { return Ok(None) };
    let after = cursor.and_then(|cursor| cursor.parse().ok());
    let page = run(select::<BalanceRow>(BalanceRow::points.gt(0)).after(after).limit(100))?;
    let customers = page.items.iter().map(|row| row.customer_id);
    let young =
        all([EntryRow::customer_id.one_of(customers), EntryRow::kind.eq(EntryKind::Earn), EntryRow::on_date.ge(begin)]);
    // Held first: nothing is earned or redeemed between both reads.
    let held = get_all::<BalanceRow>(page.items.iter().map(Entity::id)).locked();
    let (balances, young) = run((held, aggregate::<EarnedTotal>(young).whole()))?;
    let young: BTreeMap<Id, i64> = map(young.into_iter().map(|total| (total.customer_id, total.points)));
    let old = |row: &BalanceRow| row.points.saturating_sub(young.get(&row.customer_id).copied().unwrap_or(0));
    let expired = balances.iter().map(|row| (row.customer_id, old(row))).filter(|(_, points)| *points > 0);
    let entries: Vec<EntryRow> =
        expired.map(|(customer, points)| new_entry(customer, EntryKind::Expire, -points, new_id(), None)).collect();
    let change = update_by::<BalanceRow>("customer", entries.iter().map(|entry| vec![entry.customer_id.put()]))
        .add_each(BalanceRow::points, entries.iter().map(|entry| entry.points));
    run((change, insert(&entries)))?;
    Ok(page.next(|row| row.id).map(|id| id.to_string()))
}

/// The points of receipts. One without an entry has nothing.
pub fn show(receipts: &[Id]) -> Vec<(Id, Json)> {
    let entries = read(select::<EntryRow>(EntryRow::receipt_id.one_of(receipts.iter().copied())).whole());
    let shown = |receipt: &Id| {
        let is_of = |entry: &EntryRow, kind: EntryKind| entry.receipt_id == Some(*receipt) && entry.kind == kind;
        let sum =
            |kind: EntryKind| entries.iter().filter(|entry| is_of(entry, kind)).map(|entry| entry.points).sum::<i64>();
        let (earned, redeemed) = (sum(EntryKind::Earn), sum(EntryKind::Redeem));
        let points = json!(LoyaltyReceipt { earned, redeemed: -redeemed });
        (earned != 0 || redeemed != 0).then(|| (*receipt, Json::from_value(&points)))
    };
    receipts.iter().filter_map(shown).collect()
}
