//! Limits of customers, and the release of orders.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{aggregate, run, select, update_by};
use stoa_sdk::{Answer, Call, Field, Id, Operation, Reply, column_names};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::quantity::{Amount, Money};

use crate::records::{CreditLimitCustomer, CreditLimitFigures, CreditLimitRelease, CurrencyTotal, LimitRow};
use crate::work::{open_of, release, rest_of};

const READ: &[&str] = &["credit-limit.read"];
const WRITE: &[&str] = &["credit-limit.write"];
const CUSTOMER: &str = "/credit-limit/customers/{customerId}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(CUSTOMER, "getCreditLimitCustomer", read_customer).summary("Credit limits of a customer")
        .needs(READ).answers::<CreditLimitCustomer>().problems(&["LIMIT_EXCEEDED"]),
    Operation::replace(CUSTOMER, "setCreditLimitCustomer", set_customer).summary("Set a credit limit of a customer")
        .description("In one currency. The customer's id is not checked. Orders that are confirmed already stay so.")
        .needs(WRITE).body::<LimitInput>().answers::<CreditLimitCustomer>().without_if_match()
        .writes("CREDIT_LIMIT_CUSTOMER", &[]).problems(&["LIMIT_EXCEEDED"]),
    Operation::transition("/credit-limit/orders/{orderId}/release", "releaseCreditLimitOrder", release_order)
        .summary("Release an order").description("It no longer counts against the limit of its customer: it was paid.")
        .needs(WRITE).body::<ReleaseInput>().answers::<CreditLimitRelease>().without_if_match().writes("CREDIT_LIMIT_ORDER", &[]),
];

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreditLimitInput")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitInput {
    currency_code: CurrencyCode,
    /// The most that confirmed orders of the customer add up to.
    amount: Money,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreditLimitReleaseInput")]
#[serde(deny_unknown_fields)]
struct ReleaseInput {}

fn read_customer(call: &Call) -> Answer {
    answer_customer(call.path_id("customerId")?)
}

fn set_customer(call: &Call) -> Answer {
    let customer = call.path_id("customerId")?;
    let LimitInput { currency_code, amount } = call.body()?;
    let key = vec![customer.put(), String::from(currency_code).put()];
    let set = update_by::<LimitRow>("customer", [key]).set(LimitRow::amount, &amount);
    run(set.or_insert(column_names!(LimitRow { amount }), [Some(vec![amount.put()])]))?;
    answer_customer(customer)
}

fn release_order(call: &Call) -> Answer {
    let order_id = call.path_id("orderId")?;
    release(order_id)?;
    Ok(Reply::json(&CreditLimitRelease { order_id }).resource(order_id))
}

fn answer_customer(customer_id: Id) -> Answer {
    let (rows, open) = run((
        select::<LimitRow>(LimitRow::customer_id.eq(customer_id)).whole(),
        aggregate::<CurrencyTotal>(open_of(customer_id)).whole(),
    ))?;
    let open: BTreeMap<String, Amount> = open.into_iter().map(|total| (total.currency_code, total.amount)).collect();
    let mut limits = Vec::new();
    for row in rows {
        let open = open.get(&row.currency_code).copied().unwrap_or_default();
        let left = rest_of(row.amount, open).ok_or_else(Amount::limit_exceeded)?;
        limits.push(CreditLimitFigures { currency_code: row.currency_code, amount: row.amount, open, left });
    }
    limits.sort_unstable_by(|one, other| one.currency_code.cmp(&other.currency_code));
    Ok(Reply::json(&CreditLimitCustomer { customer_id, limits }).resource(customer_id))
}
