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

/// A guest's one operation: makes every call of the body, all in one transaction.
///
/// # Errors
/// The problem of a service; VALIDATION_FAILED for an entry that is no call.
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
