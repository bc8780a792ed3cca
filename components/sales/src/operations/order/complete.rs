//! Completing a sales order: delivery of everything at once.

use stoa_sdk::{Answer, Call};
use stoa_trade::document::version::Transition;

use crate::records::order::receipt;
use crate::work::completion::{complete_order, lock_order};
use crate::work::priced_line::products_of;

pub fn complete(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let order = lock_order(call.path_id("id")?)?;
    let completed = complete_order(order, body.expected_version, None)?;
    let products = products_of(&completed.items);
    Ok(receipt(&completed.row).subjects(products).changed(["status", "completedAt"]))
}
