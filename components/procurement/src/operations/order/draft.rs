//! Drafting purchase orders.

use stoa_sdk::{Answer, Call};

use crate::operations::order::input::{PurchaseOrderInput, PurchaseOrderUpdate};
use crate::records::order::OrderKind;
use crate::work::draft::{insert_order, replace_order};

pub fn create(call: &Call) -> Answer {
    let body: PurchaseOrderInput = call.body()?;
    let (order, _) = insert_order(OrderKind::Standard, body.into_terms())?;
    Ok(order.show(&order.row, &[]))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: PurchaseOrderUpdate = call.body()?;
    replace_order(id, OrderKind::Standard, body.expected_version, body.into_terms())
}
