//! Completing a sales order: delivery of everything at once.

use stoa_sdk::{Answer, Call};
use stoa_trade::document::version::Transition;

use crate::records::order::receipt;
use crate::work::completion::{complete_order, lock_held};

pub fn complete(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let order = lock_held(call.path_id("id")?)?;
    let completed = complete_order(order, body.expected_version.0, None)?;
    Ok(receipt(&completed.row).changed(["status", "completedAt"]))
}
