//! Drafting and replacing import orders.

use stoa_sdk::{Answer, Call};

use crate::operations::order::input::{ImportOrderInput, ImportOrderUpdate};
use crate::records::order::OrderKind;
use crate::work::draft::{insert_order, replace_order};

pub fn create(call: &Call) -> Answer {
    let body: ImportOrderInput = call.body()?;
    let (order, _) = insert_order(OrderKind::Import, body.into_terms())?;
    Ok(order.show(&order.row, &[]))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: ImportOrderUpdate = call.body()?;
    replace_order(id, OrderKind::Import, body.expected_version, body.into_terms())
}
