//! Messages between the suite and its guests: calls of services with the types of their WIT, as JSON. A test builds a call,
//! the guest makes it in its own transaction, and the test reads the answer as the type that the WIT promises.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::{Answer, Call, Problem, Reply, item};

#[allow(missing_docs, reason = "generated; the comments are those of the WIT")]
mod bindings;
pub mod finance;
pub mod inventory;
pub mod ledger;
pub mod procurement;
pub mod sales;

/// An id as services spell it.
pub type Key = (u64, u64);

/// The request to a guest: services to call, in order.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    calls: Vec<Value>,
    /// Goes on after a refusal, and answers a success: what no module should do.
    #[serde(default)]
    swallow: bool,
}

/// The response of each service.
#[derive(Serialize, JsonSchema)]
pub struct Answers {
    answers: Vec<Value>,
}

/// The item codes of inventory, procurement, sales, finance and the ledger. A guest lists all of them, because a test
/// asks it for any call, and the host rejects an answer with a code that is not listed.
pub const ITEM_CODES: &[&str] = &[
    "ACTIVE_BRANCH",
    "ACTIVE_CHILDREN",
    "ACTIVE_MONEY_ACCOUNT",
    "ALREADY_RECEIVED",
    "ALREADY_REVERSED",
    "AMOUNT_PRECISION",
    "BALANCE_NOT_ZERO",
    "BEFORE_BOOKS",
    "BEYOND_DELIVERED",
    "BEYOND_RECEIVED",
    "BILLED_BEYOND_ORDER",
    "BOOKS_KEPT",
    "BOOKS_NOT_KEPT",
    "CHART_EXISTS",
    "CLOSED",
    "COLLECTED_AT_REGISTER",
    "CONTROL_ACCOUNT",
    "CONTROL_BALANCE_NOT_ZERO",
    "COST_CORRECTION",
    "DATE_BEFORE_DOCUMENT",
    "DATE_BEFORE_ORIGINAL",
    "DELIVERY_REQUIRED",
    "DRAFT",
    "EARLIER_MONTH_OPEN",
    "EXCEEDS_AVAILABLE",
    "EXCEEDS_COST",
    "EXCEEDS_INVOICE",
    "EXCEEDS_INVOICE_BALANCE",
    "EXCEEDS_TILL_CASH",
    "HAS_APPLICATIONS",
    "HAS_CHILDREN",
    "HAS_REFUNDS",
    "HELD",
    "IMPORT",
    "IS_REVERSAL",
    "LATER_MONTH_CLOSED",
    "LINES_REQUIRED",
    "MAPPED",
    "METHOD_UNMAPPED",
    "MIXED_FULFILMENT",
    "MONTH_CLOSED",
    "MONTH_NOT_ENDED",
    "NONE",
    "NOTHING_TO_BILL",
    "NOTHING_TO_RECOGNIZE",
    "NOT_APPLIED",
    "NOT_CLOSED",
    "NOT_IN_TRANSIT",
    "NOT_MANUAL",
    "NOT_NORMAL",
    "NOT_OUTSTANDING",
    "NOT_RECEIVED",
    "NOT_SERIALIZED",
    "NOT_SOLD",
    "NOT_TRACKED",
    "NO_GOODS",
    "ORDER_BILLED",
    "ORDER_COLLECTED",
    "ORDER_NOT_CONFIRMED",
    "ORDER_NOT_OPEN",
    "OTHER_CURRENCY",
    "OTHER_ENTITY",
    "OTHER_LINE",
    "OTHER_ORDER",
    "OTHER_PRODUCT",
    "OTHER_SHIPMENT",
    "OTHER_VARIANT",
    "OTHER_WAREHOUSE",
    "POS_RECEIPT",
    "RECEIPT_REQUIRED",
    "ROLE_UNMAPPED",
    "SESSION_CLOSED",
    "SEVERAL",
    "SUM_MISMATCH",
    "TWO_COSTS",
    "TWO_PRICES",
    "UNBALANCED",
    "UNCOSTED",
    "UNITS_DIFFER_FROM_QUANTITY",
];

/// A guest's one operation: makes every call of the body, all in one transaction.
///
/// # Errors
/// The problem of a service; VALIDATION_FAILED for an entry that is not a call.
pub fn make_all<C: DeserializeOwned>(call: &Call, make: impl Fn(&C) -> Result<Value, Problem>) -> Answer {
    let Calls { calls, swallow } = call.body()?;
    let make_one = |(index, call): (usize, Value)| match C::deserialize(call) {
        Ok(call) => match make(&call) {
            Err(problem) if swallow => Ok(json!({ "refused": problem.code })),
            made => made,
        },
        Err(_) => Err(Problem::invalid(vec![item(format!("/calls/{index}"), "TYPE")])),
    };
    let answers = calls.into_iter().enumerate().map(make_one).collect::<Result<_, _>>()?;
    Ok(Reply::json(&Answers { answers }))
}
