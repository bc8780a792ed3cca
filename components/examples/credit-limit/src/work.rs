//! Holding orders against the limit of their customer, and releasing them.

use serde::Deserialize;
use stoa_sdk::host::fault;
use stoa_sdk::store::{aggregate, find, insert, lock, read, run, select, update_all};
use stoa_sdk::{Bounds, Decimal, Field, Filter, Id, Json, Problem, Received, all, item, new_id};
use stoa_trade::extension::order_confirmation::Order;
use stoa_trade::new_row;
use stoa_trade::quantity::{Amount, Money};

use crate::records::{CreditLimitExposure, ExposureRow, LimitRow, OpenTotal};

/// The problem of an order that passes the limit.
pub const EXCEEDED: &str = "CREDIT_LIMIT_EXCEEDED";

/// Holds an order against its customer's limit in its currency. Without a limit nothing is held. The lock makes orders of one
/// customer wait for each other, so that no two of them take the same rest.
///
/// # Errors
/// CREDIT_LIMIT_EXCEEDED at `/total`.
pub fn hold(order: &Order) -> Result<(), Problem> {
    let (customer, currency) = (Id::from(order.customer_id), &order.currency_code);
    let key = vec![customer.put(), currency.put()];
    let (_, limits, open) = run((
        lock(format!("customer:{customer}:{currency}")),
        find::<LimitRow>("customer", [key]),
        aggregate::<OpenTotal>(all([open_of(customer), ExposureRow::currency_code.eq(currency.clone())])).one(),
    ))?;
    let Some(limit) = limits.into_iter().next() else { return Ok(()) };
    let total: Amount = order.total.parse().unwrap_or_else(|_| fault("the total of an order is no amount"));
    let left = rest_of(limit.amount, open.amount).ok_or_else(Amount::limit_exceeded)?;
    if total > left {
        let most = if left.is_negative() { Decimal::ZERO } else { left };
        let errors = vec![item("/total", EXCEEDED).with_bounds(Bounds::maximum(most))];
        return Err(Problem { code: EXCEEDED.to_owned(), errors });
    }
    let row = new_row!(ExposureRow {
        id: new_id(),
        order_id: order.id.into(),
        customer_id: customer,
        currency_code: currency.clone(),
        amount: total,
        open: true,
    });
    run(insert([&row]))?;
    Ok(())
}

/// The orders of a customer that count against its limits.
pub fn open_of(customer: Id) -> Filter {
    all([ExposureRow::customer_id.eq(customer), ExposureRow::open.eq(true)])
}

/// The rest of a limit; None if it has more digits than are kept.
pub fn rest_of(limit: Money, open: Amount) -> Option<Amount> {
    Amount::from_units(limit.units().checked_mul(1_000_000)?).checked_sub(open)
}

/// The member of both events that is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderOfEvent {
    order_id: Id,
}

/// Releases the order of an event: it was cancelled, or a register collected it.
pub fn release_received(event: &Received) -> Result<(), Problem> {
    release(event.data::<OrderOfEvent>().order_id)
}

/// Ends what an order holds, if it holds anything.
pub fn release(order: Id) -> Result<(), Problem> {
    let held = run(find::<ExposureRow>("order", [vec![order.put()]]).locked())?;
    let open = held.iter().filter(|row| row.open).map(|row| row.id);
    run(update_all::<ExposureRow>(open).set(ExposureRow::open, &false))?;
    Ok(())
}

/// The amounts that orders hold, for responses that show them. An order that never counted has nothing.
pub fn show(orders: &[Id]) -> Vec<(Id, Json)> {
    let held = read(select::<ExposureRow>(ExposureRow::order_id.one_of(orders.iter().copied())).whole());
    let shown = |row: ExposureRow| {
        let exposure = CreditLimitExposure { exposure: row.open.then_some(row.amount) };
        let Ok(exposure) = serde_json::to_value(exposure) else { fault("an exposure does not serialize") };
        (row.order_id, Json::from_value(&exposure))
    };
    held.into_iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_limit_is_exact_and_may_be_below_zero() {
        for (limit, open, expected) in [
            ("50", "40", "10.000000000000"),
            ("50", "0.000000000001", "49.999999999999"),
            ("1", "3", "-2.000000000000"),
        ] {
            let left = rest_of(limit.parse().unwrap(), open.parse().unwrap()).unwrap();
            assert_eq!(left.to_string(), expected);
        }
    }
}
